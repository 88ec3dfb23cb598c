// What is kept: recordings and reports; and the gallery, where all begins.
import assert from 'node:assert/strict';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { folder, launch, look, openPage, run, send, serve, shoot, smallScene, stopAll, until, untilShown } from './support.mjs';

let browser;
before(async () => { browser = await launch(); });
after(async () => {
  stopAll();
  await browser?.close();
});

const file = join(folder, 'saved.palpate');
let lastStep = 0;  // of it

test('a recording is saved from the page, and runs again as it ran', async () => {
  const server = await serve(smallScene, '--port', '0');
  const { page, close } = await openPage(browser, server.address, { acceptDownloads: true });
  await untilShown(page);
  await send(page, { do: 'pause' });
  await page.getByRole('button', { name: 'Record from the beginning' }).click();
  await until(page, () => window.palpate.status.recording && window.palpate.frame?.step === 0);
  await send(page, { do: 'play' });
  const held = { body: 'block', vertices: [0, 1, 2], weights: [1, 0, 0] };
  assert.ok((await send(page, { do: 'grab', hand: 77, ...held })).ok);
  await send(page, { do: 'move', hand: 77, to: [0, 0, 0.6] });
  await until(page, () => window.palpate.frame?.step > 20);
  // In the air, where the hand has it: not where it was at rest.
  assert.ok((await send(page, { do: 'pin', body: 'block', vertices: [0, 1, 2], weights: [1, 0, 0] })).ok);
  const { step: pinned } = await send(page, { do: 'state' });
  await until(page, (than) => window.palpate.frame?.step > than + 20, pinned);
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Stop and save the recording' }).click()]);
  await saved.saveAs(file);
  await close();
  await server.stop();
  const verified = run('replay', file, '--verify');
  assert.equal(verified.code, 0, verified.err);
});

test('a recording plays and seeks', async () => {
  const server = await serve(file, '--port', '0');
  const { page, close } = await openPage(browser, server.address);
  await untilShown(page);
  const slider = page.getByRole('slider', { name: 'Time' });
  const last = await seek(page, slider, 1000);
  const first = await seek(page, slider, 0);
  assert.equal(first, 0);
  assert.ok(last >= 40);
  lastStep = last;
  const middle = await seek(page, slider, 500);
  assert.ok(middle > first && middle < last);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await until(page, (than) => window.palpate.frame?.step > than, middle);
  await shoot(page, 'recording');
  await close();
  await server.stop();
});

test('fixed nodes, tetrahedra and strain are in recordings, where they are', async () => {
  const server = await serve(file, '--port', '0');
  const { page, close } = await openPage(browser, server.address);
  await untilShown(page);
  const slider = page.getByRole('slider', { name: 'Time' });
  const vertex = () => look(page, () => [...window.palpate.positionsOf('block').subarray(0, 3)]);
  const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
  await seek(page, slider, 0);
  const atRest = await vertex();
  await seek(page, slider, 1000);
  const fixed = await look(page, () => window.palpate.fixedOf('block'));
  assert.equal(fixed.length, 1);
  assert.ok(distance(fixed[0], await vertex()) < 1e-3, 'it is a node of the surface, and drawn there');
  assert.ok(distance(fixed[0], atRest) > 0.01, 'which is not where it began');
  assert.equal(await look(page, () => window.palpate.drawn.fixed), 1);
  await page.getByRole('tab', { name: 'Layers' }).click();
  await page.getByRole('switch', { name: /^Tetrahedra/ }).setChecked(true);
  await until(page, () => window.palpate.drawn.tetrahedra > 0);
  await page.getByRole('combobox', { name: 'Colour by' }).selectOption('strain');
  await page.getByText('Strain energy [J/m³]').waitFor();
  assert.ok(await page.getByRole('switch', { name: /^Search/ }).isHidden(), 'boxes of the search are a server\'s alone');
  await shoot(page, 'recording-inside');
  await close();
  await server.stop();
});

async function seek(page, slider, place) {
  const pause = page.getByRole('button', { name: 'Pause', exact: true });
  if (await pause.isVisible()) await pause.click();
  await slider.evaluate((input, value) => {
    input.value = value;
    input.dispatchEvent(new Event('input'));
  }, place);
  await page.waitForTimeout(200);
  return look(page, () => window.palpate.frame?.step);
}

