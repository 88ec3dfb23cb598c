// What is known of the simulated world: its bodies, and where they are in the frame that is shown. Views and layers
// read it. Soft bodies are put in place as a frame comes; everything else is worked out when somebody asks.
import { BodyKind, ProtocolError, readStrain, shortsOf } from './protocol.js';

const floatsOfPose = 7;

export class World {
  hello = null;
  topology = null;
  bodies = [];
  frame = null;  // what is shown
  other = null;  // the frame before or after it: together they tell how fast things are
  isRebuilt = false;  // the bodies are others than those of the frame before
  #part = 0;  // how far the picture is from frame to other, in recordings

  /** True if it is of another scene. The same one greets again when something was set, and keeps its bodies. */
  takeHello(hello) {
    const isOther = hello.scene !== this.hello?.scene;
    this.hello = hello;
    if (!isOther) return false;
    this.#forget();
    this.topology = null;
    this.bodies = [];
    return true;
  }

  takeTopology(topology) {
    const known = new Map(this.bodies.map((body) => [body.name, body]));
    const closed = new Map((this.hello?.strings ?? []).map((string) => [string.name, string.closed]));
    let pose = 0;
    this.bodies = topology.bodies.map((raw) => {
      const body = new Body(raw, closed.get(raw.name) ?? false);
      if (!body.isSoft) body.poseAt = floatsOfPose * pose++;
      body.keepReference(known.get(raw.name));
      return body;
    });
    this.poses = pose;
    this.topology = topology;
    this.layout = shortsOf(this.bodies, (body) => body.vertices);
    this.nodeLayout = shortsOf(this.bodies, (body) => body.nodes.length / 3);
    this.isRebuilt = true;
    this.#forget();
  }

