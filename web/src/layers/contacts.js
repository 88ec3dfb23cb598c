// Contacts: a segment from point to point, and a tick along the normal that is long enough to be seen.
import { contactColours } from '../colours.js';
import { Segments, rgb } from '../segments.js';

const tickPixels = 12;
const many = 400;  // so many are drawn thinner
const vertexColour = rgb(contactColours.vertex);
const edgeColour = rgb(contactColours.edge);

export class ContactsLayer {
  constructor({ world, view }) {
    this.world = world;
    this.view = view;
    this.segments = new Segments({ width: 2.5, onTop: true });
    this.object = this.segments.object;
    this.drawn = 0;
  }

  update() {
    const { segments } = this;
    const tick = tickPixels * this.view.pixel();
    segments.clear();
    segments.object.material.linewidth = (this.world.frame?.contacts.count ?? 0) > many ? 1.25 : 2.25;
    this.drawn = 0;
    this.world.eachContact((first, second, normal, isEdge) => {
      const colour = isEdge ? edgeColour : vertexColour;
      segments.add(first, second, colour);
      segments.add(second, second.map((x, k) => x + tick * normal[k]), colour);
      ++this.drawn;
    });
    segments.finish();
  }
}
