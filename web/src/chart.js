// A chart over steps: lines, or stages piled up on each other.
import uPlot from 'uplot';
import { el } from './dom.js';
import { short } from './format.js';

const height = 150;
const cursorGroup = uPlot.sync('palpate');

export class Chart {
  /**
   * @param {{title: string, names: string[], colours: string[], isStacked?: boolean, isLog?: boolean,
   *          marks?: Array<{at: number, label: string}>, unit?: string}} options marks from the top down
   */
  constructor(options) {
    this.options = options;
    this.host = el('div', { class: 'chart' });
    this.element = el('figure', {}, el('figcaption', {}, options.title), this.host);
    this.plot = null;
    this.columns = [];
    this.drawnMarks = [];  // as they are told
  }

  /** @param {number[]} steps @param {Array<Array<number|null>>} columns one for each name */
  show(steps, columns) {
    const width = this.host.clientWidth;
    if (width === 0) return;  // its tab is not open
    this.columns = columns;
    this.most = this.options.isStacked ? usualMost(columns) : Infinity;
    const data = [steps, ...(this.options.isStacked ? piled(columns) : columns.map((one) => this.#drawable(one)))];
    if (!this.plot) this.plot = new uPlot(this.#settings(width), data, this.host);
    else {
      if (this.plot.width !== width) this.plot.setSize({ width, height });
      this.plot.setData(data);
    }
  }

  redraw() { this.plot?.redraw(false, true); }

  #drawable(column) {
    return this.options.isLog ? column.map((value) => (value > 0 ? value : null)) : column;
  }

  #settings(width) {
    const { names, colours, isStacked, isLog, unit } = this.options;
    const colour = (name) => () => getComputedStyle(this.host).getPropertyValue(name);
    const axis = {
      stroke: colour('--quiet'), font: '11px system-ui, sans-serif', grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
    };
    const series = names.map((name, i) => ({
      label: name, stroke: colours[i], width: isStacked ? 0.5 : 1.5, fill: isStacked ? `${colours[i]}b0` : undefined,
      points: { show: false }, spanGaps: true,
      value: (plot, value, s, at) => (at === null ? '' : `${short(this.columns[i][at])}${unit ? ` ${unit}` : ''}`),
    }));
    // The pile is drawn from the top: each layer hides what is below it but its own part.
    const bands = isStacked ? names.slice(1).map((_, i) => ({ series: [i + 2, i + 1] })) : [];
    return {
      width, height, padding: [8, 16, 0, 0],
      scales: { x: { time: false }, y: isLog ? { distr: 3 } : { range: (plot, low, high) => this.#range(low, high) } },
      axes: [
        { ...axis, size: 24, space: 70 },
        { ...axis, size: 46, space: 30, splits: isLog ? decades : undefined, filter: isLog ? (plot, ticks) => ticks : undefined,
          values: (plot, ticks) => ticks.map((tick) => (isLog ? tick.toExponential(0).replace('e+', 'e') : short(tick))) },
      ],
      series: [{ label: 'step', value: (plot, value) => (value === null ? '' : String(value)) }, ...series],
      bands,
      cursor: { y: false, sync: { key: cursorGroup.key }, drag: { x: false, y: false }, points: { size: 5 } },
      legend: { live: true },
      hooks: { draw: [(plot) => this.#drawMarks(plot)] },
    };
  }

  #range(low, high) {
    if (low === null || low === undefined) return [0, 1];
    const top = high > 0 ? 1.1 * Math.min(high, this.most) : high;
    const bottom = low < 0 ? 1.1 * low : 0;
    const mark = (this.options.marks ?? []).map(({ at }) => at).findLast((at) => at >= top);
    // The next mark is shown if that does not squeeze what there is.
    return [bottom, mark && mark < 3 * top ? 1.1 * mark : Math.max(top, bottom + 1e-12)];
  }

  // A mark that has no room, since it would press what there is to the ground, is told at the edge: it is up there.
  #drawMarks(plot) {
    const { ctx, bbox } = plot;
    const marks = (this.options.marks ?? []).map((mark) => ({ ...mark, y: plot.valToPos(mark.at, 'y', true) }));
    const above = marks.filter(({ y }) => y < bbox.top).map(({ label }) => `${label} ↑`);
    const inside = marks.filter(({ y }) => y >= bbox.top && y <= bbox.top + bbox.height);
    this.drawnMarks = [...above, ...inside.map(({ label }) => label)];
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = getComputedStyle(this.host).getPropertyValue('--text');
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.lineWidth = devicePixelRatio;
    ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'right';
    const right = bbox.left + bbox.width - 4;
    let last = -Infinity;  // where the text above stands
    if (above.length > 0) {
      last = bbox.top + 10 * devicePixelRatio;
      ctx.fillText(above.join('   '), right, last);
    }
    for (const { label, y } of inside) {
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      const text = y - 3 * devicePixelRatio;
      if (text - last > 12 * devicePixelRatio) ctx.fillText(label, right, text);
      last = text;
    }
    ctx.restore();
  }
}

// Some powers of ten.
function decades(plot, axis, low, high) {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first) / 4));
  const found = [];
  for (let power = first; power <= last; power += step) found.push(10 ** power);
  return found;
}

function piled(columns) {
  const piles = [];
  columns.forEach((column, i) => piles.push(column.map((value, at) => (value ?? 0) + (i > 0 ? piles[i - 1][at] : 0))));
  return piles;
}

// A first step that makes everything would press all others to the ground: it goes through the ceiling.
function usualMost(columns) {
  const sums = (columns[0] ?? []).map((_, i) => columns.reduce((sum, column) => sum + (column[i] ?? 0), 0)).sort((a, b) => a - b);
  return 3 * (sums[Math.floor(0.95 * (sums.length - 1))] ?? Infinity);
}
