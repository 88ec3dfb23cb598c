// The checksum of messages in recordings: CRC-32 as zip and PNG have it. Four tables take four bytes at a time.

const tables = [new Uint32Array(256), new Uint32Array(256), new Uint32Array(256), new Uint32Array(256)];
for (let i = 0; i < 256; ++i) {
  let c = i;
  for (let k = 0; k < 8; ++k) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  tables[0][i] = c;
}
for (let t = 1; t < 4; ++t)
  for (let i = 0; i < 256; ++i) tables[t][i] = tables[0][tables[t - 1][i] & 255] ^ (tables[t - 1][i] >>> 8);

export function crc32(bytes, begin = 0, end = bytes.length) {
  const [t0, t1, t2, t3] = tables;
  let c = 0xffffffff;
  let i = begin;
  for (; i + 4 <= end; i += 4) {
    c ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    c = t3[c & 255] ^ t2[(c >>> 8) & 255] ^ t1[(c >>> 16) & 255] ^ t0[c >>> 24];
  }
  for (; i < end; ++i) c = t0[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}
