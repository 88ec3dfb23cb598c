// The region of interest: where the boxes of two bodies, each enlarged by half the contact distance, overlap. Only
// there do contacts have to be looked for.
import { BoxLines } from '../box_lines.js';

const most = 4096;

export class RegionLayer {
  constructor({ world }) {
    this.world = world;
    this.lines = new BoxLines('#e8a33d');
    this.object = this.lines.object;
  }

  update() {
    const half = (this.world.hello?.contact_distance ?? 0) / 2;
    const boxes = this.world.bodies.map((body) => {
      const { low, high } = this.world.box(body);
      return { low: low.map((x) => x - half), high: high.map((x) => x + half), canMove: body.canMove };
    });
    this.lines.set(Float32Array.from(overlaps(boxes)));
  }
}

// From left to right: of the boxes that begin further to the right, those that begin behind this one's end.
function overlaps(boxes) {
  const sorted = [...boxes].sort((a, b) => a.low[0] - b.low[0]);
  const found = [];
  for (let i = 0; i < sorted.length; ++i)
    for (let j = i + 1; j < sorted.length && sorted[j].low[0] <= sorted[i].high[0]; ++j) {
      const [a, b] = [sorted[i], sorted[j]];
      if (!a.canMove && !b.canMove) continue;
      const low = a.low.map((x, k) => Math.max(x, b.low[k]));
      const high = a.high.map((x, k) => Math.min(x, b.high[k]));
      if (low.some((x, k) => x > high[k])) continue;
      found.push(...low, ...high);
      if (found.length >= 6 * most) return found;
    }
  return found;
}
