// What a number may be, in words.
import { short } from './format.js';

/** @param {{type: string, unit: ?string, least: ?number, most: ?number, above: boolean, below: boolean}} parameter */
export function rangeText({ type, unit, least, most, above, below }) {
  if (type !== 'number' && type !== 'whole') return '';
  const number = (value) => short(value, 6) + (unit ? ` ${unit}` : '');
  const has = (limit) => limit !== null && limit !== undefined;
  const low = has(least) ? `${above ? 'above' : 'at least'} ${number(least)}` : '';
  const high = has(most) ? `${below ? 'below' : 'at most'} ${number(most)}` : '';
  const limits = low && high && !above && !below ? `from ${short(least, 6)} to ${number(most)}` : [low, high].filter(Boolean).join(' and ');
  const kind = type === 'whole' ? 'Whole numbers' : limits ? 'Numbers' : '';
  return kind ? `${[kind, limits].filter(Boolean).join(' ')}.` : '';
}
