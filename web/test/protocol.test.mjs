import assert from 'node:assert/strict';
import test from 'node:test';
import { Kind, ProtocolError, readMessage, readStrain } from '../src/protocol.js';
import { World } from '../src/world.js';
import { frame, hello, noise, topology } from './buffers.mjs';

test('hello is JSON', () => {
  const { kind, value } = readMessage(hello());
  assert.equal(kind, Kind.hello);
  assert.deepEqual(value.stages, ['solve']);
});

test('a topology tells of bodies', () => {
  const { bodies } = readMessage(topology()).value;
  assert.deepEqual(bodies.map((body) => body.name), ['plate', 'gel']);
  assert.deepEqual([...bodies[0].local], [0, 0, 0, 1, 0, 0, 0, 1, 0]);
  assert.deepEqual([...bodies[1].tetrahedra], [0, 1, 2, 3]);
  assert.deepEqual([...bodies[1].fixed], [2]);
});

test('a frame has sections, and unknown ones are passed over', () => {
  const { value } = readMessage(frame(7));
  assert.equal(value.step, 7);
  assert.equal(value.contacts.count, 1);
  assert.equal(value.stages[0], 1.5);
  assert.equal(value.scalars[0], 2.5);
  assert.equal(value.boxes, null);
});

test('a frame tells what the steps before it took', () => {
  const told = [[2, 0.5, 1], [1, 8, 16.5], [0, 1.5, 2.5]];
  const { steps } = readMessage(frame(7, { told, leftOut: 300 })).value;
  assert.equal(steps.leftOut, 300);
  assert.deepEqual(steps.list.map(({ step, stages, whole }) => [step, [...stages], whole]), [[5, [0.5], 1], [6, [8], 16.5], [7, [1.5], 2.5]]);
  assert.deepEqual(readMessage(frame(7)).value.steps, { leftOut: 0, list: [] });
});

test('steps that do not add up are refused', () => {
  const refuses = (message) => assert.throws(() => readMessage(message), ProtocolError);
  refuses(frame(7, { told: [[0, 1, 1], [1, 1, 1]] }));  // backwards
  refuses(frame(7, { told: [[3, 1, 1], [3, 1, 1]] }));  // twice
  refuses(frame(7, { told: [[8, 1, 1]] }));  // before the first
  const rows = frame(7, { told: [[1, 1, 1], [0, 1, 1]] });
  for (const count of [0, 1e9, 4, 24]) {
    const broken = rows.slice();
    new DataView(broken.buffer).setUint32(rows.length - 28, count, true);
    refuses(broken);
  }
});

test('strain is by body', () => {
  const { bodies } = readMessage(topology()).value;
  const [plate, gel] = readStrain(readMessage(frame(1)).value.strain, bodies);
  assert.equal(plate, null);
  assert.equal(gel.largest, 100);
  assert.deepEqual([...gel.values], [0, 32768, 65535]);
  assert.equal(readStrain(new Uint8Array(3), bodies), null);
});

test('a world puts bodies in place', () => {
  const world = new World();
  world.takeHello(readMessage(hello()).value);
  world.takeTopology(readMessage(topology()).value);
  world.show(readMessage(frame(0)).value, readMessage(frame(60)).value, 0.5);
  const [plate, gel] = world.bodies;
  assert.deepEqual([...world.positions(plate)], [0, 0, 30, 1, 0, 30, 0, 1, 30]);
  assert.deepEqual([...world.positions(gel)], [0, 0, 0, 1, 0, 0, 0, 2, 4]);
  assert.equal(world.velocities(plate)[2], 60);
  world.eachContact((first, second, normal, isEdge) => assert.deepEqual([first, second, normal, isEdge], [[0, 0, 0], [1, 2, 4], [0, 0, 1], true]));
});

test('a message at an odd place is read as well', () => {
  const message = frame(3);
  const moved = new Uint8Array(message.length + 1);
  moved.set(message, 1);
  assert.equal(readMessage(moved.subarray(1)).value.step, 3);
});

test('kinds that are not known are passed over', () => assert.equal(readMessage(Uint8Array.of(200, 1, 2)).value, null));

test('whatever is cut off or garbled is refused, and nothing else happens', () => {
  const random = noise(7);
  for (const whole of [hello(), topology(), frame(5), frame(5, { told: [[1, 1, 2], [0, 3, 4]] })]) {
    for (let size = 0; size < whole.length; ++size) readOrRefuse(whole.slice(0, size));
    for (let round = 0; round < 3000; ++round) {
      const broken = whole.slice();
      for (let k = 0; k < 3; ++k) broken[1 + Math.floor(random() * (broken.length - 1))] = Math.floor(256 * random());
      readOrRefuse(broken);
    }
  }
});

test('counts beyond all bounds are refused at once', () => {
  const broken = topology();
  broken.set([255, 255, 255, 255], 8);
  assert.throws(() => readMessage(broken), ProtocolError);
});

function readOrRefuse(bytes) {
  try {
    const { kind, value } = readMessage(bytes);
    if (kind !== Kind.frame) return;
    const world = new World();
    world.takeTopology(readMessage(topology()).value);
    world.show(value);
  } catch (error) {
    assert.ok(error instanceof ProtocolError, error.stack);
  }
}
