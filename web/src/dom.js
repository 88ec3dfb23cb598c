// Small things for building the page out of elements. Text that comes from elsewhere is always set as text.

/**
 * el('button', {class: 'quiet', 'aria-label': 'Help', onclick: open}, icon('help'), 'Help')
 * Attributes that are null or false are left out; those that begin with "on" are listeners.
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const calmMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
export const isNarrow = () => matchMedia('(max-width: 900px)').matches;

/** A button with an icon; its name, and the key that does the same, are told when it is pointed at. */
export function iconButton(image, name, onclick, { key = null, ...attributes } = {}) {
  const title = key ? `${name} (${key})` : name;
  return el('button', { type: 'button', class: 'icon-button', title, 'aria-label': name, onclick, ...attributes }, image);
}

/** Gives a file to whoever looks at the page. */
export function download(blob, name) {
  const link = el('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** What was chosen last time; browsers may forbid to keep anything. */
export const kept = {
  get(key) {
    try {
      return localStorage.getItem(`palpate.${key}`);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`palpate.${key}`, value);
    } catch { /* then not */ }
  },
};
