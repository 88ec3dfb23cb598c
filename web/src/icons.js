// Icons of 24 by 24, drawn with lines.
const paths = {
  grab: 'M8 12V6a1.5 1.5 0 0 1 3 0v5m0-6.5a1.5 1.5 0 0 1 3 0V11m0-5a1.5 1.5 0 0 1 3 0v7c0 4-2 7-5.5 7-3 0-4.3-1.5-5.8-4.2L4 12.7c-.7-1.4 1-2.6 2.1-1.4L8 13.5',
  poke: 'M3 12h11m-4-4 4 4-4 4M19 5a10 10 0 0 1 0 14',
  pin: 'M12 21v-6m-5 0h10l-2-4V5h1V3H8v2h1v6z',
  probe: 'M12 4a5 5 0 1 1 0 10 5 5 0 0 1 0-10zm0 10v7',
  frame: 'M4 9V4h5m6 0h5v5m0 6v5h-5m-6 0H4v-5',
  picture: 'M4 7h4l1.5-2h5L16 7h4v12H4zm8 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  theme: 'M12 3a9 9 0 1 0 0 18zm0 0a9 9 0 0 1 0 18',
  help: 'M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2m0 3v.5',
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M8 5v14m8-14v14',
  step: 'M6 5v14l9-7zm12 0v14',
  stepBack: 'M18 5v14l-9-7zM6 5v14',
  reset: 'M5 5v5h5M5.5 10A7.5 7.5 0 1 1 4.7 14',
  record: 'M12 6a6 6 0 1 1 0 12 6 6 0 0 1 0-12z',
  stop: 'M7 7h10v10H7z',
  loop: 'M17 3l3 3-3 3M4 11V8a2 2 0 0 1 2-2h14M7 21l-3-3 3-3m13-2v3a2 2 0 0 1-2 2H4',
  layers: 'M12 4 3 9l9 5 9-5zM3 13.5l9 5 9-5',
  tune: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 4.8v4.4M9 14.8v4.4',
  measure: 'M4 20V4m0 16h16M8 16l3.5-5 3 3L20 7',
  back: 'M14 6l-6 6 6 6',
  panel: 'M4 5h16v14H4zm10 0v14',
  undo: 'M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3',
  close: 'M6 6l12 12M18 6 6 18',
};
const filled = new Set(['play', 'record', 'stop']);

const space = 'http://www.w3.org/2000/svg';

export function icon(name) {
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', filled.has(name) ? 'icon filled' : 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}
