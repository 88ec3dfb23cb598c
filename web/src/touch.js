// What fingers and mice do to bodies. A press that means a body is taken before the camera sees it; all others turn
// the view.
import { Vector3 } from 'three';
import { BodyKind } from './protocol.js';

export const tools = [
  { key: 'grab', label: 'Grab', shortcut: '1', hint: 'Drag a body: a spring pulls it to the cursor' },
  { key: 'poke', label: 'Poke', shortcut: '2', hint: 'Click a body to push it away',
    option: { label: 'Push', unit: 'N s', least: 1e-3, most: 100, value: 0.1 } },
  { key: 'pin', label: 'Pin', shortcut: '3', hint: 'Click a body to hold it there; click the pin to let go' },
  { key: 'probe', label: 'Probe', shortcut: '4', hint: 'Press on a body: a ball follows the cursor; the wheel moves it in and out',
    option: { label: 'Radius', unit: 'm', least: 1e-3, most: 1 } },
];

const clickPixels = 6;  // farther is a drag
const pinPixels = 16;
const pinchMilliseconds = 200;  // two fingers that come within this are one gesture, later ones are hands of their own

export class Touch {
  /**
   * @param {import('./stage.js').Stage} stage
   * @param {import('./pins.js').Pins} pins
   * @param {(command: object) => void} send
   */
  constructor(stage, pins, send) {
    this.stage = stage;
    this.pins = pins;
    this.send = send;
    this.isOn = false;
    this.tool = 'grab';
    this.options = { poke: 0.1, probe: 0.03 };
    this.held = new Map();  // from pointers to what they do: {kind, plane, to, isMoved, hand}
    this.press = null;  // may become a click
    this.finger = null;  // the last that came down on a body
    this.isHandingOver = false;
    this.nextHand = 1;
    const { host } = stage.view;
    host.addEventListener('pointerdown', (event) => this.#down(event), { capture: true });
    host.addEventListener('dblclick', (event) => this.#focus(event));
    host.addEventListener('wheel', (event) => this.#wheel(event), { capture: true, passive: false });
    addEventListener('pointermove', (event) => this.#move(event));
    addEventListener('pointerup', (event) => this.#up(event));
    addEventListener('pointercancel', (event) => this.#up(event));
    stage.view.tickers.add(() => this.#tick());
  }

  releaseAll() {
    for (const pointer of [...this.held.keys()]) this.#release(pointer);
  }

  /** The world is another one: nothing is held any more. */
  forget() {
    this.held.clear();
    this.pins.clear();
  }

  #down(event) {
    if (!this.isOn || this.isHandingOver || event.target !== this.stage.view.canvas || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey) return;
    this.press = { x: event.clientX, y: event.clientY, pointer: event.pointerId };
    if (event.pointerType === 'touch' && this.#pinches(event)) return;
    if (this.tool !== 'grab' && this.tool !== 'probe') return;
    if (event.shiftKey) return;
    const hit = this.stage.bodies.pick(event.clientX, event.clientY);
    if (!hit?.body.canMove) return;
    event.stopPropagation();
    this.finger = event.pointerType === 'touch' ? event : null;
    if (this.tool === 'grab') this.#grab(event, hit);
    else this.#probe(event, hit);
  }

  // The second of two fingers that turn, move or zoom: what the first one took is let go, and the camera gets both.
  #pinches(event) {
    const first = this.finger;
    this.finger = null;
    if (!first || event.timeStamp - first.timeStamp > pinchMilliseconds || !this.held.has(first.pointerId)) return false;
    const { x, y } = this.held.get(first.pointerId).at ?? { x: first.clientX, y: first.clientY };
    this.#release(first.pointerId);
    this.press = null;
    this.isHandingOver = true;
    this.stage.view.canvas.dispatchEvent(new PointerEvent('pointerdown', {
      pointerId: first.pointerId, pointerType: 'touch', isPrimary: first.isPrimary, clientX: x, clientY: y, bubbles: true,
    }));
    this.isHandingOver = false;
    return true;
  }

  #grab(event, hit) {
    const hand = this.nextHand++;
    this.held.set(event.pointerId, { kind: 'grab', hand, plane: this.stage.view.planeThrough(hit.point), to: null });
    this.send({ do: 'grab', hand, ...surfacePoint(hit) });
  }

  // The ball begins in front of the body, so that it does not begin inside of it.
  #probe(event, hit) {
    if ([...this.held.values()].some((one) => one.kind === 'probe')) return;
    const radius = this.options.probe;
    const begin = hit.point.clone().addScaledVector(hit.direction, -1.1 * radius);
    this.held.set(event.pointerId, {
      kind: 'probe', radius, plane: this.stage.view.planeThrough(begin), to: begin, at: { x: event.clientX, y: event.clientY },
    });
    this.send({ do: 'probe', to: begin.toArray(), radius });
  }

  #move(event) {
    const held = this.held.get(event.pointerId);
    if (!held) return;
    held.at = { x: event.clientX, y: event.clientY };
    this.#aim(held);
  }

  #aim(held) {
    held.to = this.stage.view.rayAt(held.at.x, held.at.y).ray.intersectPlane(held.plane, new Vector3()) ?? held.to;
    held.isMoved = true;
    this.stage.view.redraw();
  }

  // At most one move a picture.
  #tick() {
    for (const held of this.held.values()) {
      if (!held.isMoved || !held.to) continue;
      held.isMoved = false;
      const to = held.to.toArray();
      this.send(held.kind === 'grab' ? { do: 'move', hand: held.hand, to } : { do: 'probe', to, radius: held.radius });
    }
    return false;
  }

  #wheel(event) {
    const probe = [...this.held.values()].find((one) => one.kind === 'probe');
    if (!probe) return;
    event.preventDefault();
    event.stopPropagation();
    probe.plane.constant += 0.3 * probe.radius * Math.sign(event.deltaY);  // its normal looks away from us
    this.#aim(probe);
  }

