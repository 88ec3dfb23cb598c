// One parameter: a slider and a number, a list, or a switch. It sends what is chosen, and shows what the server says.
import { el, iconButton } from './dom.js';
import { short } from './format.js';
import { icon } from './icons.js';
import { rangeText } from './range_text.js';
import { scaleOf, sliderEnd } from './slider_scale.js';

const patience = 150;  // [ms] a slider must rest for

export class Field {
  /** @param {(key: string, value: any) => Promise<{ok: boolean, error?: string}>} set */
  constructor(parameter, set) {
    this.set = set;
    this.parameter = parameter;
    this.error = el('p', { class: 'error', role: 'alert', hidden: true });
    this.undo = iconButton(icon('undo'), `Back to ${text(parameter.initial)}`, () => this.#send(parameter.initial), { class: 'icon-button small' });
    this.inputs = { number: numberInputs, whole: numberInputs, choice: choiceInput, flag: flagInput }[parameter.type]?.(this) ?? plainInput(this);
    const id = `parameter-${parameter.key}`;
    this.inputs.main.id = id;
    // Whoever points at it sees it as a title; whoever comes by keys sees it, or hears it, with the focus.
    const about = [parameter.doc, rangeText(parameter)].filter(Boolean).join(' ');
    for (const input of [this.inputs.main, this.inputs.slider]) if (about) input?.setAttribute('aria-describedby', `${id}-about`);
    this.element = el('div', { class: 'field', title: about },
      el('div', { class: 'row' },
        el('span', { class: 'dot', 'aria-hidden': 'true' }),
        el('label', { class: 'grow', for: id }, parameter.name, parameter.unit ? el('span', { class: 'quiet' }, ` ${parameter.unit}`) : null),
        this.undo, this.inputs.main),
      this.inputs.slider ?? null, el('p', { class: 'about', id: `${id}-about` }, about), this.error);
    this.show(parameter);
  }

  /** What it is now. */
  show(parameter) {
    this.parameter = parameter;
    const isChanged = JSON.stringify(parameter.value) !== JSON.stringify(parameter.initial);
    this.element.classList.toggle('changed', isChanged);
    this.undo.hidden = !isChanged;
    if (!this.isBusy) this.inputs.show(parameter.value);
  }

  later(value) {
    this.isBusy = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#send(value), patience);
  }

  now(value) {
    clearTimeout(this.timer);
    this.#send(value);
  }

  async #send(value) {
    this.isBusy = true;
    let problem = null;
    try {
      const answer = await this.set(this.parameter.key, value);
      if (answer.ok) this.show({ ...this.parameter, value });
      else problem = answer.error ?? 'This cannot be set.';
    } catch (error) {
      problem = error.message;
    }
    this.isBusy = false;
    this.error.textContent = problem ?? '';
    this.error.hidden = !problem;
    this.show(this.parameter);
  }
}

const text = (value) => (typeof value === 'number' ? short(value, 6) : String(value));

function numberInputs(field) {
  const { parameter } = field;
  const scale = scaleOf(parameter);
  const round = (value) => (parameter.type === 'whole' ? Math.round(value) : value);
  const main = el('input', {
    type: 'text', inputmode: 'decimal', class: 'number', spellcheck: 'false', autocomplete: 'off',
    onchange: () => {
      const value = Number(main.value.trim().replace(',', '.'));
      if (main.value.trim() !== '' && !Number.isNaN(value)) field.now(value);
      else main.value = text(field.parameter.value);
    },
  });
  const slider = el('input', {
    type: 'range', min: 0, max: sliderEnd, step: 1, 'aria-label': parameter.name,
    oninput: () => {
      const value = round(scale.value(Number(slider.value)));
      main.value = text(value);
      field.later(value);
    },
  });
  const show = (value) => {
    main.value = text(value);
    slider.value = scale.place(value);
    slider.setAttribute('aria-valuetext', `${text(value)} ${parameter.unit ?? ''}`);
  };
  return { main, slider, show };
}

function choiceInput(field) {
  const main = el('select', { onchange: () => field.now(main.value) },
    ...(field.parameter.choices ?? []).map((choice) => el('option', { value: choice }, choice)));
  return { main, show: (value) => { main.value = value; } };
}

function flagInput(field) {
  const main = el('input', { type: 'checkbox', role: 'switch', onchange: () => field.now(main.checked) });
  return { main, show: (value) => { main.checked = value; } };
}

function plainInput() {
  const main = el('output', {});
  return { main, show: (value) => { main.textContent = text(value); } };
}
