// Where on a slider a number is: by its logarithm if it may be of any size, else straight.

export const sliderEnd = 1000;
const decadesAround = 2;  // to each side of the first value, where a range is open

/** @param {{least: ?number, most: ?number, above: boolean, initial: number, value: number}} parameter */
export function scaleOf({ least, most, initial, value, type }) {
  const centre = Number.isFinite(initial) ? initial : value;
  const isOpen = least === null || most === null;
  const isPositive = least !== null && least >= 0 && centre > 0;
  const spansDecades = !isOpen && least >= 0 && most / Math.max(least, 1e-9 * most) > 1000;
  if (type === 'number' && isPositive && (isOpen || (spansDecades && most > 100 * centre))) {
    const factor = 10 ** decadesAround;
    return logScale(Math.max(centre / factor, least), most === null ? centre * factor : Math.min(centre * factor, most));
  }
  const reach = Math.max(2 * Math.abs(centre), type === 'whole' ? 10 : 1);
  const low = least ?? centre - reach;
  const high = most !== null && (least !== null && most - least <= 20 * reach) ? most : Math.min(most ?? Infinity, centre + reach);
  return straightScale(low, high);
}

function logScale(low, high) {
  const [a, b] = [Math.log(Math.max(low, 1e-300)), Math.log(high)];
  return {
    place: (value) => (value > 0 ? clamp((sliderEnd * (Math.log(value) - a)) / (b - a)) : 0),
    value: (place) => Number(Math.exp(a + (place / sliderEnd) * (b - a)).toPrecision(3)),
  };
}

function straightScale(low, high) {
  const size = high - low || 1;
  const step = 10 ** (Math.floor(Math.log10(size)) - 3);
  return {
    place: (value) => clamp((sliderEnd * (value - low)) / size),
    value: (place) => Number((Math.round((low + (place / sliderEnd) * size) / step) * step).toPrecision(6)),
  };
}

const clamp = (place) => Math.min(Math.max(place, 0), sliderEnd);
