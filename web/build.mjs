// Bundles the page and the player of reports:
//   node web/build.mjs MODULES_DIR OUT_DIR
// MODULES_DIR is where `npm ci` has put node_modules; OUT_DIR gets index.html, icon.svg, page.* and player.*.
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [modules, out] = process.argv.slice(2);
if (!modules || !out) {
  console.error('Usage: node build.mjs MODULES_DIR OUT_DIR');
  process.exit(2);
}
const source = path.join(path.dirname(fileURLToPath(import.meta.url)), 'src');
const esbuild = createRequire(path.resolve(modules, 'package.json'))('esbuild');

const options = {
  bundle: true,
  minify: true,
  target: ['es2020', 'chrome100', 'firefox100', 'safari15'],  // the browsers are for the style sheets
  legalComments: 'eof',
  nodePaths: [path.resolve(modules, 'node_modules')],
  logLevel: 'warning',
};
const build = (name, format) =>
  esbuild.build({ ...options, format, entryPoints: [path.join(source, name)], outfile: path.join(out, name) });

await mkdir(out, { recursive: true });
await Promise.all([
  build('page.js', 'esm'),
  build('page.css'),
  build('player.js', 'iife'),  // reports have it inline
  build('player.css'),
  copyFile(path.join(source, 'index.html'), path.join(out, 'index.html')),
  copyFile(path.join(source, 'icon.svg'), path.join(out, 'icon.svg')),
]);
