// Reads the messages of the stream (docs/protocol.md). They come from a wire or a file: whatever does not add up
// throws a ProtocolError, and no length is trusted before it was compared with the bytes that there are.

export const Kind = {
  hello: 1, topology: 2, frame: 3, answer: 4, state: 5, command: 6, scene: 7, snapshot: 8,
  status: 9, parameters: 10, gallery: 11, index: 255,
};
export const BodyKind = { static: 0, kinematic: 1, rigid: 2, soft: 3 };

const Tag = { poses: 1, points: 2, contacts: 3, stages: 4, scalars: 5, hands: 6, nodes: 7, strain: 8, boxes: 9, steps: 10 };
const jsonKinds = new Set([Kind.hello, Kind.answer, Kind.status, Kind.parameters, Kind.gallery]);
const bytesOfContact = 16;

export class ProtocolError extends Error {}

/** A reader that goes through bytes from front to back. `bytes` must begin at a multiple of four of its buffer. */
class Cursor {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  left() { return this.bytes.byteLength - this.at; }
  need(size) {
    if (!(size <= this.left())) throw new ProtocolError(`The message ends too early: ${size} bytes expected, ${this.left()} left.`);
  }
  skip(size) {
    this.need(size);
    this.at += size;
    return this.at - size;
  }
  pad() { this.at = Math.min((this.at + 3) & ~3, this.bytes.byteLength); }
  u32() { return this.view.getUint32(this.skip(4), true); }
  u64() { return Number(this.view.getBigUint64(this.skip(8), true)); }
  f64() { return this.view.getFloat64(this.skip(8), true); }
  point() { return [this.f64(), this.f64(), this.f64()]; }
  text(size) { return new TextDecoder().decode(this.bytes.subarray(this.skip(size), this.at)); }
  /** A view of `count` numbers, without a copy. */
  list(Type, count) {
    const at = this.skip(count * Type.BYTES_PER_ELEMENT);
    return new Type(this.bytes.buffer, this.bytes.byteOffset + at, count);
  }
}

// Typed arrays need their place to be a multiple of four; messages inside of files are anywhere.
function aligned(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  return bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
}

/** {kind, value}; value is null of kinds that this page does not need. */
export function readMessage(data) {
  const bytes = aligned(data);
  if (bytes.byteLength === 0) throw new ProtocolError('The message is empty.');
  const kind = bytes[0];
  if (kind === Kind.topology) return { kind, value: readTopology(bytes) };
  if (kind === Kind.frame) return { kind, value: readFrame(bytes) };
  return { kind, value: jsonKinds.has(kind) ? readJson(bytes) : null };
}

function readJson(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
  } catch {
    throw new ProtocolError('The message is not JSON.');
  }
}

export function readTopology(data) {
  const in_ = new Cursor(aligned(data));
  in_.skip(4);
  const number = in_.u32();
  const count = in_.u32();
  in_.need(count * 28);  // so that a wrong count does not make us loop for long
  const bodies = [];
  for (let i = 0; i < count; ++i) bodies.push(readBody(in_, i));
  return { number, bodies };
}

function readBody(in_, index) {
  const kind = in_.u32();
  if (kind > BodyKind.soft) throw new ProtocolError(`There is no kind ${kind} of bodies.`);
  const bytesOfName = in_.u32();
  const [vertices, triangles, nodes, tetrahedra, fixed] = [in_.u32(), in_.u32(), in_.u32(), in_.u32(), in_.u32()];
  const name = in_.text(bytesOfName);
  in_.pad();
  const body = {
    index, kind, name, vertices,
    local: kind === BodyKind.soft ? null : in_.list(Float32Array, 3 * vertices),
    triangles: in_.list(Uint32Array, 3 * triangles),
    nodes: in_.list(Float32Array, 3 * nodes),
    tetrahedra: in_.list(Uint32Array, 4 * tetrahedra),
    fixed: in_.list(Uint32Array, fixed),
  };
  allBelow(body.triangles, vertices, 'triangle');
  allBelow(body.tetrahedra, nodes, 'tetrahedron');
  allBelow(body.fixed, nodes, 'list of fixed nodes');
  return body;
}

