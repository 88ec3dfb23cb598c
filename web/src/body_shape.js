// How one body looks: its surface, its wireframe, or a line if it is a string.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, LineBasicMaterial, LineSegments, Mesh,
  MeshStandardMaterial, Sphere, Vector3,
} from 'three';
import { splitAtCreases } from './creases.js';
import { Segments, rgb } from './segments.js';
import { boxOf } from './world.js';

const stringWidth = 5;  // [pixels]
const neutral = { dark: rgb('#78828d'), light: rgb('#c8ced4') };  // where a scale has no value

export class BodyShape {
  /** @param {object} body of the world; its positions are known already */
  constructor(body, positions) {
    this.body = body;
    this.objects = [];
    this.colours = null;
    if (body.isString) this.#makeString();
    else this.#makeSurface(positions);
  }

  /** Can this shape go on with the body of a newer topology? */
  fits(body) {
    const old = this.body;
    const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
    return old.kind === body.kind && old.vertices === body.vertices && old.isString === body.isString &&
      same(old.triangles, body.triangles) && (body.isSoft || same(old.local, body.local));
  }

  #makeString() {
    this.line = new Segments({ width: stringWidth });
    this.objects.push(this.line.object);
  }

  #makeSurface(positions) {
    const { body } = this;
    const { source, corners } = splitAtCreases(body.isSoft ? positions : body.local, body.triangles);
    this.source = source;
    this.corners = corners;
    this.places = new Float32Array(3 * source.length);
    this.normals = new Float32Array(3 * source.length);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(this.places, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('normal', new BufferAttribute(this.normals, 3).setUsage(DynamicDrawUsage));
    geometry.setIndex(new BufferAttribute(corners, 1));
    geometry.boundingSphere = new Sphere();
    const material = new MeshStandardMaterial({
      roughness: 0.62, metalness: 0, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.userData.shape = this;

    const edges = new BufferGeometry();
    edges.setAttribute('position', geometry.attributes.position);
    edges.setIndex(new BufferAttribute(edgesOf(corners, source), 1));
    edges.boundingSphere = geometry.boundingSphere;
    this.wires = new LineSegments(edges, new LineBasicMaterial({ transparent: true, opacity: 0.55 }));
    this.objects.push(this.mesh, this.wires);
    if (!body.isSoft) this.#fill(body.local);
  }

  /** The body is where the frame says. */
  update(positions) {
    const { body } = this;
    if (body.isString) this.#drawString(positions);
    else if (body.isSoft) this.#fill(positions);
    else
      for (const object of this.objects) {
        object.quaternion.set(...body.rotation);
        object.position.set(...body.position);
      }
  }

  /** @param {{colour: string, theme: string, surface: boolean, wires: boolean, opacity: number}} look */
  setLook({ colour, theme, surface, wires, opacity }) {
    this.colour = colour;
    this.theme = theme;
    if (this.body.isString) {
      this.line.object.material.visible = surface || wires;
      return;
    }
    const { material } = this.mesh;
    this.mesh.visible = surface && opacity > 0;
    material.opacity = opacity;
    material.depthWrite = opacity === 1;
    if (material.transparent !== opacity < 1) {
      material.transparent = opacity < 1;
      material.needsUpdate = true;
    }
    this.wires.visible = wires;
    this.wires.material.color.set(surface && opacity === 1 ? (theme === 'dark' ? '#0b0e12' : '#20262d') : colour);
    if (!this.colours) material.color.set(colour);
  }

  /**
   * Colours by a scale.
   * @param {Float32Array|null} values of each vertex from 0 to 1, or below 0 if it has none; null: in one colour
   * @param {Float32Array} table 256 colours
   */
  paint(values, table) {
    this.values = values;
    this.table = table;
    if (this.body.isString) return this.#drawString(this.body.positions);
    const { material, geometry } = this.mesh;
    if (!!values !== material.vertexColors) {
      material.vertexColors = !!values;
      material.needsUpdate = true;
    }
    if (!values) {
      this.colours = null;
      material.color.set(this.colour);
      return;
    }
    if (!this.colours) {
      this.colours = new Float32Array(3 * this.source.length);
      geometry.setAttribute('color', new BufferAttribute(this.colours, 3).setUsage(DynamicDrawUsage));
      material.color.set('#ffffff');
    }
    for (let i = 0; i < this.source.length; ++i) this.#colourAt(this.source[i], this.colours, 3 * i);
    geometry.attributes.color.needsUpdate = true;
  }

  dispose() {
    this.line?.dispose();
    for (const object of [this.mesh, this.wires]) {
      object?.geometry.dispose();
      object?.material.dispose();
    }
  }

  #colourAt(vertex, to, at) {
    const value = this.values[vertex];
    const from = value < 0 ? neutral[this.theme] : this.table;
    const begin = value < 0 ? 0 : 3 * Math.min(255, Math.round(255 * value));
    for (let k = 0; k < 3; ++k) to[at + k] = from[begin + k];
    return to;
  }

  #drawString(positions) {
    const plain = new Color(this.colour ?? '#ffffff').toArray();
    const colour = (v) => (this.values ? this.#colourAt(v, [0, 0, 0], 0) : plain);
    const count = this.body.vertices;
    this.line.clear();
    for (let v = 0; v + (this.body.isClosed ? 0 : 1) < count; ++v) {
      const next = (v + 1) % count;
      this.line.add(positions.subarray(3 * v), positions.subarray(3 * next), colour(v), colour(next));
    }
    this.line.finish();
  }

  #fill(positions) {
    const { source, places } = this;
    if (source.length === positions.length / 3) places.set(positions);
    else
      for (let i = 0; i < source.length; ++i) {
        const v = 3 * source[i];
        places[3 * i] = positions[v];
        places[3 * i + 1] = positions[v + 1];
        places[3 * i + 2] = positions[v + 2];
      }
    addNormals(places, this.corners, this.normals);
    const { attributes, boundingSphere } = this.mesh.geometry;
    attributes.position.needsUpdate = true;
    attributes.normal.needsUpdate = true;
    const { low, high } = boxOf(positions);
    boundingSphere.center.set(...low).add(new Vector3(...high)).multiplyScalar(0.5);
    boundingSphere.radius = boundingSphere.center.distanceTo(new Vector3(...high)) || 0;
  }
}

