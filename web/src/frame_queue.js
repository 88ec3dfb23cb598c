// Frames as they come from the server: the newest is shown with the next picture, those in between are passed over.

export class FrameQueue {
  /** @param {import('./stage.js').Stage} stage @param {(error: Error) => void} onTrouble */
  constructor(stage, onTrouble) {
    this.stage = stage;
    this.onTrouble = onTrouble;
    this.pending = null;
    this.first = null;  // of a run that began anew: displacements count from it
    this.newest = -1;
    this.times = [];  // when frames were shown, in the last second
    this.onShown = () => {};
    stage.view.tickers.add((now) => this.#tick(now));
  }

  add(frame) {
    if (frame.step < this.newest) this.first = frame;
    this.newest = frame.step;
    this.pending = frame;
    this.stage.view.redraw();
  }

  /** What waits is of bodies that are gone. */
  clear() {
    this.pending = null;
    this.first = null;
  }

  get rate() {
    const now = performance.now();
    return this.times.filter((time) => now - time < 1000).length;
  }

  #tick(now) {
    const frame = this.pending;
    if (!frame) return false;
    this.pending = null;
    const { world } = this.stage;
    if (frame.topology !== world.topology?.number) return false;  // its topology is on the way
    try {
      const isAnew = this.first?.topology === frame.topology;
      if (isAnew) {
        this.stage.restart();
        world.show(this.first);
      }
      this.first = null;
      const before = isAnew ? null : world.frame;
      // The same step again brings what was wanted since; speeds need two different ones.
      const other = before && before.time < frame.time ? before : before?.time === frame.time ? world.other : null;
      this.stage.show(frame, other);
    } catch (error) {
      this.onTrouble(error);
      return false;
    }
    this.times = [...this.times.filter((time) => now - time < 1000), now];
    this.onShown(frame);
    return false;
  }
}
