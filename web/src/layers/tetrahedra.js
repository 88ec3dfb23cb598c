// The tetrahedra of soft bodies, drawn apart: each is moved away from the middle of its body, and shrunk a little.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, Mesh, MeshStandardMaterial } from 'three';
import { boxOf } from '../world.js';

const faces = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2];

export class TetrahedraLayer {
  constructor({ world, bodies, options }) {
    this.world = world;
    this.bodies = bodies;
    this.options = options;
    this.object = new Group();
    this.meshes = new Map();
  }

  update() {
    const { world } = this;
    for (const [name, { mesh, body }] of this.meshes)
      if (!world.bodies.includes(body)) {
        mesh.geometry.dispose();
        mesh.material.dispose();
        this.object.remove(mesh);
        this.meshes.delete(name);
      }
    for (const body of world.bodies) {
      if (body.tetrahedra.length === 0) continue;
      const nodes = world.nodes(body);
      if (nodes && !this.meshes.has(body.name)) this.#add(body);
      const mesh = this.meshes.get(body.name)?.mesh;
      if (!mesh) continue;
      mesh.visible = !!nodes;
      if (nodes) this.#fill(body, mesh, nodes);
    }
  }

  #add(body) {
    const count = body.tetrahedra.length / 4;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(36 * count), 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('color', new BufferAttribute(shades(count), 3));
    const mesh = new Mesh(geometry, new MeshStandardMaterial({ flatShading: true, roughness: 0.7, vertexColors: true }));
    mesh.frustumCulled = false;
    this.meshes.set(body.name, { mesh, body });
    this.object.add(mesh);
  }

  #fill(body, mesh, nodes) {
    const { low, high } = boxOf(nodes);
    const centre = low.map((x, k) => (x + high[k]) / 2);
    const apart = this.options.explode;
    const scale = 1 - 0.25 * apart;
    const { position } = mesh.geometry.attributes;
    const corner = [0, 0, 0];
    for (let t = 0, out = 0; t < body.tetrahedra.length; t += 4) {
      const places = [0, 1, 2, 3].map((c) => 3 * body.tetrahedra[t + c]);
      const middle = [0, 1, 2].map((k) => (nodes[places[0] + k] + nodes[places[1] + k] + nodes[places[2] + k] + nodes[places[3] + k]) / 4);
      for (const c of faces) {
        for (let k = 0; k < 3; ++k)
          corner[k] = middle[k] + apart * (middle[k] - centre[k]) + scale * (nodes[places[c] + k] - middle[k]);
        position.array.set(corner, out);
        out += 3;
      }
    }
    position.needsUpdate = true;
    mesh.material.color.set(this.bodies.colours[body.index] ?? new Color('#888888'));
  }
}

// Neighbours differ a little, so that they can be told apart.
function shades(count) {
  const colours = new Float32Array(36 * count);
  for (let t = 0; t < count; ++t) colours.fill(0.72 + 0.28 * ((t * 0.618034) % 1), 36 * t, 36 * t + 36);
  return colours;
}
