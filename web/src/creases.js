// Which corners of triangles share a normal. Round things should look round and boxes should have edges: around a
// vertex, triangles that meet at a flat angle belong together, and each such group gets a copy of the vertex.

const sharpest = Math.cos((40 * Math.PI) / 180);

/**
 * @param {Float32Array} positions
 * @param {Uint32Array} triangles
 * @returns {{source: Uint32Array, corners: Uint32Array}} of each copy its vertex, and the triangles by copies
 */
export function splitAtCreases(positions, triangles) {
  const vertices = positions.length / 3;
  const normals = triangleNormals(positions, triangles);
  const around = cornersAround(vertices, triangles);
  const corners = new Uint32Array(triangles.length);
  const source = Array.from({ length: vertices }, (_, v) => v);
  for (let v = 0; v < vertices; ++v) {
    const list = around.list.subarray(around.begin[v], around.begin[v + 1]);
    const groups = groupsOf(list, v, triangles, normals);
    const copies = [v];
    for (let i = 0; i < list.length; ++i) {
      const group = groups[i];
      copies[group] ??= source.push(v) - 1;
      corners[list[i]] = copies[group];
    }
  }
  return { source: Uint32Array.from(source), corners };
}

function triangleNormals(positions, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
    const v = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n) || 1;
    for (let k = 0; k < 3; ++k) normals[i + k] = n[k] / length;
  }
  return normals;
}

// The corners (places in triangles) at each vertex, in one list.
function cornersAround(vertices, triangles) {
  const begin = new Uint32Array(vertices + 1);
  for (const v of triangles) ++begin[v + 1];
  for (let v = 0; v < vertices; ++v) begin[v + 1] += begin[v];
  const next = begin.slice();
  const list = new Uint32Array(triangles.length);
  for (let i = 0; i < triangles.length; ++i) list[next[triangles[i]]++] = i;
  return { begin, list };
}

// Numbers from 0 without gaps, one for each corner.
function groupsOf(list, v, triangles, normals) {
  const group = Array.from(list, (_, i) => i);
  const find = (i) => (group[i] === i ? i : (group[i] = find(group[i])));
  for (let i = 0; i < list.length; ++i)
    for (let j = 0; j < i; ++j) {
      const [a, b] = [list[i] - (list[i] % 3), list[j] - (list[j] % 3)];
      const dot = normals[a] * normals[b] + normals[a + 1] * normals[b + 1] + normals[a + 2] * normals[b + 2];
      if (dot >= sharpest && shareSide(triangles, a, b, v)) group[find(i)] = find(j);
    }
  const numbers = new Map();
  return group.map((_, i) => {
    const root = find(i);
    if (!numbers.has(root)) numbers.set(root, numbers.size);
    return numbers.get(root);
  });
}

function shareSide(triangles, a, b, v) {
  for (let i = 0; i < 3; ++i) {
    const one = triangles[a + i];
    if (one === v) continue;
    for (let j = 0; j < 3; ++j) if (triangles[b + j] === one) return true;
  }
  return false;
}
