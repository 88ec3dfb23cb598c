// The panel of all that can be set while the world runs, made from what the server tells.
import { el } from './dom.js';
import { Field } from './field.js';

export class TunePanel {
  /** @param {(key: string, value: any) => Promise<object>} set @param {(text: string) => void} say */
  constructor(set, say) {
    this.set = set;
    this.fields = new Map();
    this.groups = el('div', {});
    this.empty = el('p', { class: 'quiet' }, 'Nothing can be tuned here.');
    this.copy = el('button', { type: 'button', onclick: () => this.#copy(say) }, 'Copy as TOML');
    this.element = el('div', { class: 'tune' }, this.groups, this.empty, el('div', { class: 'row end' }, this.copy));
    this.show(null);
  }

  /** @param {{parameters: object[], toml: string}|null} message */
  show(message) {
    const { parameters = [], toml = '' } = message ?? {};
    this.toml = toml;
    this.copy.hidden = !toml;
    this.empty.hidden = parameters.length > 0;
    // Fields stay where they are as long as they are the same ones: somebody may have a finger on one.
    const shape = JSON.stringify(parameters.map(({ value, ...rest }) => rest));
    if (shape !== this.shape) this.#build(parameters);
    this.shape = shape;
    for (const parameter of parameters) this.fields.get(parameter.key).show(parameter);
  }

  #build(parameters) {
    const groups = new Map();
    this.fields.clear();
    for (const parameter of parameters) {
      const field = new Field(parameter, this.set);
      this.fields.set(parameter.key, field);
      if (!groups.has(parameter.group)) groups.set(parameter.group, []);
      groups.get(parameter.group).push(field.element);
    }
    const open = groups.size <= 4;
    this.groups.replaceChildren(...[...groups].map(([name, elements], i) =>
      el('details', { open: open || i === 0 }, el('summary', {}, name), ...elements)));
  }

  async #copy(say) {
    try {
      await navigator.clipboard.writeText(this.toml);
    } catch {
      copyByHand(this.toml);
    }
    say('The scene is on the clipboard, as TOML.');
  }
}

// Where pages may not use the clipboard, as over plain HTTP.
function copyByHand(text) {
  const area = el('textarea', { class: 'away', 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
