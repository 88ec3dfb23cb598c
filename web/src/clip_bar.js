// The bar under a recording: play, where it is, how fast, again and again.
import { clipSpeeds } from './clip.js';
import { el, iconButton } from './dom.js';
import { seconds } from './format.js';
import { icon } from './icons.js';

/** @param {import('./clip.js').Clip} clip */
export function clipBar(clip, ...more) {
  const { recording } = clip;
  const play = iconButton(icon('play'), 'Play', () => clip.play(!clip.isPlaying), { key: 'Space', class: 'icon-button main' });
  const back = iconButton(icon('stepBack'), 'One frame back', () => clip.step(-1), { key: ',' });
  const next = iconButton(icon('step'), 'One frame on', () => clip.step(1), { key: '.' });
  const slider = el('input', {
    type: 'range', class: 'seek', min: 0, max: 1000, step: 1, 'aria-label': 'Time', oninput: () => clip.seek(timeAt(slider.value)),
  });
  const timeAt = (place) => recording.beginTime + (place / 1000) * (recording.endTime - recording.beginTime);
  const time = el('span', { class: 'readout' });
  const speed = el('select', { 'aria-label': 'Speed', title: 'Speed', onchange: () => { clip.speed = Number(speed.value); } },
    ...clipSpeeds.map((value) => el('option', { value, selected: value === 1 }, `${value}×`)));
  const loop = iconButton(icon('loop'), 'Again and again', () => {
    clip.isLoop = !clip.isLoop;
    refresh();
  });
  const refresh = () => {
    const name = clip.isPlaying ? 'Pause' : 'Play';
    if (play.getAttribute('aria-label') !== name) {
      play.replaceChildren(icon(clip.isPlaying ? 'pause' : 'play'));
      play.setAttribute('aria-label', name);
      play.title = `${name} (Space)`;
    }
    const length = recording.endTime - recording.beginTime;
    slider.value = length > 0 ? (1000 * (clip.time - recording.beginTime)) / length : 0;
    slider.setAttribute('aria-valuetext', seconds(clip.time));
    time.textContent = `${seconds(clip.time)} · step ${recording.frames[Math.max(clip.index, 0)].step}`;
    loop.setAttribute('aria-pressed', clip.isLoop);
  };
  clip.onChange = refresh;
  refresh();
  return el('div', { class: 'play-bar panel', role: 'toolbar', 'aria-label': 'Playing' },
    back, play, next, slider, time, speed, loop, ...more);
}
