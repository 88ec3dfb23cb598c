// Reads a recording from its bytes. Messages are looked up from front to back, and the first that is not whole ends
// the film: so one that was cut off plays as far as it goes. The index at the end of the file is not needed.
import { Kind, ProtocolError, readFrame, readMessage, readTopology } from './protocol.js';
import { crc32 } from './crc32.js';

const magic = [0x89, 0x50, 0x4c, 0x50, 0x0d, 0x0a, 0x1a, 0x0a];
const version = 1;
const bytesOfHeader = 16;
const bytesBeforeMessage = 8;
const bytesOfFrameHead = 24;  // kind, pad, topology, step, time

export class Recording {
  /** @param {Uint8Array} bytes throws ProtocolError if this is no recording, or has nothing to show */
  constructor(bytes) {
    if (bytes.length < bytesOfHeader || magic.some((byte, i) => bytes[i] !== byte))
      throw new ProtocolError('This is not a recording of Palpate.');
    const found = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
    if (found !== version) throw new ProtocolError(`The recording has version ${found}; this page reads version ${version}.`);
    this.bytes = bytes;
    this.hello = null;
    this.frames = [];  // {begin, end, step, time, topology: place in topologies}
    this.topologies = [];  // {begin, end, number, value}
    this.isWhole = false;
    this.#scan();
    if (this.frames.length === 0) throw new ProtocolError('The recording has no frame that is whole.');
  }

  get count() { return this.frames.length; }
  get beginTime() { return this.frames[0].time; }
  get endTime() { return this.frames[this.count - 1].time; }

  /** What frames have besides, as the first one has it. Nonsense has nothing; whoever shows it tells that. */
  get tells() {
    try {
      const { nodes, strain, boxes } = this.frame(0);
      return { nodes: nodes !== null, strain: strain !== null, boxes: boxes !== null };
    } catch (error) {
      if (error instanceof ProtocolError) return {};
      throw error;
    }
  }

  /** The last frame that is not after the time. */
  indexAt(time) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].time <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  frame(index) {
    const { begin, end } = this.frames[index];
    return readFrame(this.bytes.slice(begin, end));
  }

  topologyOf(index) {
    const place = this.topologies[this.frames[index].topology];
    place.value ??= readTopology(this.bytes.slice(place.begin, place.end));
    return place.value;
  }

  #scan() {
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    let at = bytesOfHeader;
    while (at + bytesBeforeMessage < this.bytes.length) {
      const size = view.getUint32(at, true);
      const begin = at + bytesBeforeMessage;
      const end = begin + size;
      if (size === 0 || end > this.bytes.length) return;
      if (crc32(this.bytes, begin, end) !== view.getUint32(at + 4, true)) return;
      if (!this.#take(view, begin, end)) return;
      at = end;
    }
  }

  // False: this and what follows cannot be used.
  #take(view, begin, end) {
    const kind = this.bytes[begin];
    if (kind === Kind.index) {
      this.isWhole = true;
      return false;
    }
    try {
      if (kind === Kind.hello) this.hello = readMessage(this.bytes.slice(begin, end)).value;
    } catch {
      return false;
    }
    if (kind === Kind.topology) {
      if (end - begin < 8) return false;
      this.topologies.push({ begin, end, number: view.getUint32(begin + 4, true), value: null });
    }
    if (kind === Kind.frame) {
      if (end - begin < bytesOfFrameHead) return false;
      const number = view.getUint32(begin + 4, true);
      const topology = this.topologies.findLastIndex((one) => one.number === number);
      if (topology < 0) return false;
      const step = Number(view.getBigUint64(begin + 8, true));
      this.frames.push({ begin, end, step, time: view.getFloat64(begin + 16, true), topology });
    }
    return true;
  }
}
