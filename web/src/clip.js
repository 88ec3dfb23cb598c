// A recording that is played: which frame is shown when, and what lies between two of them.
import { ProtocolError } from './protocol.js';
import { boxOf } from './world.js';

const samples = 6;
export const clipSpeeds = [0.1, 0.25, 0.5, 1, 2, 4];

export class Clip {
  /**
   * @param {import('./recording.js').Recording} recording
   * @param {import('./stage.js').Stage} stage
   */
  constructor(recording, stage) {
    this.recording = recording;
    this.stage = stage;
    this.time = recording.beginTime;
    this.isPlaying = false;
    this.speed = 1;
    this.isLoop = true;
    this.index = -1;
    this.frames = new Map();  // the two that are in use
    this.topology = null;
    this.last = null;
    this.onChange = () => {};
    this.onFrame = () => {};
    this.onTrouble = () => {};
    this.tick = (now) => this.#tick(now);
    stage.takeHello(recording.hello ?? { strings: [], stages: [], scalars: [] });
    stage.view.tickers.add(this.tick);
    this.#show();
  }

  /** Looks at all that happens, by some of the frames. */
  lookAtAll() {
    const { count, frames } = this.recording;
    const corners = [];
    for (let i = 0; i < samples; ++i) {
      this.seek(frames[Math.round((i / (samples - 1)) * (count - 1))].time);
      const { low, high } = this.stage.boxToSee();
      corners.push(...low, ...high);
    }
    this.seek(this.recording.beginTime);
    this.stage.view.frame(boxOf(corners), true);
  }

  stop() { this.stage.view.tickers.delete(this.tick); }

  play(isPlaying = true) {
    if (isPlaying && this.time >= this.recording.endTime) this.time = this.recording.beginTime;
    this.isPlaying = isPlaying;
    this.last = null;
    this.stage.view.redraw();
    this.onChange();
  }

  seek(time) {
    const { beginTime, endTime } = this.recording;
    this.time = Math.min(Math.max(time, beginTime), endTime);
    this.#show();
  }

  /** From frame to frame. */
  step(by) {
    this.play(false);
    const index = Math.min(Math.max(this.recording.indexAt(this.time) + by, 0), this.recording.count - 1);
    this.seek(this.recording.frames[index].time);
  }

  #tick(now) {
    if (!this.isPlaying) return false;
    const { beginTime, endTime } = this.recording;
    this.time += this.last === null ? 0 : (this.speed * Math.min(now - this.last, 250)) / 1000;
    this.last = now;
    if (this.time >= endTime) {
      if (this.isLoop && endTime > beginTime) this.time = beginTime;
      else {
        this.time = endTime;
        this.isPlaying = false;
      }
    }
    this.#show();
    return this.isPlaying;
  }

  // Bytes that were well kept may still hold nonsense: then the film stands still.
  #show() {
    try {
      this.#put();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.isPlaying = false;
      this.onTrouble(error);
    }
    this.onChange();
  }

  #put() {
    const { recording, stage } = this;
    const index = recording.indexAt(this.time);
    const place = recording.frames[index].topology;
    if (place !== this.topology) {
      stage.takeTopology(recording.topologyOf(index));
      this.topology = place;
    }
    const isSame = (i) => i >= 0 && i < recording.count && recording.frames[i].topology === place;
    const other = isSame(index + 1) ? index + 1 : isSame(index - 1) ? index - 1 : null;
    const [begin, end] = [recording.frames[index].time, other === null ? 0 : recording.frames[other].time];
    const part = other === index + 1 && end > begin ? (this.time - begin) / (end - begin) : 0;
    stage.show(this.#frame(index), other === null ? null : this.#frame(other), part);
    for (const kept of this.frames.keys()) if (kept !== index && kept !== other) this.frames.delete(kept);
    if (index !== this.index) this.onFrame(stage.world.frame);
    this.index = index;
  }

  #frame(index) {
    if (!this.frames.has(index)) this.frames.set(index, this.recording.frame(index));
    return this.frames.get(index);
  }
}
