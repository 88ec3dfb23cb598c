// What tests, and the curious in a browser's console, may look at: window.palpate.

// How many triangle corners, line ends, points or copies of a line's shape there are to draw, from the geometry itself.
function elementsOf(object) {
  if (!object.visible) return 0;
  const inside = object.children.reduce((sum, child) => sum + elementsOf(child), 0);
  const { geometry } = object;
  if (!geometry) return inside;
  if (geometry.isInstancedBufferGeometry) return inside + (Number.isFinite(geometry.instanceCount) ? geometry.instanceCount : 0);
  return inside + (geometry.index?.count ?? geometry.attributes.position?.count ?? 0);
}

/** @param {object} page with status, hello, parameters, stage, connection, measure, errors */
export function makeInspection(page) {
  const { world, view, layers } = page.stage;
  const bodyNamed = (name) => world.bodies.find((body) => body.name === name);
  return {
    get status() { return page.status; },
    get hello() { return world.hello; },
    get parameters() { return page.parameters; },
    get frame() {
      const { frame, hello } = world;
      if (!frame) return null;
      const scalars = Object.fromEntries((hello?.scalars ?? []).map((name, i) => [name, frame.scalars[i]]));
      const stages = Object.fromEntries((hello?.stages ?? []).map((name, i) => [name, frame.stages[i]]));
      return { step: frame.step, time: frame.time, contacts: frame.contacts.count, hands: frame.hands.length / 9, scalars, stages };
    },
    get drawnContacts() { return layers.isOn.contacts ? layers.drawer('contacts').drawn : 0; },
    /** By layers, what their geometry holds that is visible. */
    get drawn() {
      const sum = (part) => page.stage.bodies.shapes.reduce((all, shape) => all + (shape[part] ? elementsOf(shape[part]) : 0), 0);
      const drawers = [...layers.drawers].map(([key, { group }]) => [key, elementsOf(group)]);
      return { surfaces: sum('mesh'), wireframe: sum('wires'), ...Object.fromEntries(drawers) };
    },
    get bodies() { return world.bodies.map(({ name, kind, vertices, fixed }) => ({ name, kind, vertices, fixed: fixed.length })); },
    get layers() { return { ...layers.isOn }; },
    get charts() {
      return Object.fromEntries(page.measure.charts.map(({ chart }) => [chart.options.title, chart.columns[0]?.length ?? 0]));
    },
    /** Of each chart the lines of its budget, with an arrow where they are beyond its edge. */
    get marks() {
      return Object.fromEntries(page.measure.charts.map(({ chart }) => [chart.options.title, [...chart.drawnMarks]]));
    },
    get silence() { return page.connection.silence; },
    errors: page.errors,
    positionsOf: (name) => {
      const body = bodyNamed(name);
      return body ? world.positions(body).slice() : null;
    },
    /** Where the fixed nodes of a soft body are: [x, y, z] of each; null if that was not sent. */
    fixedOf: (name) => {
      const body = bodyNamed(name);
      const nodes = body && world.nodes(body);
      return nodes ? Array.from(body.fixed, (node) => [...nodes.subarray(3 * node, 3 * node + 3)]) : null;
    },
    screenPoint: (point) => view.project(point),
    screenPointOf: (name, vertex) => {
      const body = bodyNamed(name);
      return body ? view.project(world.positions(body).subarray(3 * vertex, 3 * vertex + 3)) : null;
    },
    send: (command) => page.connection.send(command),
  };
}
