import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { Clip } from '../src/clip.js';
import { ProtocolError } from '../src/protocol.js';
import { Recording } from '../src/recording.js';
import { World, boxOf } from '../src/world.js';
import { frame, hello, noise, recording, topology } from './buffers.mjs';

const messages = () => [hello(), topology(), ...[0, 1, 2, 3].map((step) => frame(step))];

test('frames are found by their time', () => {
  const film = new Recording(recording([...messages(), Uint8Array.of(255, 0, 0, 0)]));
  assert.equal(film.count, 4);
  assert.equal(film.isWhole, true);
  assert.equal(film.indexAt(-1), 0);
  assert.equal(film.indexAt(1.5 / 60), 1);
  assert.equal(film.indexAt(100), 3);
  assert.equal(film.frame(2).step, 2);
  assert.equal(film.topologyOf(2).bodies.length, 2);
});

test('each frame has the topology that came before it', () => {
  const film = new Recording(recording([hello(), topology(1), frame(0), topology(2), frame(1, { number: 2 })]));
  assert.equal(film.topologyOf(0).number, 1);
  assert.equal(film.topologyOf(1).number, 2);
});

test('a frame without its topology ends the film', () => {
  assert.equal(new Recording(recording([...messages(), frame(9, { number: 5 }), frame(10)])).count, 4);
});

test('what was cut off plays to its end', () => {
  const whole = recording(messages());
  for (let size = 0; size < whole.length; ++size) {
    const film = openOrRefuse(whole.slice(0, size));
    if (film) assert.ok(film.count >= 1 && film.count <= 4 && !film.isWhole);
  }
  assert.equal(openOrRefuse(whole.slice(0, -1)).count, 3);
});

test('a byte that is wrong ends the film before it', () => {
  const whole = recording(messages());
  const random = noise(3);
  for (let round = 0; round < 1000; ++round) {
    const broken = whole.slice();
    broken[16 + Math.floor(random() * (broken.length - 16))] ^= 1 + Math.floor(255 * random());
    const film = openOrRefuse(broken);
    if (film) assert.ok(film.count < 4);
  }
});

test('lengths of nothing, or of everything, end the film', () => {
  for (const size of [0, 0xffffffff]) {
    const broken = recording(messages());
    new DataView(broken.buffer).setUint32(16, size, true);
    assert.throws(() => new Recording(broken), ProtocolError);
  }
});

// The fixed node, number 2, goes up by one step of the grid's height, 4 m; at rest it is at [0, 1, 0].
const nodesAt = (height) => [0, 0, 0, 65535, 0, 0, 0, 65535, height, 0, 0, 65535];
const filmOfNodes = () => new Recording(recording([
  hello(), topology(), frame(0, { nodes: nodesAt(0) }), frame(60, { nodes: nodesAt(65535) }), Uint8Array.of(255, 0, 0, 0),
]));

test('a fixed node that moves is where it is, also between two frames', () => {
  const world = new World();
  const stage = {
    world, view: { tickers: new Set() }, takeHello: (one) => world.takeHello(one), takeTopology: (one) => world.takeTopology(one),
    show: (...frames) => world.show(...frames),
  };
  const clip = new Clip(filmOfNodes(), stage);
  const place = () => {
    const gel = world.bodies.find((body) => body.name === 'gel');
    return [...world.nodes(gel).subarray(3 * gel.fixed[0], 3 * gel.fixed[0] + 3)];
  };
  for (const [time, height] of [[0, 0], [0.25, 1], [0.5, 2], [1, 4], [0, 0]]) {
    clip.seek(time);
    assert.deepEqual(place(), [0, 2, height]);
  }
});

test('what frames do not tell is not made up', () => {
  const film = new Recording(recording(messages()));
  assert.deepEqual(film.tells, { nodes: false, strain: true, boxes: false });
  assert.equal(filmOfNodes().tells.nodes, true);
  const world = new World();
  world.takeTopology(film.topologyOf(0));
  world.show(film.frame(0));
  assert.equal(world.nodes(world.bodies[1]), null);
  // Too few of them are none.
  world.show(new Recording(recording([hello(), topology(), frame(0, { nodes: [1, 2, 3] })])).frame(0));
  assert.equal(world.nodes(world.bodies[1]), null);
});

test('no recordings', () => {
  assert.throws(() => new Recording(new Uint8Array(0)), ProtocolError);
  assert.throws(() => new Recording(new Uint8Array(1000)), ProtocolError);
  const later = recording(messages());
  later[8] = 2;
  assert.throws(() => new Recording(later), /version 2/);
});

const path = process.env.PALPATE_TEST_RECORDING;
test('a recording that Palpate has written', { skip: path ? false : 'PALPATE_TEST_RECORDING names none' }, async () => {
  const bytes = new Uint8Array(await readFile(path));
  const film = new Recording(bytes);
  assert.equal(film.isWhole, true);
  assert.equal(film.hello.protocol, 1);
  assert.deepEqual(film.tells, { nodes: true, strain: true, boxes: false });
  const world = new World();
  world.takeHello(film.hello);
  let topology = null;
  for (let i = 0; i < film.count; ++i) {
    if (film.frames[i].topology !== topology) world.takeTopology(film.topologyOf(i));
    topology = film.frames[i].topology;
    const now = film.frame(i);
    world.show(now);
    assert.equal(now.step, film.frames[i].step);
    assert.equal(now.stages.length, film.hello.stages.length);
    assert.equal(now.contacts.count, Math.min(world.scalar('contacts'), 20000));
    // All points are in the frame's box; what is sent as a pose is rounded.
    const slack = 1e-5 * Math.hypot(...now.size);
    const isInside = ({ low, high }) => [0, 1, 2].every((k) => low[k] >= now.low[k] - slack && high[k] <= now.low[k] + now.size[k] + slack);
    for (const body of world.bodies) {
      assert.ok(isInside(world.box(body)), body.name);
      if (!body.isSoft) continue;
      assert.ok(isInside(boxOf(world.nodes(body))), `the nodes of ${body.name}`);
      assert.equal(world.strain(body).values.length, body.vertices);
    }
  }
  assert.ok(new Recording(bytes.slice(0, Math.floor(bytes.length / 2))).count < film.count);
});

function openOrRefuse(bytes) {
  try {
    return new Recording(bytes);
  } catch (error) {
    assert.ok(error instanceof ProtocolError, error.stack);
    return null;
  }
}
