// Nodes that are held in place, and pins of rigid bodies: red squares.
import { BufferAttribute, BufferGeometry, Points, PointsMaterial } from 'three';
import { fixedColour } from '../colours.js';

export class FixedLayer {
  constructor({ world, pins }) {
    this.world = world;
    this.pins = pins;
    const material = new PointsMaterial({ color: fixedColour, size: 6, sizeAttenuation: false, depthTest: false, transparent: true });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 9;
  }

  update() {
    const places = [...(this.pins?.places() ?? [])];
    for (const body of this.world.bodies) {
      if (body.fixed.length === 0) continue;
      const nodes = this.world.nodes(body);
      if (!nodes) continue;
      for (const node of body.fixed) places.push(nodes[3 * node], nodes[3 * node + 1], nodes[3 * node + 2]);
    }
    this.object.geometry.dispose();
    this.object.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(places), 3));
    this.object.visible = places.length > 0;
  }
}
