// What tests, and the curious in a browser's console, may look at: window.palpate.

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
    screenPointOf: (name, vertex) => {
      const body = bodyNamed(name);
      return body ? view.project(world.positions(body).subarray(3 * vertex, 3 * vertex + 3)) : null;
    },
    send: (command) => page.connection.send(command),
  };
}
