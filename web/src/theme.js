// Dark or light: as the system has it, until somebody chooses.
import { kept } from './dom.js';

const system = matchMedia('(prefers-color-scheme: light)');

export class Theme {
  /** @param {HTMLElement} root gets data-theme */
  constructor(root, onChange) {
    this.root = root;
    this.onChange = onChange;
    system.addEventListener('change', () => this.#apply());
    this.#apply();
  }

  get name() { return kept.get('theme') ?? (system.matches ? 'light' : 'dark'); }

  toggle() {
    kept.set('theme', this.name === 'dark' ? 'light' : 'dark');
    this.#apply();
  }

  #apply() {
    this.root.dataset.theme = this.name;
    this.onChange(this.name);
  }
}
