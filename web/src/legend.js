// What the colours of a scale stand for.
import { gradientOf } from './colours.js';
import { el } from './dom.js';
import { short } from './format.js';

export function makeLegend(painter) {
  const title = el('span', {});
  const bar = el('div', { class: 'bar' });
  const [low, middle, high] = [el('span', {}), el('span', {}), el('span', {})];
  const legend = el('div', { class: 'legend panel', hidden: true, 'aria-label': 'Colour scale' },
    title, bar, el('div', { class: 'ticks' }, low, middle, high));
  painter.onLegend = (scale) => {
    legend.hidden = !scale;
    if (!scale) return;
    title.textContent = `${scale.label} [${scale.unit}]`;
    bar.style.background = gradientOf(scale.ramp);
    const marks = [0, scale.most / 2, scale.most].map((value) => short(value));
    [low.textContent, middle.textContent, high.textContent] = scale.isReversed ? marks.reverse() : marks;
  };
  return legend;
}
