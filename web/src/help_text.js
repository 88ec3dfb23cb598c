// The text of the help.

export function helpSections(tools, layers) {
  return [
    { title: 'View', rows: [
      ['Drag', 'turn, beside bodies'],
      ['Right drag', 'move (also Shift and drag, two fingers)'],
      ['Wheel', 'zoom (also two fingers, + and −)'],
      ['Double click', 'turn about this point'],
      ['F / Home', 'look at everything'],
      ['Arrows', 'move; with Shift: turn'],
      ['P', 'save a picture'],
      ['L', 'dark or light'],
      ['M', 'open or close the panel'],
    ] },
    { title: 'Simulation', rows: [
      ['Space', 'play or pause'],
      ['.', 'one step on'],
      [',', 'one frame back, of recordings'],
      ['R', 'reset'],
      ['Esc', 'let go of everything'],
      ...tools.map(({ shortcut, label, hint }) => [shortcut, `${label}: ${lower(hint)}`]),
    ] },
    { title: 'Layers', rows: [
      ...layers.map(({ shortcut, label }) => [shortcut.toUpperCase(), lower(label)]),
      ['K', 'next colour scale'],
      ['?', 'this help'],
    ] },
  ];
}

const lower = (text) => text[0].toLowerCase() + text.slice(1);
