// The page of a running world: watched, touched, tuned and measured.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, launch, look, openPage, run, send, serve, shoot, smallScene, stopAll, until, untilShown } from './support.mjs';

let browser, server, opened, page;

before(async () => {
  browser = await launch();
  server = await serve(smallScene, '--port', '0');
  opened = await openPage(browser, server.address);
  page = opened.page;
  await untilShown(page);
});

after(async () => {
  try {
    await opened?.close();
    const ended = await server?.stop('SIGINT');
    assert.equal(ended?.code, 0, 'Ctrl-C ends it well');
  } finally {
    stopAll();
    await browser?.close();
  }
});

const step = () => look(page, () => window.palpate.frame?.step);
const pause = async () => {
  if (await look(page, () => window.palpate.status.playing)) await page.getByRole('button', { name: 'Pause' }).click();
  await until(page, () => !window.palpate.status.playing);
  const { step: now } = await send(page, { do: 'state' });
  await until(page, (wanted) => window.palpate.frame?.step === wanted, now);
  return now;
};

test('frames advance, a pause freezes them, and a step is one step', async () => {
  const first = await step();
  await until(page, (than) => window.palpate.frame?.step > than + 2, first);
  const stopped = await pause();
  await page.waitForTimeout(300);
  assert.equal(await step(), stopped);
  for (let i = 1; i <= 3; i += 1) {
    await page.getByRole('button', { name: 'One step' }).click();
    await until(page, (wanted) => window.palpate.frame?.step === wanted, stopped + i);
  }
  await page.waitForTimeout(200);
  assert.equal(await step(), stopped + 3);
  assert.equal((await send(page, { do: 'state' })).step, stopped + 3);
});

test('the layer of contacts draws all that the server reports', async () => {
  const from = await pause();
  await send(page, { do: 'step', steps: 20 });
  await until(page, (wanted) => window.palpate.frame?.step === wanted, from + 20);
  if (!(await look(page, () => window.palpate.layers.contacts))) await page.keyboard.press('c');
  await until(page, () => window.palpate.layers.contacts);
  await page.waitForTimeout(300);
  const { drawn, there, told } = await look(page, () => ({
    drawn: window.palpate.drawnContacts, there: window.palpate.frame?.contacts, told: window.palpate.frame?.scalars.contacts,
  }));
  assert.ok(told > 0);
  assert.equal(there, told);
  assert.equal(drawn, told);
});

test('a point that is dragged follows, and is let go', async () => {
  await page.getByRole('button', { name: 'Play' }).click();
  await page.keyboard.press('f');
  await page.waitForTimeout(300);
  const height = () => look(page, () => {
    const points = window.palpate.positionsOf('block');
    let sum = 0;
    for (let i = 2; i < points.length; i += 3) sum += points[i];
    return (3 * sum) / points.length;
  });
  const before = await height();
  // The vertex that is nearest to the eye is the one that a pointer meets.
  const middle = await look(page, () => {
    const count = window.palpate.positionsOf('block').length / 3;
    let sum = { x: 0, y: 0 };
    for (let i = 0; i < count; i += 1) {
      const at = window.palpate.screenPointOf('block', i);
      sum = { x: sum.x + at.x / count, y: sum.y + at.y / count };
    }
    return sum;
  });
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  for (let i = 1; i <= 10; i += 1) await page.mouse.move(middle.x, middle.y - 15 * i);
  await until(page, () => window.palpate.frame?.hands === 1);
  await until(page, (low) => {
    const points = window.palpate.positionsOf('block');
    let sum = 0;
    for (let i = 2; i < points.length; i += 3) sum += points[i];
    return (3 * sum) / points.length > low + 0.03;
  }, before);
  await shoot(page, 'dragged');
  await page.mouse.up();
  await until(page, () => window.palpate.frame?.hands === 0);
  await until(page, (low) => {
    const points = window.palpate.positionsOf('block');
    let sum = 0;
    for (let i = 2; i < points.length; i += 3) sum += points[i];
    return (3 * sum) / points.length < low + 0.01;
  }, before);
});

