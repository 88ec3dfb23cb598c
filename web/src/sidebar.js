// The panel at the right: one tab at a time; on small screens it is a sheet at the bottom.
import { el, iconButton, isNarrow, kept } from './dom.js';
import { icon } from './icons.js';

export class Sidebar {
  /** @param {Array<{key: string, label: string, image: string, content: HTMLElement}>} tabs */
  constructor(tabs, onChange) {
    this.tabs = tabs;
    this.onChange = onChange;
    this.buttons = tabs.map(({ key, label, image }) => el('button', {
      type: 'button', role: 'tab', id: `tab-${key}`, 'aria-controls': `panel-${key}`, onclick: () => this.open(key),
      onkeydown: (event) => this.#arrow(event),
    }, icon(image), label));
    this.panels = tabs.map(({ key, content }) =>
      el('div', { role: 'tabpanel', id: `panel-${key}`, 'aria-labelledby': `tab-${key}`, class: 'scroll' }, content));
    this.element = el('aside', { class: 'sidebar panel', 'aria-label': 'Layers, tuning and measurements' },
      el('div', { class: 'tabs', role: 'tablist' }, ...this.buttons, el('span', { class: 'grow' }),
        iconButton(icon('close'), 'Close the panel', () => this.setOpen(false), { key: 'M' })),
      ...this.panels);
    this.opener = iconButton(icon('panel'), 'Open the panel', () => this.setOpen(true), { key: 'M', class: 'icon-button panel opener' });
    this.open(tabs.some(({ key }) => key === kept.get('tab')) ? kept.get('tab') : tabs[0].key, false);
    this.setOpen(!isNarrow() && kept.get('sidebar') !== 'closed', false);
  }

  /** How much of the window's width it takes [pixels]. */
  get width() { return this.isOpen && !isNarrow() && !this.element.hidden ? this.element.offsetWidth + 16 : 0; }

  /** How much of its height, where it is a sheet [pixels]. */
  get height() { return this.isOpen && isNarrow() ? this.element.offsetHeight + 72 : 0; }

  open(key, isNews = true) {
    this.current = key;
    this.tabs.forEach((tab, i) => {
      const isThis = tab.key === key;
      this.buttons[i].setAttribute('aria-selected', isThis);
      this.buttons[i].tabIndex = isThis ? 0 : -1;
      this.panels[i].hidden = !isThis;
    });
    kept.set('tab', key);
    if (isNews) this.onChange();
  }

  setOpen(isOpen, isNews = true) {
    this.isOpen = isOpen;
    this.element.hidden = !isOpen;
    this.opener.hidden = isOpen;
    if (!isNews) return;
    if (!isNarrow()) kept.set('sidebar', isOpen ? 'open' : 'closed');
    this.onChange();
  }

  #arrow(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = this.tabs.findIndex((tab) => tab.key === this.current);
    const next = (at + by + this.tabs.length) % this.tabs.length;
    this.open(this.tabs[next].key);
    this.buttons[next].focus();
  }
}
