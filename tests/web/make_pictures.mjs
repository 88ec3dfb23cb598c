// Draws pictures by the page itself (see support.mjs for what it needs):
//   node make_pictures.mjs gallery FOLDER [SCENE...]    of the scenes: scenes/pictures
//   node make_pictures.mjs docs FOLDER                  of the page: docs/pictures
import { join } from 'node:path';
import { launch, look, openPage, run, send, serve, stopAll, until, untilShown } from './support.mjs';

const [what, folder, ...only] = process.argv.slice(2);
const moments = { tori: 30, 'tori-3200': 30, 'tori-51200': 30, knot: 60, 'spheres-box': 50, bowl: 60, pendulum: 50, twist: 60, sheet: 150, squeeze: 20 };
const usual = 40;  // steps

async function opened(scene, steps, options) {
  const server = await serve(scene, '--port', '0', '--paused');
  const { page, close } = await openPage(browser, server.address, options);
  await untilShown(page);
  await send(page, { do: 'step', steps });
  await until(page, (wanted) => window.palpate.frame?.step === wanted, steps, 120_000);
  await page.keyboard.press('f');
  return { page, end: async () => { await close(); await server.stop(); } };
}

async function gallery() {
  for (const { name } of JSON.parse(run('scenes', '--json').out)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const { page, end } = await opened(name, moments[name] ?? usual, { viewport: { width: 480, height: 300 } });
    await look(page, () => document.querySelectorAll('.live, .overlay').forEach((one) => { one.hidden = true; }));
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await end();
  }
}

async function docs() {
  const { page, end } = await opened('tori', 16, {});
  await page.waitForTimeout(2000);
  await page.screenshot({ path: join(folder, 'view-tori.png') });
  await page.getByRole('tab', { name: 'Measure' }).click();
  await send(page, { do: 'step', steps: 150 });
  await until(page, () => window.palpate.frame?.step === 166, undefined, 120_000);
  await page.waitForTimeout(2000);
  await page.screenshot({ path: join(folder, 'view-chart.png') });
  await end();
}

const browser = await launch();
await { gallery, docs }[what]();
stopAll();
await browser.close();
