// The numbers of the last frames.
const most = 600;

export class History {
  constructor() { this.clear(); }

  clear() {
    this.steps = [];
    this.stages = [];  // of each frame an array [ms]
    this.scalars = [];
  }

  add(frame) {
    const last = this.steps[this.steps.length - 1];
    if (frame.step < last) this.clear();
    if (frame.step === last) return;
    this.steps.push(frame.step);
    this.stages.push(frame.stages);
    this.scalars.push(frame.scalars);
    if (this.steps.length <= most) return;
    this.steps.shift();
    this.stages.shift();
    this.scalars.shift();
  }

  /** One number of each frame. */
  column(list, at) { return list.map((row) => row[at] ?? null); }

  /** Of numbers: the middle one, that of which 1 % are larger, and the largest. */
  static spread(values) {
    const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    return { p50: at(0.5), p99: at(0.99), worst: sorted[sorted.length - 1] };
  }
}
