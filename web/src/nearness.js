// How near the next contact is, of each vertex: contacts are put into the cells of a grid, and a vertex takes the
// narrowest gap among those that are about an edge's length away.

/**
 * @param {Array<{point: number[], gap: number}>} touches
 * @returns {Float32Array} the gap [m] of each vertex, or -1
 */
export function gapsOf(positions, touches, reach, box) {
  const gaps = new Float32Array(positions.length / 3).fill(-1);
  const near = touches.filter(({ point }) => point.every((x, k) => x > box.low[k] - reach && x < box.high[k] + reach));
  if (near.length === 0 || !(reach > 0)) return gaps;
  const cells = cellsOf(near, reach, box.low);
  for (let v = 0; v < gaps.length; ++v) {
    const [x, y, z] = [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];
    const cell = cells.get(keyOf(x - box.low[0], y - box.low[1], z - box.low[2], 2 * reach));
    if (!cell) continue;
    for (const { point, gap } of cell)
      if ((gaps[v] < 0 || gap < gaps[v]) && Math.hypot(point[0] - x, point[1] - y, point[2] - z) <= reach) gaps[v] = gap;
  }
  return gaps;
}

// A contact is in all cells that its reach meets: then a vertex has to look into its own only.
function cellsOf(touches, reach, low) {
  const cells = new Map();
  for (const touch of touches)
    for (let corner = 0; corner < 8; ++corner) {
      const at = touch.point.map((x, k) => x - low[k] + ((corner >> k) & 1 ? reach : -reach));
      const key = keyOf(...at, 2 * reach);
      const cell = cells.get(key);
      if (!cell) cells.set(key, [touch]);
      else if (cell[cell.length - 1] !== touch) cell.push(touch);
    }
  return cells;
}

function keyOf(x, y, z, size) {
  const number = (a) => Math.floor(a / size) + 1024;
  return (number(x) * 65536 + number(y)) * 65536 + number(z);
}

/** How long edges are, about: from some of them. */
export function edgeLength(positions, triangles) {
  let sum = 0;
  let count = 0;
  const stride = 3 * Math.max(1, Math.floor(triangles.length / 3 / 200));
  for (let i = 0; i + 1 < triangles.length; i += stride, ++count) {
    const [a, b] = [3 * triangles[i], 3 * triangles[i + 1]];
    sum += Math.hypot(positions[a] - positions[b], positions[a + 1] - positions[b + 1], positions[a + 2] - positions[b + 2]);
  }
  return count > 0 ? sum / count : 0;
}
