// All bodies as they are drawn, and what is under the cursor.
import { Group, Matrix4, Triangle, Vector3 } from 'three';
import { BodyShape } from './body_shape.js';
import { coloursOf } from './colours.js';
import { hidingShapes } from './hiding.js';

const hidingEvery = 30;  // frames: what moves is hidden slowly
const stringPixels = 8;  // a string is thin: so near to it is on it

export class Bodies {
  /** @param {import('./world.js').World} world */
  constructor(view, world) {
    this.view = view;
    this.world = world;
    this.group = new Group();
    this.shapes = [];
    this.look = { surfaces: true, wireframe: false, tetrahedra: false, opacity: 1 };
    this.colours = [];
    this.hiding = new Set();
    view.controls.addEventListener('end', () => this.#findHiding());
    view.content.add(this.group);
  }

  /** There are other bodies; those that look as before keep their shapes. */
  rebuild() {
    const old = new Map(this.shapes.map((shape) => [shape.body.name, shape]));
    this.group.clear();
    this.shapes = this.world.bodies.map((body) => {
      const known = old.get(body.name);
      if (known?.fits(body)) {
        known.body = body;
        old.delete(body.name);
        return known;
      }
      return new BodyShape(body, this.world.positions(body));
    });
    for (const shape of old.values()) shape.dispose();
    for (const shape of this.shapes) this.group.add(...shape.objects);
    this.updates = 0;
    this.setLook({});
  }

  update() {
    for (const shape of this.shapes) shape.update(this.world.positions(shape.body));
    if (this.updates++ % hidingEvery === 0) this.#findHiding();
  }

  #findHiding() {
    if (!this.world.frame) return;
    const now = hidingShapes(this.shapes, (shape) => this.world.positions(shape.body), this.view.camera.position);
    const isSame = now.size === this.hiding.size && [...now].every((shape) => this.hiding.has(shape));
    this.hiding = now;
    if (!isSame) this.setLook({});
  }

  setLook(change) {
    Object.assign(this.look, change);
    const { theme } = this.view;
    const { surfaces, wireframe, tetrahedra, opacity } = this.look;
    this.colours = coloursOf(this.world.bodies, theme);
    this.shapes.forEach((shape, i) => {
      // Tetrahedra are inside: what they are shown of becomes a mist. What hides others is of glass.
      const isMist = tetrahedra && shape.body.tetrahedra.length > 0;
      const most = isMist ? 0.12 : this.hiding.has(shape) ? 0.2 : 1;
      shape.setLook({ colour: this.colours[i], theme, surface: surfaces, wires: wireframe, opacity: Math.min(opacity, most) });
    });
    this.view.redraw();
  }

  /** What is seen at a point of the window: {body, point, direction, vertices, weights}, or null. */
  pick(x, y) {
    const caster = this.view.rayAt(x, y);
    const surface = this.#pickSurface(caster);
    const string = this.#pickString(x, y, caster);
    const isBehind = surface && string && surface.point.distanceTo(caster.ray.origin) < string.point.distanceTo(caster.ray.origin);
    return isBehind ? surface : string ?? surface;
  }

  // The nearest place on a string, by pixels.
  #pickString(x, y, caster) {
    let best = null;
    let least = stringPixels;
    for (const { body } of this.shapes.filter((shape) => shape.line && this.look.surfaces)) {
      const positions = this.world.positions(body);
      const place = (v) => new Vector3().fromArray(positions, 3 * v);
      for (let a = 0; a + (body.isClosed ? 0 : 1) < body.vertices; ++a) {
        const b = (a + 1) % body.vertices;
        const [from, to] = [place(a), place(b)];
        const part = partAlong({ x, y }, this.view.project(from), this.view.project(to));
        const point = from.lerp(to, part);
        const at = this.view.project(point);
        const distance = Math.hypot(at.x - x, at.y - y);
        if (distance >= least || point.clone().sub(caster.ray.origin).dot(caster.ray.direction) <= 0) continue;
        least = distance;
        best = { body, point, direction: caster.ray.direction.clone(), vertices: [a, b, b], weights: [1 - part, part, 0] };
      }
    }
    return best;
  }

  #pickSurface(caster) {
    const meshes = this.shapes.filter((shape) => shape.mesh).map((shape) => shape.mesh);
    for (const mesh of meshes) mesh.updateMatrixWorld();
    const hits = caster.intersectObjects(meshes, false);
    // Through glass, what is behind it.
    const hit = hits.find(({ object }) => !this.hiding.has(object.userData.shape)) ?? hits[0];
    if (!hit) return null;
    const { shape } = hit.object.userData;
    const corners = [hit.face.a, hit.face.b, hit.face.c];
    const inverse = new Matrix4().copy(hit.object.matrixWorld).invert();
    const triangle = new Triangle(...corners.map((corner) => new Vector3().fromArray(shape.places, 3 * corner)));
    const weights = triangle.getBarycoord(hit.point.clone().applyMatrix4(inverse), new Vector3());
    return {
      body: shape.body,
      point: hit.point,
      direction: caster.ray.direction.clone(),
      vertices: corners.map((corner) => shape.source[corner]),
      weights: sumToOne(weights ? weights.toArray() : [1, 0, 0]),
    };
  }
}

// How far along a segment of the window its point next to another one is, from 0 to 1.
function partAlong(point, from, to) {
  const [ux, uy] = [to.x - from.x, to.y - from.y];
  const square = ux * ux + uy * uy;
  if (square === 0) return 0;
  return Math.min(1, Math.max(0, ((point.x - from.x) * ux + (point.y - from.y) * uy) / square));
}

function sumToOne(weights) {
  const inside = weights.map((weight) => Math.max(0, weight));
  const sum = inside[0] + inside[1] + inside[2];
  return inside.map((weight) => weight / sum);
}
