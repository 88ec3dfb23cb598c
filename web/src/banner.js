// A calm line at the top that says what is wrong, and what may be done about it.
import { el } from './dom.js';

export class Banner {
  constructor() {
    this.text = el('span', { class: 'grow' });
    this.actions = el('span', { class: 'actions' });
    this.element = el('div', { class: 'banner panel', role: 'alert', hidden: true }, this.text, this.actions);
    this.reasons = new Map();
  }

  /**
   * @param {string} reason what it is about: each has one line, and the first one that is left is shown
   * @param {string|null} text null: it is over
   */
  set(reason, text, ...actions) {
    if (text) this.reasons.set(reason, { text, actions });
    else this.reasons.delete(reason);
    const [first] = this.reasons.values();
    this.element.hidden = !first;
    if (!first) return;
    if (first.text === this.text.textContent && first.actions.length === this.actions.children.length) return;
    this.text.textContent = first.text;
    this.actions.replaceChildren(...first.actions);
  }
}

/** A line that goes away by itself, also read to those who do not see it. */
export class Toast {
  constructor() {
    this.element = el('div', { class: 'toast panel', role: 'status', 'aria-live': 'polite', hidden: true });
  }
  show(text, milliseconds = 4000) {
    this.element.textContent = text;
    this.element.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.element.hidden = true; }, milliseconds);
  }
}
