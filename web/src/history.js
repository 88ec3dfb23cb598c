// The numbers of the last steps. What a step took is known of all of them, whether they were shown or not; what else there is
// to tell is known of those that were shown: the frames.
const mostFrames = 600;
const mostSteps = 6000;

export class History {
  constructor() { this.clear(); }

  clear() {
    this.steps = [];
    this.stages = [];  // of each step an array [ms]
    this.whole = [];  // of each step [ms]
    this.frames = [];  // the steps that were shown
    this.scalars = [];  // of each frame
  }

  /** @param {number|null} whole what the step of the frame took [ms], for frames that tell of no steps: those of recordings */
  add(frame, whole = null) {
    const last = this.frames[this.frames.length - 1] ?? -1;
    if (frame.step < last) this.clear();
    if (frame.step === last) return;
    this.frames.push(frame.step);
    this.scalars.push(frame.scalars);
    const told = frame.steps?.list ?? [];
    // Before step 1 nothing took any time.
    for (const one of told.length > 0 || frame.step === 0 ? told : [{ step: frame.step, stages: frame.stages, whole }]) this.#addStep(one);
    this.#forget();
  }

  #addStep({ step, stages, whole }) {
    if (step <= (this.steps[this.steps.length - 1] ?? -1)) return;
    this.steps.push(step);
    this.stages.push(stages);
    this.whole.push(whole);
  }

  // Steps go with the frame that told of them.
  #forget() {
    let oldest = this.frames.length > mostFrames ? this.frames[this.frames.length - mostFrames - 1] + 1 : 0;
    if (this.steps.length > mostSteps) oldest = Math.max(oldest, this.steps[this.steps.length - mostSteps]);
    const dropBefore = (numbers, ...lists) => {
      const count = numbers.findIndex((number) => number >= oldest);
      if (count > 0) for (const list of [numbers, ...lists]) list.splice(0, count);
    };
    dropBefore(this.frames, this.scalars);
    dropBefore(this.steps, this.stages, this.whole);
  }

  /** One number of each row. */
  column(list, at) { return list.map((row) => row[at] ?? null); }

  /** Of numbers: the middle one, that of which 1 % are larger, and the largest. */
  static spread(values) {
    const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    return { p50: at(0.5), p99: at(0.99), worst: sorted[sorted.length - 1] };
  }
}