  #forget() {
    this.frame = null;
    this.other = null;
  }

  /** Displacements are measured from the next frame on. */
  forgetReference() {
    for (const body of this.bodies) body.reference = null;
  }

  /**
   * Shows a frame, or what is between it and another.
   * @param {object} frame
   * @param {object|null} other of the same topology
   * @param {number} part 0: as in frame, 1: as in other
   */
  show(frame, other = null, part = 0) {
    this.#check(frame);
    if (other) this.#check(other);
    this.frame = frame;
    this.other = other;
    this.#part = part;
    for (const body of this.bodies) {
      body.isPlaced = false;
      body.strain = undefined;
      if (body.isSoft) this.#place(body);
      else this.#pose(body);
    }
    for (const body of this.bodies) body.reference ??= this.positions(body).slice();
  }

  #check(frame) {
    if (!this.topology || frame.topology !== this.topology.number) throw new ProtocolError('The frame belongs to other bodies.');
    if (frame.poses.length < this.poses * floatsOfPose || frame.points.length < this.layout.end)
      throw new ProtocolError('The frame does not fit the bodies.');
  }

  /** Of the vertices of the surface, in the world: x, y, z of each. */
  positions(body) {
    if (!body.isPlaced) {
      turn(body.local, body.rotation, body.position, body.positions);
      body.isPlaced = true;
    }
    return body.positions;
  }

  /** Metres a second of each vertex; null if there is nothing to compare with. */
  velocities(body) {
    const seconds = this.other ? (this.frame.time - this.other.time) * (1 - this.#part) : 0;
    if (seconds === 0) return null;
    const there = new Float32Array(3 * body.vertices);
    if (body.isSoft) fromGrid(this.other, this.other.points, this.layout.begins[body.index], there);
    else turn(body.local, ...poseIn(this.other, body), there);
    const here = this.positions(body);
    for (let i = 0; i < there.length; ++i) there[i] = (here[i] - there[i]) / seconds;
    return there;
  }

  /** Where the nodes are; null if that was not sent: where they were at rest says nothing. */
  nodes(body) {
    const has = (frame) => frame?.nodes?.length >= this.nodeLayout.end;
    if (!has(this.frame)) return null;
    const begin = this.nodeLayout.begins[body.index];
    body.placedNodes ??= new Float32Array(body.nodes.length);
    fromGrid(this.frame, this.frame.nodes, begin, body.placedNodes);
    if (this.#part > 0 && has(this.other)) {
      body.nodesBetween ??= new Float32Array(body.nodes.length);
      fromGrid(this.other, this.other.nodes, begin, body.nodesBetween);
      goTowards(body.nodesBetween, this.#part, body.placedNodes);
    }
    return body.placedNodes;
  }

  /** {largest, values} of a soft body, if it was sent. */
  strain(body) {
    if (body.strain === undefined) {
      const all = this.frame?.strain ? readStrain(this.frame.strain, this.bodies) : null;
      for (const one of this.bodies) one.strain = all ? all[one.index] : null;
    }
    return body.strain;
  }

  /** {low, high} of a body as it is now. */
  box(body) { return boxOf(this.positions(body)); }

  scalar(name) {
    const at = this.hello?.scalars?.indexOf(name) ?? -1;
    return at >= 0 ? this.frame?.scalars[at] : undefined;
  }

  /** Calls with each contact: its two points (x, y, z each), its normal, and whether two edges touch. */
  eachContact(call) {
    if (!this.frame) return;
    const { low, size, contacts: { count, points, normals } } = this.frame;
    const first = [0, 0, 0];
    const second = [0, 0, 0];
    const normal = [0, 0, 0];
    for (let i = 0; i < count; ++i) {
      for (let k = 0; k < 3; ++k) {
        first[k] = low[k] + (size[k] * points[8 * i + k]) / 65535;
        second[k] = low[k] + (size[k] * points[8 * i + 3 + k]) / 65535;
        normal[k] = normals[16 * i + 12 + k] / 127;
      }
      call(first, second, normal, normals[16 * i + 15] === 1, i);
    }
  }

  #place(body) {
    const begin = this.layout.begins[body.index];
    fromGrid(this.frame, this.frame.points, begin, body.positions);
    if (this.#part > 0 && this.other) {
      body.between ??= new Float32Array(body.positions.length);
      fromGrid(this.other, this.other.points, begin, body.between);
      goTowards(body.between, this.#part, body.positions);
    }
    body.isPlaced = true;
  }

  #pose(body) {
    [body.rotation, body.position] = poseIn(this.frame, body);
    if (this.#part === 0 || !this.other) return;
    const [rotation, position] = poseIn(this.other, body);
    // Straight from turn to turn: between frames they differ by little.
    const sign = rotation.reduce((sum, x, k) => sum + x * body.rotation[k], 0) < 0 ? -1 : 1;
    body.rotation = body.rotation.map((x, k) => x + this.#part * (sign * rotation[k] - x));
    const length = Math.hypot(...body.rotation) || 1;
    body.rotation = body.rotation.map((x) => x / length);
    body.position = body.position.map((x, k) => x + this.#part * (position[k] - x));
  }
}

class Body {
  constructor(raw, isClosed) {
    Object.assign(this, raw);
    this.isSoft = raw.kind === BodyKind.soft;
    this.canMove = raw.kind === BodyKind.soft || raw.kind === BodyKind.rigid;
    this.isString = this.isSoft && raw.triangles.length === 0;
    this.isClosed = isClosed;
    this.positions = new Float32Array(3 * raw.vertices);
    this.isPlaced = false;
    this.rotation = [0, 0, 0, 1];
    this.position = [0, 0, 0];
    this.poseAt = 0;
    this.reference = null;
    this.between = null;  // in the other frame
    this.placedNodes = null;
    this.nodesBetween = null;
    this.strain = undefined;
  }
  // What was fixed or released is still the same body.
  keepReference(known) {
    if (known?.reference?.length === this.positions.length) this.reference = known.reference;
  }
}

function poseIn(frame, body) {
  const at = body.poseAt;
  return [Array.from(frame.poses.subarray(at, at + 4)), Array.from(frame.poses.subarray(at + 4, at + 7))];
}

function fromGrid({ low, size }, shorts, begin, to) {
  const [lx, ly, lz] = low;
  const [sx, sy, sz] = size.map((s) => s / 65535);
  for (let i = 0; i < to.length; i += 3) {
    to[i] = lx + sx * shorts[begin + i];
    to[i + 1] = ly + sy * shorts[begin + i + 1];
    to[i + 2] = lz + sz * shorts[begin + i + 2];
  }
}

function goTowards(there, part, points) {
  for (let i = 0; i < points.length; ++i) points[i] += part * (there[i] - points[i]);
}

function turn(from, [x, y, z, w], [px, py, pz], to) {
  for (let i = 0; i < to.length; i += 3) {
    const [a, b, c] = [from[i], from[i + 1], from[i + 2]];
    const u = 2 * (y * c - z * b);
    const v = 2 * (z * a - x * c);
    const t = 2 * (x * b - y * a);
    to[i] = a + w * u + y * t - z * v + px;
    to[i + 1] = b + w * v + z * u - x * t + py;
    to[i + 2] = c + w * t + x * v - y * u + pz;
  }
}

export function boxOf(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 3)
    for (let k = 0; k < 3; ++k) {
      const x = points[i + k];
      if (x < low[k]) low[k] = x;
      if (x > high[k]) high[k] = x;
    }
  return { low, high };
}