test('two fingers on a body zoom, and take nothing', async () => {
  const tablet = await openPage(browser, server.address, { hasTouch: true });
  await untilShown(tablet.page);
  await tablet.page.waitForTimeout(300);
  const spread = () => look(tablet.page, () => {
    const [a, b] = [0, 1].map((i) => window.palpate.screenPointOf('block', i));
    return Math.hypot(a.x - b.x, a.y - b.y);
  });
  const before = await spread();
  const line = await tablet.page.context().newCDPSession(tablet.page);
  const touch = (type, ...points) => line.send('Input.dispatchTouchEvent', {
    type, touchPoints: points.map(([x, y], id) => ({ x, y, id })),
  });
  const middle = await look(tablet.page, () => {
    const count = window.palpate.positionsOf('block').length / 3;
    const all = Array.from({ length: count }, (_, i) => window.palpate.screenPointOf('block', i));
    return { x: all.reduce((sum, p) => sum + p.x / count, 0), y: all.reduce((sum, p) => sum + p.y / count, 0) };
  });
  const fingers = (apart) => [[middle.x - apart, middle.y], [middle.x + apart, middle.y]];
  await touch('touchStart', ...fingers(10));
  for (const apart of [15, 20, 30, 40]) await touch('touchMove', ...fingers(apart));
  await touch('touchEnd');
  const stepped = (await send(tablet.page, { do: 'state' })).step;
  await until(tablet.page, (than) => window.palpate.frame?.step > than, stepped);
  assert.equal(await look(tablet.page, () => window.palpate.frame?.hands), 0);
  assert.ok((await spread()) > 1.5 * before, `${await spread()} is not much more than ${before}`);
  await tablet.close();
});

test('a string can be dragged, too', async () => {
  const scene = join(folder, 'rope.toml');
  writeFileSync(scene, `
[[body]]
name = "rope"
kind = "string"
points = [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0], [0.3, 0, 0], [0.4, 0, 0]]
radius = 0.005
material = { density = 1000, young = 1e5 }
[[body.fix]]
vertices = [0]
`);
  const ropes = await serve(scene, '--port', '0');
  const rope = await openPage(browser, ropes.address);
  await untilShown(rope.page);
  await rope.page.waitForTimeout(300);
  await send(rope.page, { do: 'pause' });
  await until(rope.page, () => !window.palpate.status.playing);
  const { step: now } = await send(rope.page, { do: 'state' });
  await until(rope.page, (wanted) => window.palpate.frame?.step === wanted, now);
  const [a, b] = await look(rope.page, () => [2, 3].map((v) => window.palpate.screenPointOf('rope', v)));
  await rope.page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2);
  await rope.page.mouse.down();
  await send(rope.page, { do: 'play' });
  await until(rope.page, () => window.palpate.frame?.hands === 1);
  const before = await look(rope.page, () => window.palpate.positionsOf('rope')[3 * 2 + 2]);
  for (let i = 1; i <= 10; i += 1) await rope.page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2 - 25 * i);
  await until(rope.page, (low) => window.palpate.positionsOf('rope')[3 * 2 + 2] > low + 0.02, before);
  await rope.page.mouse.up();
  await until(rope.page, () => window.palpate.frame?.hands === 0);
  await rope.close();
  await ropes.stop();
});