test('a recording that was cut off plays to its end', async () => {
  const cut = join(folder, 'cut.palpate');
  writeFileSync(cut, readFileSync(file));
  truncateSync(cut, Math.floor(0.6 * statSync(file).size));
  const server = await serve(cut, '--port', '0');
  assert.match(server.said(), /cut off/);
  const { page, close } = await openPage(browser, server.address);
  await untilShown(page);
  const end = await seek(page, page.getByRole('slider', { name: 'Time' }), 1000);
  assert.ok(end > 0 && end < lastStep, `it ends at step ${end} of ${lastStep}`);
  // Beyond its end there is nothing: it stays there, and says so.
  const told = async () => Number(/step (\d+)/.exec(await page.locator('.play-bar .readout').textContent())[1]);
  const next = page.getByRole('button', { name: 'One frame on' });
  for (let i = 0; i < 3; i += 1) await next.click();
  assert.equal(await look(page, () => window.palpate.frame.step), end);
  assert.equal(await told(), end);
  await page.getByRole('button', { name: 'One frame back' }).click();
  const back = await told();
  assert.ok(back >= 0 && back < end, `step ${back} is before ${end}`);
  await close();
  await server.stop();
});

test('a report opens from disk, with its player', async () => {
  const out = join(folder, 'report');
  const done = run('run', 'tori', '--steps', '40', '--out', out);
  assert.equal(done.code, 0, done.err);
  const report = join(out, 'report.html');
  assert.ok(statSync(report).size < 10e6);
  const { page, close } = await openPage(browser, pathToFileURL(report).href);
  await page.locator('#player canvas').waitFor();
  await page.waitForTimeout(1500);
  await shoot(page, 'report');
  assert.ok(await page.getByText('To do it again').isVisible());
  await close();
});

test('a report offers what its recording has', async () => {
  const out = join(folder, 'small-report');
  const done = run('run', smallScene, '--steps', '20', '--out', out);
  assert.equal(done.code, 0, done.err);
  const { page, close } = await openPage(browser, pathToFileURL(join(out, 'report.html')).href);
  await page.locator('#player canvas').waitFor();
  await page.getByRole('button', { name: 'Layers' }).click();
  await page.getByRole('switch', { name: /^Tetrahedra/ }).setChecked(true);
  await page.getByRole('combobox', { name: 'Colour by' }).selectOption('strain');
  await page.getByText('Strain energy [J/m³]').waitFor();
  assert.ok(await page.getByRole('switch', { name: /^Search/ }).isHidden());
  assert.ok(await page.getByText('The player has').isHidden(), 'all frames have room');
  await shoot(page, 'report-inside');
  await close();
});

test('the gallery shows all scenes, opens one and goes back', async () => {
  const server = await serve('--port', '0');
  const { page, close } = await openPage(browser, server.address);
  const names = JSON.parse(run('scenes', '--json').out).map((one) => one.title);
  for (const name of names) await page.getByText(name, { exact: true }).first().waitFor();
  // Pictures are loaded when they come into sight.
  const pictures = page.locator('.card .picture img');
  assert.equal(await pictures.count(), names.length, 'each scene has one');
  for (let i = 0; i < names.length; i += 1) {
    await pictures.nth(i).scrollIntoViewIfNeeded();
    await until(page, (at) => document.querySelectorAll('.card .picture img')[at]?.naturalWidth > 0, i);
  }
  await look(page, () => document.querySelector('.gallery').scrollTo(0, 0));
  await page.waitForTimeout(500);
  await shoot(page, 'gallery');
  await page.getByText(JSON.parse(run('scenes', '--json').out).find((one) => one.name === 'tori').title, { exact: true }).first().click();
  await untilShown(page);
  await until(page, () => window.palpate.frame?.scalars.contacts > 0, undefined, 60_000);
  await page.waitForTimeout(1000);
  await shoot(page, 'tori');
  await page.getByRole('button', { name: 'Scenes' }).click();
  await until(page, () => window.palpate.status.mode === 'gallery');
  await close();
  await server.stop();
});
