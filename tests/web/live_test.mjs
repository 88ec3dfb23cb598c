// The page of a running world: watched, touched, tuned and measured.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
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

// The world after its first step, and nothing held: as every run of it has it.
const restart = async () => {
  await pause();
  await send(page, { do: 'reset' });
  await until(page, () => window.palpate.frame?.step === 0);
  await send(page, { do: 'step' });
  await until(page, () => window.palpate.frame?.step === 1);
};
const stepOn = async (steps) => {
  const { step: now } = await send(page, { do: 'state' });
  await send(page, { do: 'step', steps });
  await until(page, (wanted) => window.palpate.frame?.step === wanted, now + steps);
};
// The view looks at everything, and has been drawn so.
const lookAtAll = async () => {
  await page.keyboard.press('f');
  await look(page, () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
};
const middleOf = (name) => look(page, (body) => {
  const count = window.palpate.positionsOf(body).length / 3;
  const all = Array.from({ length: count }, (_, i) => window.palpate.screenPointOf(body, i));
  return { x: all.reduce((sum, at) => sum + at.x / count, 0), y: all.reduce((sum, at) => sum + at.y / count, 0) };
}, name);
const meanOf = (name) => look(page, (body) => {
  const points = window.palpate.positionsOf(body);
  const sum = [0, 0, 0];
  points.forEach((value, i) => { sum[i % 3] += (3 * value) / points.length; });
  return sum;
}, name);
const choose = (tool) => page.getByRole('radio', { name: tool }).click();

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
  // The force stands beside the cursor, in newtons.
  await until(page, () => {
    const label = document.querySelector('.overlay .force')?.textContent ?? '';
    return /^[\d.e-]+ N$/.test(label) && parseFloat(label) > 0;
  });
  await shoot(page, 'dragged');
  await page.mouse.up();
  await until(page, () => window.palpate.frame?.hands === 0);
  await until(page, () => document.querySelectorAll('.overlay .force').length === 0);
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
  // Where the budget is can always be seen: as a line, or as what is beyond the edge.
  await until(page, () => (window.palpate.marks['A step [ms]'] ?? []).length === 2);
  const marks = await look(page, () => window.palpate.marks['A step [ms]']);
  assert.deepEqual(marks.map((mark) => mark.replace(' ↑', '')), ['16.7 ms', '1 ms']);
  await shoot(page, 'chart');
});

test('bad commands are answered', async () => {
  for (const bad of [{ do: 'fly' }, { do: 'grab' }, { do: 'set', key: 'x' }, {}]) {
    const answer = await send(page, bad);
    assert.equal(answer.ok, false);
    assert.ok(answer.error.length > 10);
  }
});

test('a poke pushes what it hits', async () => {
  await restart();
  await choose('Poke');
  await page.getByRole('slider', { name: /^Push/ }).evaluate((input) => {
    input.value = Math.log10(5);  // [N s]
    input.dispatchEvent(new Event('input'));
  });
  await lookAtAll();
  const before = await meanOf('stone');
  const at = await middleOf('stone');
  await page.mouse.click(at.x, at.y);
  await stepOn(10);
  const after = await meanOf('stone');
  assert.ok(after[1] > before[1] + 0.01, `away from the eye, from ${before[1]} to ${after[1]}`);
  await choose('Grab');
});

test('a pin holds what is clicked, until it is clicked again', async () => {
  await restart();
  await lookAtAll();
  await choose('Pin');
  const click = ({ x, y }) => page.mouse.click(x, y);
  const fixed = (count) => until(page, (wanted) => {
    const { bodies, drawn, fixedOf } = window.palpate;
    return bodies.find((body) => body.name === 'block').fixed === wanted && drawn.fixed === wanted && (wanted === 0 || fixedOf('block'));
  }, count);
  await click(await middleOf('block'));
  await fixed(1);
  // Again, a little towards the middle, where there is something of the body to hit.
  const pin = await look(page, () => window.palpate.screenPoint(window.palpate.fixedOf('block')[0]));
  const middle = await middleOf('block');
  const part = Math.min(1, 6 / (Math.hypot(middle.x - pin.x, middle.y - pin.y) || 1));
  await click({ x: pin.x + part * (middle.x - pin.x), y: pin.y + part * (middle.y - pin.y) });
  await fixed(0);
  // A rigid body turns about its pin.
  await click(await middleOf('stone'));
  await until(page, () => window.palpate.status.pins.length === 1 && window.palpate.drawn.fixed === 1);
  await click(await middleOf('stone'));
  await until(page, () => window.palpate.status.pins.length === 0 && window.palpate.drawn.fixed === 0);
  // What is held stays where it is, whatever pulls at the rest.
  await click(await middleOf('block'));
  await fixed(1);
  const [held] = await look(page, () => window.palpate.fixedOf('block'));
  const before = await meanOf('block');
  assert.ok((await send(page, { do: 'grab', hand: 5, body: 'block', vertices: [0, 1, 2], weights: [1, 0, 0] })).ok);
  await send(page, { do: 'move', hand: 5, to: [0, 0, 0.6] });
  await stepOn(20);
  await until(page, () => window.palpate.fixedOf('block')?.length === 1);
  const [still] = await look(page, () => window.palpate.fixedOf('block'));
  const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
  assert.ok(distance(held, still) < 1e-3, `the node went from ${held} to ${still}`);
  assert.ok(distance(before, await meanOf('block')) > 0.01);
  await send(page, { do: 'release', hand: 5 });
  await choose('Grab');
});

