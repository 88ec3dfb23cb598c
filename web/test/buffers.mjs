// Messages and recordings made by hand, from docs/protocol.md.
import { crc32 } from '../src/crc32.js';

/** Collects numbers, low byte first. */
class Put {
  bytes = [];
  #number(size, set) {
    const view = new DataView(new ArrayBuffer(size));
    set(view);
    this.bytes.push(...new Uint8Array(view.buffer));
    return this;
  }
  u8(...values) { this.bytes.push(...values); return this; }
  u16(...values) { for (const x of values) this.#number(2, (v) => v.setUint16(0, x, true)); return this; }
  u32(...values) { for (const x of values) this.#number(4, (v) => v.setUint32(0, x, true)); return this; }
  u64(...values) { for (const x of values) this.#number(8, (v) => v.setBigUint64(0, BigInt(x), true)); return this; }
  f32(...values) { for (const x of values) this.#number(4, (v) => v.setFloat32(0, x, true)); return this; }
  f64(...values) { for (const x of values) this.#number(8, (v) => v.setFloat64(0, x, true)); return this; }
  text(value) { this.bytes.push(...new TextEncoder().encode(value)); return this; }
  pad() { while (this.bytes.length % 4) this.bytes.push(0); return this; }
  section(tag, fill) {
    const inner = new Put();
    fill(inner);
    this.u32(tag, inner.bytes.length);
    this.bytes.push(...inner.bytes);
    return this.pad();
  }
  done() { return Uint8Array.from(this.bytes); }
}

export const hello = () => new Put().u8(1).text(JSON.stringify({ protocol: 1, scene: 'two', stages: ['solve'], scalars: ['step_ms'], strings: [] })).done();

/** A rigid triangle and a soft one; the soft one has three vertices, four nodes and one tetrahedron. */
export function topology(number = 1) {
  return new Put().u8(2).pad().u32(number, 2)
    .u32(2, 5, 3, 1, 0, 0, 0).text('plate').pad().f32(0, 0, 0, 1, 0, 0, 0, 1, 0).u32(0, 1, 2)
    .u32(3, 3, 3, 1, 4, 1, 1).text('gel').pad().u32(0, 1, 2).f32(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1).u32(0, 1, 2, 3).u32(2)
    .done();
}

/**
 * `nodes`: whole numbers from 0 to 65535, three for each of the four; left out: frames do not tell.
 * `told`: what the steps took that it tells of: [how many before its own, stage, whole], after `leftOut` others.
 */
export function frame(step, { number = 1, time = step / 60, nodes = null, told = [], leftOut = 0 } = {}) {
  const put = new Put().u8(3).pad().u32(number).u64(step).f64(time, 0, 0, 0, 1, 2, 4)
    .section(1, (put) => put.f32(0, 0, 0, 1, 0, 0, step))
    .section(2, (put) => put.u16(0, 0, 0, 65535, 0, 0, 0, 65535, 65535).pad())
    .section(99, (put) => put.u8(1, 2, 3))  // nobody knows it
    .section(3, (put) => put.u16(0, 0, 0, 65535, 65535, 65535).u8(0, 0, 127, 1))
    .section(4, (put) => put.f32(1.5))
    .section(5, (put) => put.f32(2.5));
  if (nodes) put.section(7, (inner) => inner.u16(...nodes).pad());
  put.section(8, (inner) => inner.f32(100).u16(0, 32768, 65535).pad());
  if (told.length > 0)
    put.section(10, (inner) => {
      inner.u32(leftOut, told.length);
      for (const [before, stage, whole] of told) inner.u32(before).f32(stage, whole);
    });
  return put.done();
}

/** The messages as a file. */
export function recording(messages) {
  const put = new Put().u8(0x89, 0x50, 0x4c, 0x50, 0x0d, 0x0a, 0x1a, 0x0a).u32(1, 0);
  for (const message of messages) {
    put.u32(message.length, crc32(message));
    put.bytes.push(...message);
  }
  return put.done();
}

/** Numbers that look random and are the same every time. */
export function noise(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
