// The box around each body, with its axes along those of the world.
import { BoxLines } from '../box_lines.js';

export class BoxesLayer {
  constructor({ world }) {
    this.world = world;
    this.lines = new BoxLines('#7f93a8', 0.9);
    this.object = this.lines.object;
  }

  update() {
    const boxes = this.world.bodies.map((body) => this.world.box(body));
    this.lines.set(Float32Array.from(boxes.flatMap(({ low, high }) => [...low, ...high])));
  }
}
