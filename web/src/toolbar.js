// The tools at the left, and the slider of the one that is in use.
import { el, iconButton, kept } from './dom.js';
import { short } from './format.js';
import { icon } from './icons.js';
import { tools } from './touch.js';

export class Toolbar {
  /** @param {import('./touch.js').Touch} touch */
  constructor(touch, actions) {
    this.touch = touch;
    this.buttons = new Map(tools.map((tool) => [tool.key, toolButton(tool, () => this.choose(tool.key))]));
    this.tools = el('div', {
      class: 'group', role: 'radiogroup', 'aria-label': 'Tools', onkeydown: (event) => this.#arrow(event),
    }, ...this.buttons.values());
    this.element = el('div', { class: 'toolbar panel' }, this.tools,
      el('div', { class: 'group', role: 'group', 'aria-label': 'View' },
        ...actions.map(({ image, name, key, run }) => iconButton(icon(image), name, run, { key }))));
    this.option = el('div', { class: 'tool-option panel', hidden: true });
    this.choose('grab');
  }

  choose(key) {
    this.touch.releaseAll();
    this.touch.tool = key;
    for (const [name, button] of this.buttons) {
      button.setAttribute('aria-checked', name === key);
      button.tabIndex = name === key ? 0 : -1;  // arrows go from tool to tool, the tab key past all of them
    }
    this.#showOption(tools.find((tool) => tool.key === key));
  }

  #arrow(event) {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const at = tools.findIndex((tool) => tool.key === this.touch.tool);
    const { key } = tools[(at + by + tools.length) % tools.length];
    this.choose(key);
    this.buttons.get(key).focus();
  }

  /** Touching is for worlds that run. */
  setLive(isLive) {
    this.isLive = isLive;
    this.tools.hidden = !isLive;
    this.touch.isOn = isLive;
    this.option.hidden = !isLive || !tools.find((tool) => tool.key === this.touch.tool).option;
  }

  // A probe should fit the scene.
  #suggested({ key, option }) {
    return key === 'probe' ? Number((0.12 * this.touch.stage.view.sphere.radius).toPrecision(1)) : option.value;
  }

  #showOption(tool) {
    this.option.hidden = !tool.option || !this.isLive;
    if (!tool.option) return;
    const { label, unit, least, most } = tool.option;
    this.touch.options[tool.key] = Number(kept.get(tool.key)) || this.#suggested(tool);
    const value = el('output', {});
    const show = () => { value.textContent = `${short(this.touch.options[tool.key], 2)} ${unit}`; };
    const slider = el('input', {
      type: 'range', min: Math.log10(least), max: Math.log10(most), step: 0.01, 'aria-label': `${label} [${unit}]`,
      oninput: () => {
        this.touch.options[tool.key] = Number((10 ** slider.value).toPrecision(2));
        kept.set(tool.key, this.touch.options[tool.key]);
        show();
      },
    });
    slider.value = Math.log10(this.touch.options[tool.key]);
    show();
    this.option.replaceChildren(el('label', { class: 'row' }, el('span', {}, label), slider, value));
  }
}

function toolButton({ key, label, shortcut, hint }, onclick) {
  return el('button', {
    type: 'button', class: 'icon-button', role: 'radio', title: `${label} (${shortcut}): ${hint}`, 'aria-label': label, onclick,
  }, icon(key));
}