test('a probe follows the cursor, and goes when it is let go', async () => {
  await restart();
  await lookAtAll();
  await choose('Probe');
  const at = await middleOf('block');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await until(page, () => window.palpate.frame && window.palpate.bodies.some((body) => body.name === 'probe') && window.palpate.positionsOf('probe').length > 0);
  const before = await meanOf('probe');
  await send(page, { do: 'play' });
  for (let i = 1; i <= 10; i += 1) await page.mouse.move(at.x, at.y - 12 * i);
  await until(page, (low) => {
    const points = window.palpate.positionsOf('probe') ?? [];
    let sum = 0;
    for (let i = 2; i < points.length; i += 3) sum += points[i];
    return points.length > 0 && (3 * sum) / points.length > low + 0.02;
  }, before[2]);
  await page.mouse.up();
  await until(page, () => !window.palpate.bodies.some((body) => body.name === 'probe'));
  await choose('Grab');
});

test('each layer draws something when it is on, and nothing when it is off', async () => {
  await restart();
  assert.ok((await send(page, { do: 'pin', body: 'block', vertices: [0, 1, 2], weights: [1, 0, 0] })).ok);
  // Pins begin the picture anew: speeds need two frames after that.
  await until(page, () => window.palpate.frame && window.palpate.fixedOf('block')?.length === 1);
  assert.ok((await send(page, { do: 'grab', hand: 6, body: 'block', vertices: [3, 4, 5], weights: [1, 0, 0] })).ok);
  await send(page, { do: 'move', hand: 6, to: [0.3, 0, 0.8] });
  await stepOn(3);
  await page.getByRole('tab', { name: 'Layers' }).click();
  const labels = {
    surfaces: 'Surfaces', wireframe: 'Wireframe', tetrahedra: 'Tetrahedra', fixed: 'Fixed nodes', contacts: 'Contacts',
    boxes: 'Boxes of bodies', region: 'Region of interest', search: 'Search tree or grid', velocities: 'Velocities',
  };
  const before = await look(page, () => window.palpate.layers);
  assert.deepEqual(Object.keys(before).filter((key) => key !== 'hands').sort(), Object.keys(labels).sort(), 'these are all');
  for (const [key, label] of Object.entries(labels)) {
    const box = page.getByRole('switch', { name: new RegExp(`^${label}`) });
    await box.setChecked(false);
    await until(page, (one) => window.palpate.drawn[one] === 0, key);
    await box.setChecked(true);
    await until(page, (one) => window.palpate.drawn[one] > 0, key);
  }
  const { drawn, contacts } = await look(page, () => ({ drawn: window.palpate.drawn, contacts: window.palpate.frame.contacts }));
  assert.equal(drawn.contacts, 2 * contacts, 'a segment and a normal of each');
  assert.equal(drawn.fixed, 1);
  assert.equal(drawn.boxes, 3, 'one of each body');
  await shoot(page, 'layers');
  for (const [key, label] of Object.entries(labels))
    await page.getByRole('switch', { name: new RegExp(`^${label}`) }).setChecked(before[key]);
  await send(page, { do: 'reset' });
});

test('keys do what the help says', async () => {
  await pause();
  const press = async (key) => {
    await look(page, () => document.activeElement.blur());
    await page.keyboard.press(key);
  };
  await press('?');
  const help = page.getByRole('dialog', { name: 'Keys and mouse' });
  await help.getByText('play or pause').waitFor();
  await shoot(page, 'help');
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  await press('Space');
  await until(page, () => window.palpate.status.playing);
  await press('Space');
  await until(page, () => !window.palpate.status.playing);
  const { step: now } = await send(page, { do: 'state' });
  await press('.');
  await until(page, (wanted) => window.palpate.frame?.step === wanted, now + 1);
  await press('r');
  await until(page, () => window.palpate.frame?.step === 0);
  const theme = () => look(page, () => document.documentElement.dataset.theme);
  assert.equal(await theme(), 'dark');
  await press('l');
  assert.equal(await theme(), 'light');
  await press('l');
  assert.equal(await theme(), 'dark');
  await press('m');
  await page.locator('.sidebar').waitFor({ state: 'hidden' });
  await press('m');
  await page.locator('.sidebar').waitFor({ state: 'visible' });
  const scale = () => look(page, () => document.querySelector('select[aria-label="Colour by"]').value);
  const first = await scale();
  const seen = [];
  for (let i = 0; i < 4; i += 1) {
    await press('k');
    seen.push(await scale());
  }
  assert.equal(new Set(seen).size, 4);
  assert.equal(seen[3], first);
  await press('2');
  assert.equal(await page.getByRole('radio', { name: 'Poke' }).getAttribute('aria-checked'), 'true');
  await press('1');
  // A group of radio buttons is one stop of the tab key; arrows go from one to the next.
  const grab = page.getByRole('radio', { name: 'Grab' });
  await grab.focus();
  for (const [key, name] of [['ArrowDown', 'Poke'], ['ArrowUp', 'Grab'], ['ArrowUp', 'Probe'], ['ArrowDown', 'Grab']]) {
    await page.keyboard.press(key);
    const focused = await look(page, () => ['aria-label', 'aria-checked'].map((one) => document.activeElement.getAttribute(one)));
    assert.deepEqual(focused, [name, 'true']);
  }
  assert.equal(await look(page, () => document.querySelectorAll('[role="radio"][tabindex="0"]').length), 1);
});