  #up(event) {
    if (this.held.has(event.pointerId)) this.#release(event.pointerId);
    else if (this.#isClick(event)) this.#click(event);
    if (this.press?.pointer === event.pointerId) this.press = null;
  }

  #release(pointer) {
    const held = this.held.get(pointer);
    this.held.delete(pointer);
    this.send(held.kind === 'grab' ? { do: 'release', hand: held.hand } : { do: 'unprobe' });
  }

  #isClick(event) {
    return event.type === 'pointerup' && this.press?.pointer === event.pointerId &&
      Math.hypot(event.clientX - this.press.x, event.clientY - this.press.y) < clickPixels;
  }

  #click(event) {
    if (this.tool !== 'poke' && this.tool !== 'pin') return;
    const hit = this.stage.bodies.pick(event.clientX, event.clientY);
    if (!hit?.body.canMove) return;
    if (this.tool === 'poke')
      this.send({ do: 'poke', ...surfacePoint(hit), push: hit.direction.multiplyScalar(this.options.poke).toArray() });
    else this.#pin(event, hit);
  }

  #pin(event, hit) {
    const isPinned = hit.body.kind === BodyKind.rigid ? this.pins.has(hit.body.name) : this.#isNearFixed(event, hit.body);
    const unpins = event.shiftKey || isPinned;
    this.send({ do: unpins ? 'unpin' : 'pin', ...surfacePoint(hit) });
  }

  #isNearFixed(event, body) {
    const nodes = this.stage.world.nodes(body);
    return !!nodes && Array.from(body.fixed).some((node) => {
      const at = this.stage.view.project(nodes.subarray(3 * node, 3 * node + 3));
      return Math.hypot(at.x - event.clientX, at.y - event.clientY) < pinPixels;
    });
  }

  #focus(event) {
    const hit = this.stage.bodies.pick(event.clientX, event.clientY);
    if (hit) this.stage.view.focus(hit.point);
  }
}

const surfacePoint = ({ body, vertices, weights }) => ({ body: body.name, vertices, weights });
