// Numbers for people.

/** Three or so digits, without needless zeros: 0.0123, 1.5, 2400, 3.2e-7. */
export function short(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return String(Number(value.toPrecision(digits))).replace('e+', 'e');
  return String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size))))));
}

export function seconds(value) {
  return `${(value ?? 0).toFixed(2)} s`;
}
