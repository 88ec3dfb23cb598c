// Plays a recording inside of a report, without any server. The recording is in the page, packed and as letters.
import { Clip } from './clip.js';
import { clipBar } from './clip_bar.js';
import { el, iconButton } from './dom.js';
import { icon } from './icons.js';
import { layersPanel } from './layers_panel.js';
import { makeLegend } from './legend.js';
import { Recording } from './recording.js';
import { Stage } from './stage.js';

const light = matchMedia('(prefers-color-scheme: light)');

/** @param {HTMLElement} element is filled @param {string} letters base64 of a gzipped recording */
export async function mount(element, letters) {
  const host = el('div', { class: 'view' });
  const overlay = el('div', { class: 'overlay', 'aria-hidden': 'true' });
  const root = el('div', { class: 'palpate-ui palpate-player' }, host, overlay);
  element.replaceChildren(root);
  try {
    const recording = new Recording(await unpacked(letters));
    const stage = new Stage(host, overlay);
    const setTheme = () => {
      root.dataset.theme = light.matches ? 'light' : 'dark';
      stage.setTheme(root.dataset.theme);
    };
    light.addEventListener('change', setTheme);
    setTheme();
    const clip = new Clip(recording, stage);
    const layers = layersPanel(stage, { hasKeys: false });
    layers.setTold(recording.tells);
    const panel = el('div', { class: 'menu panel', hidden: true }, layers.element);
    const toggle = iconButton(icon('layers'), 'Layers', () => {
      panel.hidden = !panel.hidden;
      toggle.setAttribute('aria-expanded', !panel.hidden);
    }, { 'aria-expanded': 'false' });
    const all = iconButton(icon('frame'), 'Look at everything', () => stage.frameAll());
    root.append(makeLegend(stage.painter), panel, clipBar(clip, all, toggle));
    listen(root, stage, clip);
    stage.view.setInsets({ bottom: 56 });
    clip.lookAtAll();
  } catch (error) {
    root.replaceChildren(el('p', { class: 'failed' }, `The recording cannot be shown: ${error.message}`));
  }
}

function listen(root, stage, clip) {
  const { view } = stage;
  // The wheel scrolls the report, until somebody has clicked into the picture.
  view.controls.enableZoom = false;
  view.canvas.addEventListener('pointerdown', () => { view.controls.enableZoom = true; });
  root.addEventListener('pointerleave', () => { view.controls.enableZoom = false; });
  view.canvas.addEventListener('dblclick', (event) => {
    const hit = stage.bodies.pick(event.clientX, event.clientY);
    if (hit) view.focus(hit.point);
  });
  const actions = { ' ': () => clip.play(!clip.isPlaying), '.': () => clip.step(1), ',': () => clip.step(-1), f: () => stage.frameAll() };
  view.canvas.addEventListener('keydown', (event) => {
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

async function unpacked(letters) {
  const packed = Uint8Array.from(atob(letters.replace(/\s+/g, '')), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

window.PalpatePlayer = { mount };

function mountInReport() {
  const element = document.getElementById('player');
  const recording = document.getElementById('player-recording');
  if (element && recording) mount(element, recording.textContent);
}
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', mountInReport);
else mountInReport();
