// Keys that do something anywhere on the page, but where somebody writes or moves a slider with them.

/** @param {Record<string, () => void>} actions by the key's name, as KeyboardEvent has it, in small letters */
export function listenToKeys(actions) {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target.closest?.('input:not([type=checkbox]):not([type=range]), textarea, select, dialog')) return;
    if (event.key === ' ' && target.closest?.('button, input, a')) return;  // it presses those
    if (target.type === 'range' && (event.key === 'Home' || event.key === 'End')) return;
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