test('a picture is saved as PNG, twice as fine as the window', async () => {
  const button = page.getByRole('button', { name: 'Save a picture' });
  const [saved] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), button.click()]);
  assert.match(saved.suggestedFilename(), /\.png$/);
  const file = join(folder, 'picture.png');
  await saved.saveAs(file);
  const bytes = readFileSync(file);
  assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [2560, 1440]);
});

test('every control has a name, and every parameter is described', async () => {
  const line = await page.context().newCDPSession(page);
  const roles = new Set(['button', 'checkbox', 'combobox', 'link', 'listbox', 'radio', 'slider', 'spinbutton', 'switch', 'tab', 'textbox']);
  const controls = async () => {
    const { nodes } = await line.send('Accessibility.getFullAXTree');
    return nodes.filter((node) => !node.ignored && roles.has(node.role?.value));
  };
  for (const [tab, least] of [['Layers', 20], ['Tune', 30], ['Measure', 12]]) {
    await page.getByRole('tab', { name: tab }).click();
    await look(page, () => document.querySelectorAll('.tune details').forEach((group) => { group.open = true; }));
    const found = await controls();
    assert.ok(found.length >= least, `${found.length} controls of ${tab}`);
    assert.deepEqual(found.filter((node) => !node.name?.value?.trim()).map((node) => node.role.value), [], tab);
  }
  await page.getByRole('tab', { name: 'Tune' }).click();
  const bare = await look(page, () => {
    const about = (input) => document.getElementById(input.getAttribute('aria-describedby'))?.textContent ?? '';
    return [...document.querySelectorAll('.field :is(input, select)')].filter((input) => about(input).length <= 10).map((input) => input.id);
  });
  assert.deepEqual(bare, []);
  await page.locator('[id="parameter-contact.distance"]').focus();
  const about = page.locator('[id="parameter-contact.distance-about"]');
  await about.waitFor({ state: 'visible' });
  assert.match(await about.textContent(), /above 0 m/);
  await page.getByRole('tab', { name: 'Layers' }).click();
});

test('nothing lies over anything else, on a tablet and on a desk, in the light', async () => {
  for (const viewport of [{ width: 820, height: 1180 }, { width: 1280, height: 720 }]) {
    const other = await openPage(browser, server.address, { viewport, colorScheme: 'light' });
    await untilShown(other.page);
    assert.equal(await look(other.page, () => document.documentElement.dataset.theme), 'light');
    const opener = other.page.getByRole('button', { name: 'Open the panel' });
    const check = async () => {
      const names = ['.toolbar', '.play-bar', '.sidebar', '.tool-option', '.heading h1', '.opener'];
      const boxes = await look(other.page, (all) => all.flatMap((name) => {
        const element = document.querySelector(name);
        if (!element || element.offsetWidth === 0) return [];
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return [{ name, left, right, top, bottom }];
      }), names);
      assert.ok(['.toolbar', '.play-bar'].every((name) => boxes.some((box) => box.name === name)));
      for (const a of boxes) {
        const isInside = a.left >= 0 && a.top >= 0 && a.right <= viewport.width + 0.5 && a.bottom <= viewport.height + 0.5;
        assert.ok(isInside, `${a.name} is within ${viewport.width} × ${viewport.height}: ${JSON.stringify(a)}`);
        for (const b of boxes) {
          const overlap = a !== b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
          assert.ok(!overlap, `${a.name} lies over ${b.name} at ${viewport.width} × ${viewport.height}`);
        }
      }
      return boxes.map((box) => box.name);
    };
    await other.page.getByRole('radio', { name: 'Poke' }).click();  // which has a slider of its own
    await check();
    if (await opener.isVisible()) await opener.click();
    assert.ok((await check()).includes('.sidebar'));
    await shoot(other.page, `light-${viewport.width}`);
    await other.close();
  }
});
