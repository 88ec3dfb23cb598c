// What can be shown of a world, each to be turned on and off. To add one: a file in layers/, and a line here.
import { Group } from 'three';
import { BoxesLayer } from './layers/boxes.js';
import { ContactsLayer } from './layers/contacts.js';
import { FixedLayer } from './layers/fixed.js';
import { HandsLayer } from './layers/hands.js';
import { RegionLayer } from './layers/region.js';
import { SearchLayer } from './layers/search.js';
import { TetrahedraLayer } from './layers/tetrahedra.js';
import { VelocitiesLayer } from './layers/velocities.js';

/**
 * `look`: drawn by the bodies themselves; `Make`: the class that draws it; `needs`: what frames must tell
 * for it (nodes, strain, boxes); `swatch`: the colours that explain it; `option`: a slider that belongs to it.
 */
export const layerList = [
  { key: 'surfaces', label: 'Surfaces', shortcut: 's', isOn: true, look: true,
    option: { key: 'opacity', label: 'Opacity', least: 0.1, most: 1, step: 0.05 } },
  { key: 'wireframe', label: 'Wireframe', shortcut: 'w', look: true },
  { key: 'tetrahedra', label: 'Tetrahedra', shortcut: 't', look: true, Make: TetrahedraLayer, needs: 'nodes',
    option: { key: 'explode', label: 'Apart', least: 0, most: 1, step: 0.01 } },
  { key: 'fixed', label: 'Fixed nodes', shortcut: 'x', isOn: true, Make: FixedLayer, swatch: ['#e5302f'] },
  { key: 'contacts', label: 'Contacts', shortcut: 'c', isOn: true, Make: ContactsLayer,
    swatch: ['#19b46b', '#e5484d'], note: 'green: vertex and triangle, red: two edges' },
  { key: 'boxes', label: 'Boxes of bodies', shortcut: 'b', Make: BoxesLayer, swatch: ['#7f93a8'] },
  { key: 'region', label: 'Region of interest', shortcut: 'i', Make: RegionLayer, swatch: ['#e8a33d'],
    note: 'where boxes of two bodies overlap' },
  { key: 'search', label: 'Search tree or grid', shortcut: 'd', Make: SearchLayer, needs: 'boxes', swatch: ['#56b4c9'],
    option: { key: 'depth', label: 'Depth', least: 0, most: 20, step: 1 } },
  { key: 'velocities', label: 'Velocities', shortcut: 'v', Make: VelocitiesLayer, swatch: ['#5aa9e6'],
    option: { key: 'velocitySeconds', label: 'Length', unit: 's', least: 0.005, most: 0.5, step: 0.005 } },
];

export class Layers {
  /** @param {{world, view, bodies, painter, overlay, pins}} context what layers may read */
  constructor(context) {
    this.options = { opacity: 1, explode: 0.4, depth: 5, velocitySeconds: 0.05 };
    this.context = { ...context, options: this.options };
    this.isOn = Object.fromEntries(layerList.map((layer) => [layer.key, layer.isOn ?? false]));
    this.drawers = new Map();
    this.listeners = new Set();
    for (const { key, Make } of layerList) if (Make) this.#add(key, Make);
    this.#add('hands', HandsLayer);
    this.isOn.hands = true;
    this.#apply();
  }

  // Layers hide themselves when they have nothing to draw; the group around each is what is turned on and off.
  #add(key, Make) {
    const drawer = new Make(this.context);
    const group = new Group().add(drawer.object);
    this.context.view.scene.add(group);
    this.drawers.set(key, { drawer, group });
  }

  toggle(key, isOn = !this.isOn[key]) {
    this.isOn[key] = isOn;
    this.#apply();
  }

  setOption(key, value) {
    this.options[key] = value;
    this.#apply();
  }

  /** The world has changed. */
  update() {
    for (const [key, { drawer }] of this.drawers) if (this.isOn[key]) drawer.update();
  }

  drawer(key) { return this.drawers.get(key).drawer; }

  /** What the server should send besides. */
  wants() {
    const hasFixed = this.context.world.bodies.some((body) => body.fixed.length > 0);
    return {
      nodes: this.isOn.tetrahedra || hasFixed,  // also when they are not drawn: they are clicked to let go
      strain: this.context.painter.scale.key === 'strain',
      boxes: this.isOn.search ? this.options.depth : null,
    };
  }

  #apply() {
    const { surfaces, wireframe, tetrahedra } = this.isOn;
    this.context.bodies.setLook({ surfaces, wireframe, tetrahedra, opacity: this.options.opacity });
    for (const [key, { group }] of this.drawers) group.visible = this.isOn[key];
    if (this.context.world.frame) this.update();
    this.context.view.redraw();
    for (const listener of this.listeners) listener();
  }
}
