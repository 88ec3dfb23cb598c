import assert from 'node:assert/strict';
import test from 'node:test';
import { History } from '../src/history.js';

const frame = (step, list = []) => ({ step, stages: [1], scalars: [step], steps: { leftOut: 0, list } });
const cost = (step, whole = 1) => ({ step, stages: [whole / 2], whole });
const upTo = (step, count) => Array.from({ length: count }, (_, i) => cost(step - count + 1 + i));

test('steps between frames count', () => {
  const history = new History();
  history.add(frame(0));
  history.add(frame(100, upTo(100, 100)));
  const slow = upTo(117, 17);
  slow[3] = cost(104, 50);  // which nobody sees
  history.add(frame(117, slow));
  assert.deepEqual(history.steps, Array.from({ length: 117 }, (_, i) => i + 1));
  assert.deepEqual(history.frames, [0, 100, 117]);
  assert.deepEqual(History.spread(history.whole), { p50: 1, p99: 1, worst: 50 });
  assert.deepEqual(history.column(history.stages, 0).slice(102, 105), [0.5, 25, 0.5]);
  assert.deepEqual(history.column(history.scalars, 0), [0, 100, 117]);
});

test('frames that tell of no steps tell of their own', () => {
  const history = new History();
  history.add(frame(0), 0);
  history.add(frame(10), 3);
  history.add(frame(20), 5);
  assert.deepEqual(history.steps, [10, 20]);
  assert.deepEqual(history.whole, [3, 5]);
  assert.deepEqual(history.stages, [[1], [1]]);
});

test('what comes again is counted once, and a run that begins anew begins anew', () => {
  const history = new History();
  history.add(frame(5, upTo(5, 5)));
  history.add(frame(5));
  history.add(frame(8, upTo(8, 5)));
  assert.deepEqual(history.steps, [1, 2, 3, 4, 5, 6, 7, 8]);
  history.add(frame(2, upTo(2, 2)));
  assert.deepEqual([history.steps, history.frames], [[1, 2], [2]]);
});

test('it remembers 600 frames, and of many steps the last 6000', () => {
  const slow = new History();
  for (let step = 2; step <= 2000; step += 2) slow.add(frame(step, upTo(step, 2)));
  assert.equal(slow.frames.length, 600);
  assert.deepEqual([slow.steps.length, slow.steps[0], slow.frames[0]], [1200, 801, 802]);
  const fast = new History();
  for (let step = 500; step <= 20000; step += 500) fast.add(frame(step, upTo(step, 500)));
  assert.deepEqual([fast.steps.length, fast.steps[0], fast.frames[0]], [6000, 14001, 14500]);
  assert.equal(fast.whole.length, 6000);
  assert.equal(fast.stages.length, 6000);
  assert.equal(fast.scalars.length, fast.frames.length);
});
