// Fetches the recording that the server shows, and tells how far it is.
import { Recording } from './recording.js';

/** @param {(part: number|null) => void} onProgress from 0 to 1; null: nobody knows */
export async function loadRecording(address, onProgress) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`The recording could not be fetched (${answer.status}).`);
  const size = Number(answer.headers.get('Content-Length')) || null;
  const chunks = [];
  let got = 0;
  for (const reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    got += value.length;
    onProgress(size ? Math.min(1, got / size) : null);
  }
  return new Recording(joined(chunks, got));
}

function joined(chunks, size) {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
