// A real server and a real browser, for tests of the page.
//
// PALPATE_PROGRAM: the command. PALPATE_MODULES: the folder with node_modules. PALPATE_SHOTS: where pictures go.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const program = process.env.PALPATE_PROGRAM;
const shots = process.env.PALPATE_SHOTS;
const modules = createRequire(join(process.env.PALPATE_MODULES, 'package.json'));
const { chromium } = modules('playwright-core');

export const folder = mkdtempSync(join(tmpdir(), 'palpate-web-'));
process.env.XDG_STATE_HOME = folder;  // the token of these servers is their own
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A soft block and a stone on a floor: small, and with contacts. */
export const smallScene = join(folder, 'small.toml');
writeFileSync(smallScene, `
title = "A block and a stone"
description = "Both lie on a floor."
[contact]
distance = 0.01
[[body]]
name = "floor"
kind = "static"
mesh = { shape = "box", size-x = 2, size-y = 2, size-z = 0.2 }
position = [0, 0, -0.1]
[[body]]
name = "stone"
kind = "rigid"
mesh = { shape = "box", size-x = 0.2, size-y = 0.2, size-z = 0.2 }
position = [0.5, 0, 0.105]
[[body]]
name = "block"
kind = "soft"
mesh = { shape = "solid-box", size-x = 0.3, size-y = 0.3, size-z = 0.3, cells-x = 3, cells-y = 3, cells-z = 3 }
material = { density = 1000, young = 3e4, poisson = 0.4 }
position = [0, 0, 0.155]
`);

/** Runs the command to its end. */
export function run(...args) {
  const done = spawnSync(program, args, { encoding: 'utf8' });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

const children = new Set();
/** Ends what a test that failed has left: without this, the tests would wait for it. */
export const stopAll = () => children.forEach((child) => child.kill('SIGKILL'));

/** `palpate view`: resolves when it has printed its address. */
export async function serve(...args) {
  const child = spawn(program, ['view', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.on('exit', () => children.delete(child));
  let out = '', err = '';
  child.stderr.on('data', (text) => { err += text; });
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      out += text;
      if (out.includes('\n')) resolve(out.trim());
    });
    child.on('exit', () => reject(new Error(`palpate view ended: ${err}`)));
  });
  const ended = new Promise((resolve) => { child.on('exit', (code, signal) => resolve({ code, signal })); });
  const stop = (signal = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { address, url: new URL(address), port: new URL(address).port, stop, signal: (name) => child.kill(name), said: () => err };
}

/** A browser for a test file; WebGL is drawn by the processor. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.PALPATE_CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
  });
}

// What browsers say of themselves, not of us.
const notOurs = [/readPixels/, /GPU stall/, /swiftshader/i, /Automatic fallback to software WebGL/];
// What a browser says when a server is not there, or refuses: tests that want that ask for it.
const ofTheLine = [/ERR_CONNECTION_(REFUSED|RESET|CLOSED|ABORTED)/, /ERR_EMPTY_RESPONSE/, /WebSocket connection to/, /status of (403|426)/];

/** A page, and what it complains about. */
export async function openPage(browser, address, { line = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: 'dark', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const complaints = [];
  const ignored = line ? [...notOurs, ...ofTheLine] : notOurs;
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (!ignored.some((pattern) => pattern.test(message.text()))) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(address);
  const close = async () => {
    const own = await page.evaluate(() => window.palpate?.errors ?? []);
    await context.close();
    assert.deepEqual([...complaints, ...own], [], 'the page has nothing to complain about');
  };
  return { page, close, complaints };
}

/** Until a function of the page is true. */
export const until = (page, condition, argument, timeout = 60_000) => page.waitForFunction(condition, argument, { timeout });
export const untilShown = (page) => until(page, () => window.palpate?.frame !== null && window.palpate?.frame !== undefined);
export const look = (page, what, argument) => page.evaluate(what, argument);
export const send = (page, command) => page.evaluate((one) => window.palpate.send(one), command);

/** Keeps a picture, for people. */
export async function shoot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
