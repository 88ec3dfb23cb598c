// The edges of many boxes: one box of lines, drawn once for each.
import { BufferAttribute, Color, InstancedBufferAttribute, InstancedBufferGeometry, LineSegments, ShaderMaterial } from 'three';

const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1];
const edges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

const vertexShader = `
attribute vec3 low, high;
void main() { gl_Position = projectionMatrix * viewMatrix * vec4(mix(low, high, position), 1.0); }`;
const fragmentShader = `
uniform vec3 colour;
uniform float opacity;
void main() {
  gl_FragColor = vec4(colour, opacity);
  #include <colorspace_fragment>
}`;

export class BoxLines {
  constructor(colour, opacity = 1) {
    const material = new ShaderMaterial({
      vertexShader, fragmentShader, transparent: true, depthWrite: false,
      uniforms: { colour: { value: new Color(colour) }, opacity: { value: opacity } },
    });
    this.object = new LineSegments(new InstancedBufferGeometry(), material);
    this.object.frustumCulled = false;
    this.set(new Float32Array(0));
  }

  /** @param {Float32Array} boxes low x, y, z and high x, y, z of each */
  set(boxes) {
    this.count = boxes.length / 6;
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners), 3));
    geometry.setIndex(edges);
    const part = (begin) => {
      const list = new Float32Array(3 * Math.max(1, this.count));
      for (let i = 0; i < this.count; ++i) list.set(boxes.subarray(6 * i + begin, 6 * i + begin + 3), 3 * i);
      return new InstancedBufferAttribute(list, 3);
    };
    geometry.setAttribute('low', part(0));
    geometry.setAttribute('high', part(3));
    geometry.instanceCount = this.count;
    this.object.geometry.dispose();
    this.object.geometry = geometry;
    this.object.visible = this.count > 0;
  }
}
