// Lines that are lost without a word. Sockets and clocks are made up here; tests/web has real ones.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Connection } from '../src/connection.js';
import { frame, hello } from './buffers.mjs';

class Socket {
  static OPEN = 1;
  static all = [];
  readyState = 0;
  sent = [];
  constructor() { Socket.all.push(this); }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 2; }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  take(bytes) { this.onmessage({ data: bytes.buffer }); }
  answer(command) {
    this.take(Uint8Array.from([4, ...new TextEncoder().encode(JSON.stringify({ id: command.id, ok: true }))]));
  }
}

/** `sendsFiles`: the server does, however silent it is otherwise. */
function connect(t, { sendsFiles = false } = {}) {
  Socket.all = [];
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const asked = [];
  const before = ['WebSocket', 'location', 'addEventListener', 'fetch'].map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  Object.assign(globalThis, { WebSocket: Socket, location: { href: 'http://here/' }, addEventListener: () => {} });
  globalThis.fetch = async (path) => {
    asked.push(String(path));
    if (!sendsFiles) throw new TypeError('nobody is there');
    return { status: 200 };
  };
  t.after(() => before.forEach(([name, old]) => (old ? Object.defineProperty(globalThis, name, old) : delete globalThis[name])));
  const states = [];
  const connection = new Connection('token', { message: () => {}, state: (state) => states.push(state), trouble: (error) => { throw error; } });
  const newest = () => Socket.all[Socket.all.length - 1];
  newest().open();
  const settle = async () => { for (let i = 0; i < 10; ++i) await Promise.resolve(); };
  const seconds = async (count) => {
    for (let i = 0; i < count; ++i) {
      t.mock.timers.tick(1000);
      await settle();
    }
  };
  return { connection, states, newest, seconds, asked };
}

test('a server that says nothing is asked, and its answer is enough', async (t) => {
  const { states, newest, seconds, asked } = connect(t);
  for (let round = 1; round <= 5; ++round) {
    await seconds(3);
    assert.equal(newest().sent.length, round);
    assert.equal(newest().sent[round - 1].do, 'state');
    newest().answer(newest().sent[round - 1]);
  }
  assert.deepEqual(states, ['open']);
  assert.equal(Socket.all.length, 1);
  assert.deepEqual(asked, []);
});

test('a server that talks is not asked', async (t) => {
  const { states, newest, seconds } = connect(t);
  for (let i = 0; i < 10; ++i) {
    await seconds(2);
    newest().take(i % 2 ? hello() : frame(i));
  }
  assert.deepEqual(newest().sent, []);
  assert.deepEqual(states, ['open']);
});

test('a line without an answer is lost, and what comes after is another one', async (t) => {
  const { connection, states, newest, seconds } = connect(t);
  const [dead] = Socket.all;
  const command = assert.rejects(connection.send({ do: 'play' }), /lost/);
  await seconds(6);
  assert.deepEqual(states, ['open', 'lost']);
  assert.equal(dead.readyState, 2);
  await command;
  await assert.rejects(connection.send({ do: 'play' }), /no connection/);
  await seconds(1);
  assert.equal(Socket.all.length, 2);
  assert.equal(dead.onmessage, null, 'nobody listens to it any more');
  newest().open();
  assert.deepEqual(states, ['open', 'lost', 'open']);
  newest().take(hello());
  await seconds(2);
  assert.deepEqual(states, ['open', 'lost', 'open']);
});

test('attempts that lead nowhere are given up, and made again', async (t) => {
  const { states, newest, seconds } = connect(t);
  await seconds(60);
  assert.ok(Socket.all.length >= 4, `${Socket.all.length} attempts in a minute`);
  assert.ok(states.slice(1).every((state) => state === 'lost'));
  assert.ok(Socket.all.slice(0, -1).every((socket) => socket.readyState === 2));
  newest().open();
  assert.equal(states.at(-1), 'open');
});

test('a server in a long step still sends files, and is waited for', async (t) => {
  const { states, newest, seconds, asked } = connect(t, { sendsFiles: true });
  await seconds(20);
  assert.deepEqual(states, ['open']);
  assert.equal(asked.length, 1);
  newest().answer(newest().sent[0]);
  await seconds(3);
  assert.equal(newest().sent.length, 2, 'it is asked again');
  assert.deepEqual(states, ['open']);
  await seconds(40);
  assert.ok(states.includes('lost'), 'but not for ever');
});
