// Hands that hold something: the spring from what they hold to where they pull it, and the force beside it.
import { Segments, rgb } from '../segments.js';
import { el } from '../dom.js';
import { short } from '../format.js';

const floatsOfHand = 9;
const colours = { dark: rgb('#ffd166'), light: rgb('#b26b00') };

export class HandsLayer {
  constructor({ world, view, overlay }) {
    this.world = world;
    this.view = view;
    this.overlay = overlay;
    this.segments = new Segments({ width: 3, onTop: true });
    this.object = this.segments.object;
    this.labels = [];
    view.afterDraw.add(() => this.#placeLabels());
  }

  update() {
    const { hands } = this.world.frame ?? { hands: [] };
    const colour = colours[this.view.theme];
    this.segments.clear();
    for (let i = 0; i + floatsOfHand <= hands.length; i += floatsOfHand)
      this.segments.add(hands.subarray(i, i + 3), hands.subarray(i + 3, i + 6), colour);
    this.segments.finish();
  }

  #placeLabels() {
    const { hands } = this.world.frame ?? { hands: [] };
    const count = Math.floor(hands.length / floatsOfHand);
    while (this.labels.length > count) this.labels.pop().remove();
    while (this.labels.length < count) {
      this.labels.push(el('div', { class: 'force' }));
      this.overlay.append(this.labels[this.labels.length - 1]);
    }
    const { left, top } = this.overlay.getBoundingClientRect();
    this.labels.forEach((label, i) => {
      const hand = hands.subarray(floatsOfHand * i, floatsOfHand * (i + 1));
      const at = this.view.project(hand.subarray(3, 6));
      label.textContent = `${short(Math.hypot(hand[6], hand[7], hand[8]))} N`;
      label.style.transform = `translate(${at.x - left + 12}px, ${at.y - top - 12}px)`;
    });
  }
}
