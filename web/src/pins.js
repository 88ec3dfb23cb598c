// Pins of rigid bodies, as the server tells them. Those of soft bodies are fixed nodes.

export class Pins {
  constructor() {
    this.points = new Map();  // from the names of bodies to points in the world: a pin does not move
  }
  has(name) { return this.points.has(name); }
  /** @param {{body: string, at: number[]}[]} pins */
  show(pins) { this.points = new Map(pins.map(({ body, at }) => [body, at])); }
  clear() { this.points.clear(); }
  /** x, y, z of each. */
  places() { return [...this.points.values()].flat(); }
}
