// How fast points move: a line to where each would be after a short time.
import { Segments, rgb } from '../segments.js';

const mostLines = 5000;
const colours = { dark: [rgb('#3f6f9c'), rgb('#bfe3ff')], light: [rgb('#9cc3e4'), rgb('#0b4f8a')] };

export class VelocitiesLayer {
  constructor({ world, view, options }) {
    this.world = world;
    this.view = view;
    this.options = options;
    this.segments = new Segments({ width: 1.5 });
    this.object = this.segments.object;
  }

  update() {
    const { segments, world, options } = this;
    const moving = world.bodies.filter((body) => body.canMove);
    const count = moving.reduce((sum, body) => sum + body.vertices, 0);
    const stride = Math.max(1, Math.ceil(count / mostLines));
    const shortest = 2 * this.view.pixel();
    const [begin, end] = colours[this.view.theme];
    segments.clear();
    for (const body of moving) {
      const velocities = world.velocities(body);
      if (!velocities) continue;
      const positions = world.positions(body);
      for (let v = 0; v < body.vertices; v += stride) {
        const way = [0, 1, 2].map((k) => options.velocitySeconds * velocities[3 * v + k]);
        if (Math.hypot(...way) < shortest) continue;
        const from = positions.subarray(3 * v, 3 * v + 3);
        segments.add(from, way.map((x, k) => x + from[k]), begin, end);
      }
    }
    segments.finish();
  }
}