function allBelow(list, limit, what) {
  for (let i = 0; i < list.length; ++i)
    if (list[i] >= limit) throw new ProtocolError(`A ${what} names the point ${list[i]} of ${limit}.`);
}

export function readFrame(data) {
  const in_ = new Cursor(aligned(data));
  in_.skip(4);
  const frame = {
    topology: in_.u32(), step: in_.u64(), time: in_.f64(), low: in_.point(), size: in_.point(),
    poses: new Float32Array(0), points: new Uint16Array(0), contacts: noContacts, stages: new Float32Array(0),
    scalars: new Float32Array(0), hands: new Float32Array(0), nodes: null, strain: null, boxes: null,
    steps: noSteps,
  };
  while (in_.left() >= 8) {
    const tag = in_.u32();
    const size = in_.u32();
    in_.need(size);
    readSection(frame, tag, new Cursor(in_.bytes.subarray(in_.at, in_.at + size)));
    in_.skip(size);
    in_.pad();
  }
  return frame;
}

const noSteps = { leftOut: 0, list: [] };
const noContacts = { count: 0, points: new Uint16Array(0), normals: new Int8Array(0) };

function readSection(frame, tag, in_) {
  const floats = () => in_.list(Float32Array, in_.left() >> 2);
  const shorts = () => in_.list(Uint16Array, in_.left() >> 1);
  if (tag === Tag.poses) frame.poses = floats();
  else if (tag === Tag.points) frame.points = shorts();
  else if (tag === Tag.contacts) frame.contacts = readContacts(in_);
  else if (tag === Tag.stages) frame.stages = floats();
  else if (tag === Tag.scalars) frame.scalars = floats();
  else if (tag === Tag.hands) frame.hands = floats();
  else if (tag === Tag.nodes) frame.nodes = shorts();
  else if (tag === Tag.strain) frame.strain = in_.bytes;
  else if (tag === Tag.boxes) frame.boxes = floats();
  else if (tag === Tag.steps) frame.steps = readSteps(in_, frame.step);
}

// What each of them took. How many stages there are is seen from the size.
function readSteps(in_, now) {
  const leftOut = in_.u32();
  const count = in_.u32();
  const stages = count > 0 ? in_.left() / 4 / count - 2 : 0;
  if (!Number.isInteger(stages) || stages < 0 || (count === 0 && in_.left() > 0)) throw new ProtocolError(`${count} steps do not fit into ${in_.left()} bytes.`);
  const list = [];
  let last = -1;
  for (let i = 0; i < count; ++i) {
    const step = now - in_.u32();
    if (step <= last) throw new ProtocolError('Steps are not in their order.');
    list.push({ step, stages: in_.list(Float32Array, stages), whole: in_.list(Float32Array, 1)[0] });
    last = step;
  }
  return { leftOut, list };
}

// Two views of the same bytes: of each contact eight shorts, of which six are points; and sixteen bytes, of which
// number 12 to 14 are the normal and 15 is the kind.
function readContacts(in_) {
  const count = Math.floor(in_.left() / bytesOfContact);
  const at = in_.bytes.byteOffset;
  return {
    count,
    points: new Uint16Array(in_.bytes.buffer, at, 8 * count),
    normals: new Int8Array(in_.bytes.buffer, at, bytesOfContact * count),
  };
}

/** Where the points of each soft body begin in a list of shorts (sections points and nodes), and where they end. */
export function shortsOf(bodies, countOf) {
  let at = 0;
  const begins = bodies.map((body) => {
    const begin = at;
    if (body.kind === BodyKind.soft) at += (3 * countOf(body) + 1) & ~1;
    return begin;
  });
  return { begins, end: at };
}

/** Of each soft body {largest, values}; of others null. Null if the section does not fit the bodies. */
export function readStrain(bytes, bodies) {
  try {
    const in_ = new Cursor(bytes);
    return bodies.map((body) => {
      if (body.kind !== BodyKind.soft) return null;
      const largest = in_.list(Float32Array, 1)[0];
      const values = in_.list(Uint16Array, body.vertices);
      in_.pad();
      return { largest, values };
    });
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}
