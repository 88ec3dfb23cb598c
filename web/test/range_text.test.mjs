import assert from 'node:assert/strict';
import test from 'node:test';
import { rangeText } from '../src/range_text.js';

const any = { type: 'number', unit: '', least: null, most: null, above: false, below: false };

test('a range is told in words', () => {
  assert.equal(rangeText(any), '');
  assert.equal(rangeText({ ...any, least: 0 }), 'Numbers at least 0.');
  assert.equal(rangeText({ ...any, least: 0, above: true, unit: 'Pa' }), 'Numbers above 0 Pa.');
  assert.equal(rangeText({ ...any, least: 0, most: 0.5, below: true }), 'Numbers at least 0 and below 0.5.');
  assert.equal(rangeText({ ...any, least: 0, most: 1, unit: 'm' }), 'Numbers from 0 to 1 m.');
  assert.equal(rangeText({ ...any, type: 'whole' }), 'Whole numbers.');
  assert.equal(rangeText({ ...any, type: 'whole', least: 1, most: 100000 }), 'Whole numbers from 1 to 100000.');
  assert.equal(rangeText({ ...any, most: 1e-7 }), 'Numbers at most 1e-7.');
  assert.equal(rangeText({ ...any, type: 'flag' }), '');
  assert.equal(rangeText({ type: 'choice' }), '');
});
