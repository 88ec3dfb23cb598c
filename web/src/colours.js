// The colours of bodies and of scales. Bodies: after Okabe and Ito, to be told apart by the colour-blind too; red and
// green are left to contacts. Scales: viridis and inferno, whose lightness alone tells large from small.
import { Color } from 'three';
import { BodyKind } from './protocol.js';

const bodyColours = ['#3b87c8', '#e8a33d', '#8f7bd0', '#4fb3bf', '#d9795d', '#c66fa0', '#b5a642', '#6f8fa6'];
const stillColours = {
  static: { dark: '#5b6570', light: '#c3cad1' },
  kinematic: { dark: '#93a0ad', light: '#8d99a5' },
};

const stops = {
  viridis: ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'],
  inferno: ['#1b0c41', '#4a0c6b', '#781c6d', '#a52c60', '#cf4446', '#ed6925', '#fb9b06', '#f7d13d', '#fcffa4'],
};

export const contactColours = { vertex: '#19b46b', edge: '#e5484d' };
export const fixedColour = '#e5302f';

/** Of each body: what can move has a colour of its own, what cannot is grey. */
export function coloursOf(bodies, theme) {
  let moving = 0;
  return bodies.map((body) => {
    if (body.canMove) return bodyColours[moving++ % bodyColours.length];
    return stillColours[body.kind === BodyKind.static ? 'static' : 'kinematic'][theme];
  });
}

/** For a legend. */
export function gradientOf(name) {
  return `linear-gradient(to right, ${stops[name].join(', ')})`;
}

/** 256 colours, as a shader wants them: x, y, z of each. */
export function tableOf(name) {
  const table = new Float32Array(3 * 256);
  const colours = stops[name].map((stop) => new Color(stop));
  for (let i = 0; i < 256; ++i) {
    const at = (i / 255) * (colours.length - 1);
    const low = Math.min(Math.floor(at), colours.length - 2);
    // Between two colours as a screen would mix them, as the legend does.
    const from = colours[low].clone().convertLinearToSRGB();
    const to = colours[low + 1].clone().convertLinearToSRGB();
    from.lerp(to, at - low).convertSRGBToLinear().toArray(table, 3 * i);
  }
  return table;
}

