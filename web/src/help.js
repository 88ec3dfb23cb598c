// What the keys and the mouse do.
import { el, iconButton } from './dom.js';
import { icon } from './icons.js';

/** @param {Array<{title: string, rows: Array<[string, string]>}>} sections */
export function helpDialog(sections) {
  const dialog = el('dialog', { class: 'help panel', 'aria-label': 'Keys and mouse', onclick: (event) => event.target === dialog && dialog.close() },
    el('div', { class: 'inner' },
      el('header', { class: 'row' }, el('h2', { class: 'grow' }, 'Keys and mouse'), iconButton(icon('close'), 'Close', () => dialog.close())),
      el('div', { class: 'columns' }, ...sections.map(({ title, rows }) =>
        el('section', {}, el('h3', {}, title),
          el('dl', {}, ...rows.flatMap(([keys, what]) => [el('dt', {}, ...keys.split(' / ').map((key) => el('kbd', {}, key))), el('dd', {}, what)])))))));
  return dialog;
}
