// Many straight lines of a width in pixels, of which the number may change with every frame.
import { Color, InstancedInterleavedBuffer, InterleavedBufferAttribute, DynamicDrawUsage } from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

export class Segments {
  /** @param {{width?: number, onTop?: boolean, opacity?: number}} options */
  constructor({ width = 2, onTop = false, opacity = 1 } = {}) {
    const material = new LineMaterial({
      linewidth: width, vertexColors: true, depthTest: !onTop, depthWrite: !onTop, transparent: onTop || opacity < 1, opacity,
    });
    this.object = new LineSegments2(new LineSegmentsGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = onTop ? 10 : 0;
    this.count = 0;
    this.#grow(64);
  }

  clear() { this.count = 0; }

  /** From a to b ([x, y, z] each), in a colour (linear [r, g, b]). */
  add(a, b, colour, endColour = colour) {
    if (this.count === this.capacity) this.#grow(2 * this.capacity);
    const at = 6 * this.count++;
    for (let k = 0; k < 3; ++k) {
      this.places[at + k] = a[k];
      this.places[at + 3 + k] = b[k];
      this.colours[at + k] = colour[k];
      this.colours[at + 3 + k] = endColour[k];
    }
  }

  /** To be called after the last add(). */
  finish() {
    const { geometry } = this.object;
    geometry.instanceCount = this.count;
    this.object.visible = this.count > 0;
    for (const name of ['instanceStart', 'instanceColorStart']) {
      const { data } = geometry.attributes[name];
      data.clearUpdateRanges();
      data.addUpdateRange(0, 6 * this.count);
      data.needsUpdate = true;
    }
  }

  dispose() {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  #grow(capacity) {
    const [places, colours] = [this.places, this.colours];
    this.capacity = capacity;
    this.places = new Float32Array(6 * capacity);
    this.colours = new Float32Array(6 * capacity);
    if (places) {
      this.places.set(places);
      this.colours.set(colours);
    }
    this.object.geometry.dispose();
    const geometry = new LineSegmentsGeometry();
    setPair(geometry, this.places, 'instanceStart', 'instanceEnd');
    setPair(geometry, this.colours, 'instanceColorStart', 'instanceColorEnd');
    this.object.geometry = geometry;
  }
}

function setPair(geometry, array, begin, end) {
  const buffer = new InstancedInterleavedBuffer(array, 6, 1).setUsage(DynamicDrawUsage);
  geometry.setAttribute(begin, new InterleavedBufferAttribute(buffer, 3, 0));
  geometry.setAttribute(end, new InterleavedBufferAttribute(buffer, 3, 3));
}

/** As add() wants colours. */
export function rgb(colour) { return new Color(colour).toArray(); }
