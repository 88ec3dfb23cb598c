// The bar under a running world.
import { el, iconButton } from './dom.js';
import { seconds, short } from './format.js';
import { icon } from './icons.js';

const speeds = [[0.1, '0.1×'], [0.25, '0.25×'], [0.5, '0.5×'], [1, '1×'], [2, '2×'], [0, 'as fast as possible']];

export class LiveBar {
  /** @param {Record<string, Function>} actions toggle, step, reset, speed, record */
  constructor(actions) {
    this.play = iconButton(icon('play'), 'Play', actions.toggle, { key: 'Space', class: 'icon-button main' });
    this.speed = el('select', { 'aria-label': 'Speed', title: 'Speed', onchange: () => actions.speed(Number(this.speed.value)) },
      ...speeds.map(([value, label]) => el('option', { value }, label)));
    this.record = iconButton(icon('record'), 'Record from the beginning', actions.record, { class: 'icon-button record' });
    this.step = el('span', { class: 'readout' });
    this.time = el('span', { class: 'readout' });
    this.rate = el('span', { class: 'readout quiet', title: 'Frames shown in a second' });
    this.recording = el('span', { class: 'readout recording', hidden: true }, 'recording');
    this.element = el('div', { class: 'play-bar panel', role: 'toolbar', 'aria-label': 'Simulation' },
      iconButton(icon('reset'), 'Reset', actions.reset, { key: 'R' }), this.play,
      iconButton(icon('step'), 'One step', actions.step, { key: '.' }),
      this.speed, el('span', { class: 'line' }), this.step, this.time, this.rate, el('span', { class: 'line' }),
      this.record, this.recording);
  }

  setStatus(status) {
    const name = status.playing ? 'Pause' : 'Play';
    this.play.replaceChildren(icon(status.playing ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', name);
    this.play.title = `${name} (Space)`;
    if (document.activeElement !== this.speed) this.#setSpeed(status.speed);
    const { recording } = status;
    const label = recording ? 'Stop and save the recording' : 'Record from the beginning';
    this.record.replaceChildren(icon(recording ? 'stop' : 'record'));
    this.record.title = label;
    this.record.setAttribute('aria-label', label);
    this.record.setAttribute('aria-pressed', !!recording);
    this.recording.hidden = !recording;
  }

  // Somebody else may have chosen one that is not in the list.
  #setSpeed(speed) {
    if (![...this.speed.options].some((option) => Number(option.value) === speed))
      this.speed.append(el('option', { value: speed }, `${short(speed)}×`));
    this.speed.value = String(speed);
  }

  setFrame({ step, time }, rate) {
    this.step.textContent = `step ${step}`;
    this.time.textContent = seconds(time);
    this.rate.textContent = `${Math.round(rate)} fps`;
  }
}
