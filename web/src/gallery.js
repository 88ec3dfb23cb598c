// The scenes to choose from.
import { el } from './dom.js';

export class Gallery {
  /** @param {(scene: string) => void} open @param {(path: string) => URL} address */
  constructor(open, address) {
    this.open = open;
    this.address = address;
    this.list = el('ul', { class: 'cards' });
    this.element = el('main', { class: 'gallery', hidden: true, 'aria-label': 'Scenes' },
      el('header', {}, el('h1', {}, 'Palpate'), el('p', {}, 'Choose a scene, and touch it.')), this.list);
  }

  setScenes(scenes) {
    this.list.replaceChildren(...scenes.map((scene) => el('li', {}, this.#card(scene))));
  }

  #card({ name, title, description, picture }) {
    const image = picture
      ? el('img', { src: this.address(picture), alt: '', loading: 'lazy', onerror: () => image.remove() })
      : el('span', {});
    return el('button', { type: 'button', class: 'card', onclick: () => this.open(name) },
      el('span', { class: 'picture' }, image),
      el('span', { class: 'text' }, el('strong', {}, title || name), el('span', { class: 'quiet' }, description ?? '')));
  }
}
