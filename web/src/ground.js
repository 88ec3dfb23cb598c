// A grid on the ground that fades out with the distance; its cells are a power of ten of metres.
import { Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial, Vector2 } from 'three';

const colours = { dark: '#8fa1b5', light: '#5c6b7c' };

const vertexShader = `
varying vec2 at;
void main() {
  vec4 place = modelMatrix * vec4(position, 1.0);
  at = place.xy;
  gl_Position = projectionMatrix * viewMatrix * place;
}`;

const fragmentShader = `
uniform vec3 colour;
uniform float cell, radius;
uniform vec2 middle;
varying vec2 at;
float lines(float size) {
  vec2 place = at / size;
  vec2 width = fwidth(place);
  vec2 away = abs(fract(place - 0.5) - 0.5) / max(width, vec2(1e-6));
  float line = 1.0 - min(min(away.x, away.y), 1.0);
  return line * (1.0 - smoothstep(0.1, 0.5, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, distance(at, middle) / radius);
  float shade = max(0.22 * lines(cell), 0.45 * lines(10.0 * cell));
  gl_FragColor = vec4(colour, shade * fade);
  #include <colorspace_fragment>
}`;

export class Ground {
  constructor() {
    this.material = new ShaderMaterial({
      vertexShader, fragmentShader, transparent: true, depthWrite: false, side: DoubleSide,
      uniforms: {
        colour: { value: new Color() }, cell: { value: 0.1 }, radius: { value: 1 }, middle: { value: new Vector2() },
      },
    });
    this.object = new Mesh(new PlaneGeometry(2, 2), this.material);
    this.object.frustumCulled = false;
  }

  setTheme(theme) { this.material.uniforms.colour.value.set(colours[theme]); }

  /** Around what is seen. */
  place(x, y, radius) {
    const reach = 6 * radius;
    const { uniforms } = this.material;
    uniforms.middle.value.set(x, y);
    uniforms.radius.value = reach;
    uniforms.cell.value = 10 ** Math.floor(Math.log10(radius));
    this.object.position.set(x, y, this.object.position.z);
    this.object.scale.set(reach, reach, 1);
  }

  setHeight(z) { this.object.position.z = z; }
}
