// Draws the gallery's pictures anew, by the page itself: `node make_pictures.mjs FOLDER [SCENE...]` (see support.mjs for what it needs).
import { join } from 'node:path';
import { launch, look, openPage, run, send, serve, stopAll, until, untilShown } from './support.mjs';

const [folder, ...only] = process.argv.slice(2);
const moments = { tori: 30, 'tori-3200': 30, 'tori-51200': 30, knot: 60, 'spheres-box': 50, bowl: 60, pendulum: 50, twist: 60, sheet: 150 };
const usual = 40;  // steps

const browser = await launch();
for (const { name } of JSON.parse(run('scenes', '--json').out)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const server = await serve(name, '--port', '0', '--paused');
  const { page, close } = await openPage(browser, server.address, { viewport: { width: 480, height: 300 } });
  await untilShown(page);
  const wanted = moments[name] ?? usual;
  await send(page, { do: 'step', steps: wanted });
  await until(page, (step) => window.palpate.frame?.step === step, wanted, 120_000);
  await page.keyboard.press('f');
  await look(page, () => document.querySelectorAll('.live, .overlay').forEach((one) => { one.hidden = true; }));
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await close();
  await server.stop();
}
stopAll();
await browser.close();
