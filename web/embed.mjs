// Writes the files of a folder as a C++ source: `node embed.mjs FOLDER OUT.cpp` (see src/palpate/report/web_files.h).
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, out] = process.argv.slice(2);
const piece = 4096; // bytes a line: compilers are slow with longer ones

const escaped = new Array(256).fill().map((_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === '"' || character === '\\') return '\\' + character;
  // '?' would begin a trigraph; three octal digits end by themselves.
  const plain = byte >= 0x20 && byte < 0x7f && character !== '?';
  return plain ? character : '\\' + byte.toString(8).padStart(3, '0');
});

function literal(bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += piece) {
    let line = '';
    for (const byte of bytes.subarray(i, i + piece)) line += escaped[byte];
    lines.push(`"${line}"`);
  }
  return lines.length > 0 ? lines.join('\n') : '""';
}

let text = '#include <palpate/report/web_files.h>\n\nnamespace palpate {\n\nnamespace {\n\n';
const rows = [];
for (const [i, name] of readdirSync(folder).sort().entries()) {
  const bytes = readFileSync(join(folder, name));
  text += `constexpr char file_${i}[] =\n${literal(bytes)};\n\n`;
  rows.push(`    {"${name}", {file_${i}, ${bytes.length}}},\n`);
}
text += `constexpr WebFile files[] = {\n${rows.join('')}};\n\n}  // namespace\n\n`;
text += 'std::span<const WebFile> web_files() { return files; }\n\n}  // namespace palpate\n';
writeFileSync(out, text);
