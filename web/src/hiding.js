// Bodies that stand still and hide what moves: walls, bowls. They are drawn like glass, or there would be nothing to see.
import { Raycaster, Vector3 } from 'three';
import { BodyKind } from './protocol.js';

const mostLooked = 16;  // bodies that are looked for: the rest is like them

/**
 * @param {import('./body_shape.js').BodyShape[]} shapes
 * @param {(shape: object) => Float32Array} placesOf
 * @param {Vector3} eye
 * @returns {Set<object>} shapes
 */
export function hidingShapes(shapes, placesOf, eye) {
  const moves = ({ body }) => body.kind === BodyKind.rigid || body.kind === BodyKind.soft;
  const still = shapes.filter((shape) => shape.mesh && !moves(shape));
  const moving = shapes.filter(moves);
  const hiding = new Set();
  const every = Math.ceil(moving.length / mostLooked);
  for (const shape of still) shape.mesh.updateMatrixWorld();
  for (let i = 0; i < moving.length; i += every) {
    const way = middleOf(placesOf(moving[i])).sub(eye);
    const caster = new Raycaster(eye, way.clone().normalize(), 0, way.length());
    for (const shape of still)
      if (!hiding.has(shape) && caster.intersectObject(shape.mesh, false).length > 0) hiding.add(shape);
  }
  return hiding;
}

function middleOf(places) {
  const sum = new Vector3();
  for (let i = 0; i < places.length; i += 3) sum.set(sum.x + places[i], sum.y + places[i + 1], sum.z + places[i + 2]);
  return sum.multiplyScalar(3 / Math.max(places.length, 1));
}
