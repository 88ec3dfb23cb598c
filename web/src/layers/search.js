// What the search for contacts goes through: boxes of its tree at a depth, or cells of its grid, as the server sends them.
import { BoxLines } from '../box_lines.js';

export class SearchLayer {
  constructor({ world }) {
    this.world = world;
    this.lines = new BoxLines('#56b4c9', 0.75);
    this.object = this.lines.object;
  }

  update() { this.lines.set(this.world.frame?.boxes ?? new Float32Array(0)); }
}