// Sums of the triangles' normals, by their areas; a shader makes them of length 1.
function addNormals(places, corners, normals) {
  normals.fill(0);
  for (let i = 0; i < corners.length; i += 3) {
    const a = 3 * corners[i];
    const b = 3 * corners[i + 1];
    const c = 3 * corners[i + 2];
    const ux = places[b] - places[a];
    const uy = places[b + 1] - places[a + 1];
    const uz = places[b + 2] - places[a + 2];
    const vx = places[c] - places[a];
    const vy = places[c + 1] - places[a + 1];
    const vz = places[c + 2] - places[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    normals[a] += nx;
    normals[a + 1] += ny;
    normals[a + 2] += nz;
    normals[b] += nx;
    normals[b + 1] += ny;
    normals[b + 2] += nz;
    normals[c] += nx;
    normals[c + 1] += ny;
    normals[c + 2] += nz;
  }
}

// Each edge once, whichever copies of its vertices the triangles have.
function edgesOf(corners, source) {
  const seen = new Set();
  const edges = [];
  for (let i = 0; i < corners.length; ++i) {
    const a = corners[i];
    const b = corners[i % 3 === 2 ? i - 2 : i + 1];
    const [low, high] = source[a] < source[b] ? [source[a], source[b]] : [source[b], source[a]];
    const key = low * source.length + high;
    if (seen.has(key)) continue;
    seen.add(key);
    edges.push(a, b);
  }
  return Uint32Array.from(edges);
}
