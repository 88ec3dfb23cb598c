// The menu of layers and of what colours mean.
import { el } from './dom.js';
import { short } from './format.js';
import { layerList } from './layers.js';
import { scales } from './scales.js';

/**
 * @param {import('./stage.js').Stage} stage
 * @param {boolean} hasKeys tells the keys that do the same
 */
export function layersPanel(stage, { hasKeys = true } = {}) {
  const { layers, painter } = stage;
  const rows = layerList.map((layer) => layerRow(layer, layers, hasKeys));
  let offered = scales;
  const select = el('select', { 'aria-label': 'Colour by', onchange: () => choose(select.value) });
  const choose = (key) => {
    select.value = key;
    painter.choose(key);
    layers.setOption('scale', key);  // which also tells the server what is wanted
  };
  const panel = el('div', { class: 'layers' },
    el('label', { class: 'row' }, el('span', { class: 'grow' }, 'Colour by'), select),
    el('ul', {}, ...rows.map((row) => row.element)));
  const refresh = () => rows.forEach((row) => row.refresh());
  layers.listeners.add(refresh);
  refresh();
  const nextScale = () => choose(offered[(offered.findIndex((one) => one.key === select.value) + 1) % offered.length].key);
  let told = null;
  const isHad = ({ needs }) => !needs || !told || told[needs];
  /** @param {object|null} what what frames tell (Recording.tells); null: a server tells whatever is asked for */
  const setTold = (what) => {
    told = what;
    rows.forEach((row, i) => { row.element.hidden = !isHad(layerList[i]); });
    offered = scales.filter(isHad);
    select.replaceChildren(...offered.map((scale) => el('option', { value: scale.key }, scale.label)));
    for (const layer of layerList) if (!isHad(layer) && layers.isOn[layer.key]) layers.toggle(layer.key, false);
    choose(offered.includes(painter.scale) ? painter.scale.key : 'body');
  };
  setTold(null);
  return { element: panel, nextScale, setTold, isHad };
}

function layerRow(layer, layers, hasKeys) {
  const box = el('input', { type: 'checkbox', role: 'switch', onchange: () => layers.toggle(layer.key, box.checked) });
  const swatches = (layer.swatch ?? []).map((colour) => {
    const dot = el('span', { class: 'swatch' });
    dot.style.background = colour;
    return dot;
  });
  const label = el('label', { class: 'row', title: layer.note }, box, el('span', { class: 'grow' }, layer.label),
    ...swatches, hasKeys ? el('kbd', {}, layer.shortcut) : null);
  const option = layer.option ? optionRow(layer, layers) : null;
  return {
    element: el('li', {}, label, option?.element),
    refresh: () => {
      box.checked = layers.isOn[layer.key];
      option?.refresh(layers.isOn[layer.key]);
    },
  };
}

function optionRow({ option, label }, layers) {
  const slider = el('input', {
    type: 'range', min: option.least, max: option.most, step: option.step, 'aria-label': `${label}: ${option.label}`,
    oninput: () => layers.setOption(option.key, Number(slider.value)),
  });
  const value = el('output', {});
  const element = el('label', { class: 'row option' }, el('span', {}, option.label), slider, value);
  return {
    element,
    refresh: (isOn) => {
      element.hidden = !isOn;
      slider.value = layers.options[option.key];
      value.textContent = `${short(layers.options[option.key])}${option.unit ? ` ${option.unit}` : ''}`;
    },
  };
}
