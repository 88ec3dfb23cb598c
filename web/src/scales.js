// What bodies can be coloured by. A scale gives each vertex a number; the legend tells what the colours stand for.
import { tableOf } from './colours.js';
import { edgeLength, gapsOf } from './nearness.js';

export const scales = [
  { key: 'body', label: 'Body' },
  { key: 'displacement', label: 'Displacement', unit: 'm', ramp: 'viridis', measure: displacements },
  { key: 'strain', label: 'Strain energy', unit: 'J/m³', ramp: 'inferno', needs: 'strain', measure: strains },
  { key: 'nearness', label: 'Gap at contacts', unit: 'm', ramp: 'inferno', isReversed: true, measure: gaps },
];

export class Painter {
  constructor(world, bodies) {
    this.world = world;
    this.bodies = bodies;
    this.scale = scales[0];
    this.most = 0;
    this.tables = new Map();
    this.onLegend = () => {};
  }

  choose(key) {
    this.scale = scales.find((scale) => scale.key === key) ?? scales[0];
    this.startAgain();
    this.update();
  }

  /** The end of the scale was that of another run. */
  startAgain() { this.most = 0; }

  update() {
    const { scale, world } = this;
    if (!scale.measure) {
      for (const shape of this.bodies.shapes) shape.paint(null);
      this.onLegend(null);
      return;
    }
    if (!world.frame) return;
    const { values, most } = scale.measure(world);
    // The end goes up at once and down slowly: colours should not flicker.
    this.most = Math.max(most, 0.98 * this.most);
    const factor = this.most > 0 ? 1 / this.most : 0;
    this.bodies.shapes.forEach((shape, i) => shape.paint(this.#parts(values[i], factor), this.#table()));
    this.onLegend({ ...scale, most: this.most });
  }

  #parts(values, factor) {
    const parts = new Float32Array(values.length);
    for (let v = 0; v < values.length; ++v) {
      if (values[v] < 0) parts[v] = -1;
      else parts[v] = this.scale.isReversed ? Math.max(0, 1 - values[v] * factor) : Math.min(1, values[v] * factor);
    }
    return parts;
  }

  #table() {
    const { ramp } = this.scale;
    if (!this.tables.has(ramp)) this.tables.set(ramp, tableOf(ramp));
    return this.tables.get(ramp);
  }
}

const none = (body) => new Float32Array(body.vertices).fill(-1);

function displacements(world) {
  let most = 0;
  const values = world.bodies.map((body) => {
    if (!body.canMove || !body.reference) return none(body);
    const now = world.positions(body);
    const before = body.reference;
    const lengths = new Float32Array(body.vertices);
    for (let v = 0; v < lengths.length; ++v) {
      const i = 3 * v;
      lengths[v] = Math.hypot(now[i] - before[i], now[i + 1] - before[i + 1], now[i + 2] - before[i + 2]);
      if (lengths[v] > most) most = lengths[v];
    }
    return lengths;
  });
  return { values, most };
}

function strains(world) {
  let most = 0;
  const values = world.bodies.map((body) => {
    const strain = world.strain(body);
    if (!strain) return none(body);
    most = Math.max(most, strain.largest);
    return Float32Array.from(strain.values, (value) => (strain.largest * value) / 65535);
  });
  return { values, most };
}

function gaps(world) {
  const touches = [];
  world.eachContact((first, second) => {
    const gap = Math.hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
    touches.push({ point: [...first], gap }, { point: [...second], gap });
  });
  const distance = world.hello?.contact_distance ?? 0;
  const values = world.bodies.map((body) => {
    if (!body.canMove) return none(body);
    const positions = world.positions(body);
    const reach = Math.max(distance, 0.8 * edgeLength(positions, body.triangles));
    return gapsOf(positions, touches, reach, world.box(body));
  });
  return { values, most: distance };
}
