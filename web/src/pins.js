// Pins of rigid bodies that were set here: the stream does not tell of them. Those of soft bodies are fixed nodes.

export class Pins {
  constructor() {
    this.points = new Map();  // from the names of bodies to points in the world: a pin does not move
  }
  has(name) { return this.points.has(name); }
  set(name, point) { this.points.set(name, point.toArray()); }
  delete(name) { this.points.delete(name); }
  clear() { this.points.clear(); }
  /** x, y, z of each. */
  places() { return [...this.points.values()].flat(); }
}
