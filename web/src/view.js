// The window into the world: camera, lights and ground. It draws only when something has changed.
import {
  Box3, Color, DirectionalLight, Group, HemisphereLight, MathUtils, PerspectiveCamera, Plane, Raycaster, Scene, Sphere,
  Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Ground } from './ground.js';
import { calmMotion } from './dom.js';
import { isSoftwareDrawn } from './graphics.js';

const backgrounds = { dark: '#15191e', light: '#f2f4f6' };
const fieldOfView = 40;  // [degrees]
const firstDirection = new Vector3(0.75, -1.6, 0.8).normalize();
const glideMilliseconds = 260;

export class View {
  /** @param {HTMLElement} host gets a canvas that fills it */
  constructor(host) {
    this.host = host;
    const isSlow = isSoftwareDrawn();
    host.closest('.palpate-ui')?.classList.toggle('software', isSlow);
    this.renderer = new WebGLRenderer({ antialias: !isSlow, powerPreference: 'high-performance' });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', 'The scene. Drag to turn, arrow keys to move, plus and minus to zoom.');
    host.append(this.canvas);

    this.scene = new Scene();
    this.camera = new PerspectiveCamera(fieldOfView, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(firstDirection);
    this.content = new Group();
    this.ground = new Ground();
    this.sphere = new Sphere(new Vector3(), 1);  // around what there is to see
    this.insets = { right: 0, bottom: 0 };
    this.#addLights();
    this.scene.add(this.content, this.ground.object);

    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = !calmMotion();
    this.controls.dampingFactor = 0.15;
    this.controls.zoomToCursor = true;
    this.controls.listenToKeyEvents(this.canvas);
    this.controls.addEventListener('change', () => this.redraw());

    this.tickers = new Set();  // called before a picture is drawn; true: call me again
    this.afterDraw = new Set();
    this.asked = false;
    this.glide = null;
    new ResizeObserver(() => this.#resize()).observe(host);
    this.#resize();
    this.setTheme('dark');
  }

  #addLights() {
    const sky = new HemisphereLight('#ffffff', '#8a8f98', 1.5);
    sky.position.set(0, 0, 1);
    const sun = new DirectionalLight('#ffffff', 1.6);
    sun.position.set(0.4, -0.5, 1);
    const lamp = new DirectionalLight('#ffffff', 0.7);  // goes with the camera, so that no side is dark
    lamp.position.set(-0.4, 0.5, 1);
    this.camera.add(lamp, lamp.target);
    lamp.target.position.set(0, 0, -1);
    this.scene.add(sky, sun, this.camera);
  }

  setTheme(theme) {
    this.theme = theme;
    this.scene.background = new Color(backgrounds[theme]);
    this.ground.setTheme(theme);
    this.redraw();
  }

  /** A picture is drawn soon. */
  redraw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now) {
    this.asked = false;
    let again = this.#glideOn(now);
    for (const tick of this.tickers) again = tick(now) || again;
    if (this.controls.update()) again = true;
    this.render();
    for (const call of this.afterDraw) call();
    if (again) this.redraw();
  }

  render() {
    const far = this.camera.position.distanceTo(this.sphere.center) + 8 * this.sphere.radius;
    this.camera.near = far / 5000;
    this.camera.far = far;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
  }

  /** A PNG of what is seen now, of twice as many pixels as the window has. */
  picture() {
    const ratio = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(2);
    this.render();  // what was drawn before is gone
    const made = new Promise((resolve) => this.canvas.toBlob(resolve, 'image/png'));
    this.renderer.setPixelRatio(ratio);
    this.render();
    return made;
  }

  /** Parts of the window that panels cover [pixels]: the scene is centred in the rest. */
  setInsets(insets) {
    this.insets = { ...this.insets, ...insets };
    this.#resize();
  }

  #resize() {
    const width = Math.max(1, this.host.clientWidth);
    const height = Math.max(1, this.host.clientHeight);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, this.insets.right / 2, this.insets.bottom / 2, width, height);
    this.redraw();
  }

  /** Looks at all of a box {low, high}. */
  frame({ low, high }, isFirst = false) {
    if (!(low[0] <= high[0])) return;
    new Box3(new Vector3(...low), new Vector3(...high)).getBoundingSphere(this.sphere);
    this.sphere.radius = Math.max(this.sphere.radius, 1e-4);
    const { radius, center } = this.sphere;
    this.ground.place(center.x, center.y, radius);
    this.controls.minDistance = 0.02 * radius;
    this.controls.maxDistance = 40 * radius;
    const direction = isFirst ? firstDirection.clone() : this.camera.position.clone().sub(this.controls.target).normalize();
    const free = { x: this.host.clientWidth - this.insets.right, y: this.host.clientHeight - this.insets.bottom };
    const half = MathUtils.degToRad(fieldOfView / 2);
    const narrow = Math.min(free.x, free.y, this.host.clientHeight) / this.host.clientHeight;
    const distance = (0.85 * radius) / Math.sin(Math.atan(Math.tan(half) * Math.max(narrow, 0.2)));
    this.#glideTo(center.clone().addScaledVector(direction, distance), center.clone(), isFirst);
  }

  /** Turns about this point from now on. */
  focus(point) {
    const way = point.clone().sub(this.controls.target);
    this.#glideTo(this.camera.position.clone().add(way), point.clone(), false);
  }

  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.redraw();
  }

  #glideTo(position, target, atOnce) {
    const from = { position: this.camera.position.clone(), target: this.controls.target.clone() };
    this.glide = { from, position, target, begin: null, atOnce: atOnce || calmMotion() };
    this.redraw();
  }

  #glideOn(now) {
    if (!this.glide) return false;
    const { from, position, target, atOnce } = this.glide;
    this.glide.begin ??= now;
    const part = atOnce ? 1 : Math.min(1, (now - this.glide.begin) / glideMilliseconds);
    const eased = part * part * (3 - 2 * part);
    this.camera.position.lerpVectors(from.position, position, eased);
    this.controls.target.lerpVectors(from.target, target, eased);
    if (part === 1) this.glide = null;
    return part < 1;
  }

  /** A ray from the eye through a point of the window [CSS pixels]. */
  rayAt(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.camera);
    return caster;
  }

  /** The plane through a point that is parallel to the screen. */
  planeThrough(point) {
    return new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), point);
  }

  /** Where a point [x, y, z] is seen: CSS pixels in the window. */
  project(point) {
    const at = new Vector3(...point).project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  }

  /** How long a pixel is at the point that the camera turns about [m]. */
  pixel() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (2 * distance * Math.tan(MathUtils.degToRad(fieldOfView / 2))) / Math.max(1, this.host.clientHeight);
  }
}