test('each parameter of the panel changes what the server runs', async () => {
  await page.getByRole('tab', { name: 'Tune' }).click();
  await pause();
  const all = (await look(page, () => window.palpate.parameters)).parameters;
  assert.ok(all.length >= 20);
  const other = (one) => {
    if (one.type === 'flag') return !one.value;
    if (one.type === 'choice') return one.choices.find((choice) => choice !== one.value);
    if (one.key === 'run.threads') return 1;
    if (one.type === 'whole') return one.value + 1;
    const inside = (x) => (one.least === null || x > one.least) && (one.most === null || x < one.most);
    return [0.9 * one.value, 0.01, 0.3, 0.6 * one.most].find((x) => x !== one.value && inside(x));
  };
  const valueOf = (key) => look(page, (wanted) => window.palpate.parameters.parameters.find((one) => one.key === wanted)?.value, key);
  await look(page, () => document.querySelectorAll('.tune details').forEach((group) => { group.open = true; }));
  for (const one of all) {
    const value = other(one);
    // Only solvers that sweep are accelerated.
    const sweeps = one.key.startsWith('solver.acceleration.');
    if (sweeps) assert.ok((await send(page, { do: 'set', key: 'solver.name', value: 'xpbd' })).ok);
    const field = page.locator(`[id="parameter-${one.key}"]`);
    await field.scrollIntoViewIfNeeded();
    if (one.type === 'flag') await field.setChecked(value);
    else if (one.type === 'choice') await field.selectOption(value);
    else {
      await field.fill(String(value));
      await field.press('Enter');
    }
    await until(page, ([key, was]) => {
      const now = window.palpate.parameters.parameters.find((each) => each.key === key);
      const problem = document.getElementById(`parameter-${key}`).closest('.field').querySelector('.error:not([hidden])');
      return (now && now.value !== was) || problem;
    }, [one.key, one.value]);
    const now = await valueOf(one.key);
    if (typeof value === 'number') assert.ok(Math.abs(now - value) <= 1e-3 * Math.abs(value), `${one.key}: ${now} is not ${value}`);
    else assert.equal(now, value, one.key);
    // Back again, so that each is tried alone.
    assert.ok((await send(page, { do: 'set', key: one.key, value: one.value })).ok, one.key);
    if (sweeps) assert.ok((await send(page, { do: 'set', key: 'solver.name', value: 'quasi_newton' })).ok);
    await until(page, ([key, was]) => window.palpate.parameters.parameters.find((each) => each.key === key)?.value === was, [one.key, one.value]);
  }
});

test('what is tuned can be copied as TOML, and runs as it does here', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url.origin });
  await pause();
  await page.getByRole('tab', { name: 'Tune' }).click();
  const before = await look(page, () => window.palpate.parameters.toml);
  assert.ok((await send(page, { do: 'set', key: 'body.block.material.young', value: 1e4 })).ok);
  await until(page, (was) => window.palpate.parameters.toml !== was, before);
  await page.getByRole('button', { name: 'Copy as TOML' }).click();
  await page.getByText('on the clipboard').waitFor();
  const copied = `${smallScene}.copied.toml`;
  writeFileSync(copied, await look(page, () => navigator.clipboard.readText()));
  const there = run('run', copied, '--steps', '5', '--json', '-', '--out', `${copied}.run`);
  assert.equal(there.code, 0, there.err);
  await send(page, { do: 'reset' });
  await send(page, { do: 'step', steps: 5 });
  await until(page, () => window.palpate.frame?.step === 5);
  assert.equal((await send(page, { do: 'state' })).hash, JSON.parse(there.out).state_hash);
  assert.ok((await send(page, { do: 'set', key: 'body.block.material.young', value: 3e4 })).ok);
});

test('a value that cannot be is refused beside its field', async () => {
  const field = page.locator('[id="parameter-contact.distance"]');
  await field.fill('-1');
  await field.press('Enter');
  const problem = page.locator('.field', { has: field }).locator('.error');
  await problem.waitFor({ state: 'visible' });
  assert.match(await problem.textContent(), /above 0/);
  await until(page, () => document.getElementById('parameter-contact.distance').value === '0.01');
});

test('a reset gives the first state again', async () => {
  const before = run('run', smallScene, '--steps', '0', '--json', '-', '--out', `${smallScene}.run`);
  assert.equal(before.code, 0, before.err);
  const first = JSON.parse(before.out).state_hash;
  await send(page, { do: 'step', steps: 3 });
  await page.getByRole('button', { name: 'Reset' }).click();
  await until(page, () => window.palpate.frame?.step === 0);
  const state = await send(page, { do: 'state' });
  assert.equal(state.step, 0);
  assert.equal(state.hash, first);
});

test('charts fill and tell the stages', async () => {
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByRole('tab', { name: 'Measure' }).click();
  await until(page, () => Object.values(window.palpate.charts).length >= 3 && Object.values(window.palpate.charts).every((count) => count > 20));
  await page.waitForTimeout(500);
  await shoot(page, 'chart');
});

test('bad commands are answered', async () => {
  for (const bad of [{ do: 'fly' }, { do: 'grab' }, { do: 'set', key: 'x' }, {}]) {
    const answer = await send(page, bad);
    assert.equal(answer.ok, false);
    assert.ok(answer.error.length > 10);
  }
});
