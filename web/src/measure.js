// The panel of charts: what a step costs, how much touches, how exact it is, where the energy is.
import { Chart } from './chart.js';
import { el } from './dom.js';
import { short } from './format.js';
import { History } from './history.js';

const pause = 100;  // [ms] between two updates
const stageColours = ['#8f7bd0', '#3b87c8', '#d9795d', '#e8a33d', '#4fb3bf', '#b5a642', '#c66fa0', '#6f8fa6'];
const marks = [{ at: 16.7, label: '16.7 ms' }, { at: 1, label: '1 ms' }];
const energies = ['kinetic', 'elastic', 'potential', 'contact_energy'];

export class MeasurePanel {
  constructor() {
    this.history = new History();
    this.spread = Object.fromEntries(['p50', 'p99', 'worst'].map((name) => [name, el('dd', {})]));
    this.charts = [];
    this.list = el('div', {});
    this.element = el('div', { class: 'measure' },
      el('dl', { class: 'spread' }, ...Object.entries(this.spread).map(([name, value]) => el('div', {}, el('dt', {}, name), value))),
      this.list);
    this.isShown = false;
  }

  takeHello({ stages = [], scalars = [] }) {
    this.history.clear();
    this.scalars = scalars;
    const at = (names) => names.map((name) => scalars.indexOf(name)).filter((place) => place >= 0);
    const chart = (options, list, places) => ({ chart: new Chart(options), list, places });
    const lines = (title, names, colours, more = {}) =>
      chart({ title, names: names.map(nameOf), colours, ...more }, 'scalars', at(names));
    this.charts = [
      chart({ title: 'A step [ms]', names: stages, colours: stages.map((_, i) => stageColours[i % stageColours.length]), isStacked: true, marks, unit: 'ms' },
        'stages', stages.map((_, i) => i)),
      lines('Contacts', ['contacts', 'pushing'], ['#3b87c8', '#e8a33d']),
      lines('Residual [m]', ['residual'], ['#8f7bd0'], { isLog: true }),
      lines('Energies [J]', energies, ['#3b87c8', '#e8a33d', '#8f7bd0', '#d9795d']),
    ].filter(({ places }) => places.length > 0);
    this.list.replaceChildren(...this.charts.map(({ chart: { element } }) => element));
  }

  add(frame) {
    this.history.add(frame, frame.scalars[this.scalars?.indexOf('step_ms')] ?? null);
    this.refresh();
  }

  setShown(isShown) {
    this.isShown = isShown;
    this.refresh();
  }

  setTheme() {
    for (const { chart } of this.charts) chart.redraw();
  }

  refresh() {
    if (!this.isShown || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.#draw();
    }, pause);
  }

  #draw() {
    const { history } = this;
    if (!this.isShown || history.steps.length === 0) return;
    const spread = History.spread(history.whole);
    for (const [name, value] of Object.entries(this.spread)) value.textContent = `${short(spread[name])} ms`;
    for (const { chart, list, places } of this.charts)
      chart.show(list === 'stages' ? history.steps : history.frames, places.map((at) => history.column(history[list], at)));
  }
}

const nameOf = (name) => name.replace('_energy', '').replaceAll('_', ' ');
