// A world and how it is drawn, put together: the live page and the player of reports both have one.
import { Bodies } from './bodies.js';
import { Layers } from './layers.js';
import { Painter } from './scales.js';
import { View } from './view.js';
import { World, boxOf } from './world.js';

export class Stage {
  /**
   * @param {HTMLElement} host is filled by the picture
   * @param {HTMLElement} overlay lies over it, for labels
   * @param {{places: () => number[]}|null} pins
   */
  constructor(host, overlay, pins = null) {
    this.world = new World();
    this.view = new View(host);
    this.bodies = new Bodies(this.view, this.world);
    this.painter = new Painter(this.world, this.bodies);
    this.layers = new Layers({
      world: this.world, view: this.view, bodies: this.bodies, painter: this.painter, overlay, pins,
    });
    this.isNew = true;  // the camera has not looked at it yet
  }

  /** True if it is of another scene. */
  takeHello(hello) {
    const isOther = this.world.takeHello(hello);
    if (isOther) {
      this.isNew = true;
      this.painter.startAgain();
    }
    return isOther;
  }

  takeTopology(topology) { this.world.takeTopology(topology); }

  /** See World.show(). */
  show(frame, other = null, part = 0) {
    const { world } = this;
    world.show(frame, other, part);
    if (world.isRebuilt) {
      this.bodies.rebuild();
      world.isRebuilt = false;
    }
    if (this.isNew) this.#look();
    this.bodies.update();
    this.painter.update();
    this.layers.update();
    this.view.redraw();
  }

  /** It began anew: displacements count from now, and scales start again. */
  restart() {
    this.world.forgetReference();
    this.painter.startAgain();
  }

  clear() {
    this.world.takeHello({ scene: null, strings: [] });
    this.bodies.rebuild();
    this.layers.update();
    this.isNew = true;
    this.view.redraw();
  }

  frameAll() { this.view.frame(this.boxToSee()); }

  setTheme(theme) {
    this.view.setTheme(theme);
    this.bodies.setLook({});
    if (this.world.frame) {
      this.painter.update();
      this.layers.update();
    }
  }

  #look() {
    const { low, high } = this.#boxOf(this.world.bodies);
    this.view.ground.setHeight(low[2] - 1e-3 * (high[2] - low[2]));
    this.view.frame(this.boxToSee(), true);
    this.isNew = false;
  }

  /** Everything; but of a floor that is far larger than what moves on it, only the part around that. */
  boxToSee() {
    const all = this.#boxOf(this.world.bodies);
    const moving = this.#boxOf(this.world.bodies.filter((body) => body.canMove));
    const size = ({ low, high }) => Math.hypot(...low.map((x, k) => high[k] - x));
    if (!(size(moving) > 0) || size(all) < 1.6 * size(moving)) return all;
    const more = 0.2 * size(moving);
    return {
      low: moving.low.map((x, k) => Math.max(all.low[k], x - more)),
      high: moving.high.map((x, k) => Math.min(all.high[k], x + more)),
    };
  }

  #boxOf(bodies) {
    const corners = bodies.flatMap((body) => {
      const { low, high } = this.world.box(body);
      return [...low, ...high];
    });
    return boxOf(corners);
  }
}
