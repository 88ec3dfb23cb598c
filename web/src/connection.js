// The line to the server: messages come in, commands go out and are answered. A line that is lost is built up again.
//
// Not every line that is lost is closed: a server may be stopped, a cable pulled, a machine asleep. After some silence
// the server is asked how it stands, and a line without an answer is given up. A server that is in a long step does not
// answer either; but it still sends files, and then the line is left alone for longer.
import { Kind, ProtocolError, readMessage } from './protocol.js';

const firstPause = 500;  // [ms] between attempts
const longestPause = 5000;
const patience = 3000;  // [ms] for an answer
// Silence is counted in ticks, not in time: a page that was busy itself, or asleep, has many messages to read first.
const tick = 1000;  // [ms]
const quiet = 3;  // ticks without any message until it is asked
const mostSilence = 6;
const mostBusy = 30;  // where the server still sends files

export class Connection {
  /**
   * @param {string} token of the address
   * @param {{message: (kind: number, value: any) => void, state: (state: 'open'|'lost'|'refused') => void,
   *          trouble: (error: Error) => void}} handlers
   */
  constructor(token, handlers) {
    this.token = token;
    this.handlers = handlers;
    this.waiting = new Map();  // from the ids of commands to whoever waits for the answers
    this.nextId = 1;
    this.pause = firstPause;
    this.socket = null;
    this.silence = 0;  // ticks since the last message, or since an attempt began
    this.isBusy = false;  // it is silent and sends files
    setInterval(() => this.#tick(), tick);
    addEventListener('online', () => this.#tryNow());
    this.#open();
  }

  get isOpen() { return this.socket?.readyState === WebSocket.OPEN; }

  /** An answer that is not ok is an answer, too; only a lost line rejects. */
  send(command) {
    if (!this.isOpen) return Promise.reject(new Error('There is no connection.'));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, ...command }));
    });
  }

  /** An address of this server, with the token. */
  address(path) {
    const url = new URL(path, location.href);
    url.searchParams.set('token', this.token);
    return url;
  }

  #open() {
    clearTimeout(this.timer);
    this.timer = null;
    this.#heard();
    const url = this.address('/stream');
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.#heard();
      this.pause = firstPause;
      this.handlers.state('open');
    };
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = () => this.#lost();
    this.socket = socket;
  }

  #heard() {
    this.silence = 0;
    this.isBusy = false;
  }

  #tick() {
    if (!this.socket) return;  // between two attempts
    ++this.silence;
    if (this.silence >= (this.isBusy ? mostBusy : mostSilence)) this.#giveUp();
    else if (!this.isOpen) return;
    else if (this.silence === quiet) this.send({ do: 'state' }).catch(() => {});
    else if (this.silence === quiet + 1) this.#askForAFile();
  }

  async #askForAFile() {
    const { socket } = this;
    try {
      await fetch('/icon.svg', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(patience) });
      if (socket === this.socket && this.silence > quiet) this.isBusy = true;
    } catch { /* it is silent there, too */ }
  }

  // The socket would wait for long until it closes: whoever is at the other end does not answer.
  #giveUp() {
    const { socket } = this;
    for (const event of ['onopen', 'onmessage', 'onclose']) socket[event] = null;
    socket.close();
    this.#lost();
  }

  #take(data) {
    this.#heard();
    if (!(data instanceof ArrayBuffer)) return;
    try {
      const { kind, value } = readMessage(data);
      if (kind === Kind.answer) this.#answer(value);
      else this.handlers.message(kind, value);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.handlers.trouble(error);
    }
  }

  #answer(value) {
    const waiting = this.waiting.get(value.id);
    this.waiting.delete(value.id);
    waiting?.resolve(value);
  }

  async #lost() {
    this.socket = null;
    for (const { reject } of this.waiting.values()) reject(new Error('The connection was lost.'));
    this.waiting.clear();
    this.handlers.state('lost');
    const isRefused = await this.#isRefused();
    if (isRefused) this.handlers.state('refused');
    this.timer = setTimeout(() => this.#open(), isRefused ? longestPause : this.pause);
    this.pause = Math.min(1.6 * this.pause, longestPause);
  }

  // A socket does not tell why it was closed. A server that is there and forbids does not like the token.
  async #isRefused() {
    try {
      const { status } = await fetch(this.address('/stream'), { cache: 'no-store', signal: AbortSignal.timeout(patience) });
      return status === 401 || status === 403;
    } catch {
      return false;
    }
  }

  #tryNow() {
    if (this.timer) this.#open();
  }
}
