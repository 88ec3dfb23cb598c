// The live page: puts the parts together, and lets the server's messages go where they belong.
import { Banner, Toast } from './banner.js';
import { Clip } from './clip.js';
import { clipBar } from './clip_bar.js';
import { Connection } from './connection.js';
import { download, el } from './dom.js';
import { FrameQueue } from './frame_queue.js';
import { Gallery } from './gallery.js';
import { helpDialog } from './help.js';
import { helpSections } from './help_text.js';
import { icon } from './icons.js';
import { makeInspection } from './inspection.js';
import { listenToKeys } from './keys.js';
import { layerList } from './layers.js';
import { layersPanel } from './layers_panel.js';
import { makeLegend } from './legend.js';
import { LiveBar } from './live_bar.js';
import { MeasurePanel } from './measure.js';
import { Pins } from './pins.js';
import { Kind } from './protocol.js';
import { loadRecording } from './recording_loader.js';
import { Sidebar } from './sidebar.js';
import { Stage } from './stage.js';
import { Theme } from './theme.js';
import { Toolbar } from './toolbar.js';
import { Touch, tools } from './touch.js';
import { TunePanel } from './tune.js';

const refused = 'This address is not valid (any more): use the one that `palpate view` has printed.';

// A hand may have been let go already, by a reset or by somebody else.
const quiet = new Set(['move', 'release', 'unprobe']);

class Page {
  status = null;
  parameters = null;
  errors = [];
  clip = null;
  wanted = '';

  constructor() {
    this.host = el('div', { class: 'view' });
    this.overlay = el('div', { class: 'overlay', 'aria-hidden': 'true' });
    document.body.append(this.host, this.overlay);  // the picture needs its size
    this.pins = new Pins();
    this.stage = new Stage(this.host, this.overlay, this.pins);
    this.frames = new FrameQueue(this.stage, (error) => this.#trouble(error));
    this.frames.onShown = (frame) => this.liveBar.setFrame(frame, this.frames.rate);
    this.banner = new Banner();
    this.toast = new Toast();
    this.touch = new Touch(this.stage, this.pins, (command) => this.command(command));
    this.measure = new MeasurePanel();
    this.tune = new TunePanel((key, value) => this.connection.send({ do: 'set', key, value }), (text) => this.toast.show(text));
    this.gallery = new Gallery((scene) => this.command({ do: 'open', scene }), (path) => this.connection.address(path));
    this.#build();
    this.theme = new Theme(document.documentElement, (theme) => {
      this.stage.setTheme(theme);
      this.measure.setTheme();
    });
    this.stage.layers.listeners.add(() => this.#want());
    this.#listen();
    addEventListener('resize', () => this.#arrange());
    this.connection = new Connection(new URLSearchParams(location.search).get('token') ?? '', {
      message: (kind, value) => this.#take(kind, value),
      state: (state) => this.#connected(state),
      trouble: (error) => this.#trouble(error),
    });
    window.palpate = makeInspection(this);
    this.#arrange();
  }

  #build() {
    this.title = el('h1', {});
    this.about = el('p', { class: 'quiet' });
    this.scenes = el('button', { type: 'button', class: 'panel', hidden: true, onclick: () => this.command({ do: 'close' }) }, icon('back'), 'Scenes');
    this.heading = el('header', { class: 'heading' }, this.scenes, el('div', {}, this.title, this.about));
    this.help = helpDialog(helpSections(tools, layerList));
    this.toolbar = new Toolbar(this.touch, [
      { image: 'frame', name: 'Look at everything', key: 'F', run: () => this.stage.frameAll() },
      { image: 'picture', name: 'Save a picture', key: 'P', run: () => this.#savePicture() },
      { image: 'theme', name: 'Dark or light', key: 'L', run: () => this.theme.toggle() },
      { image: 'help', name: 'Keys and mouse', key: '?', run: () => this.help.showModal() },
    ]);
    this.liveBar = new LiveBar({
      toggle: () => this.#togglePlay(), step: () => this.command({ do: 'step' }), reset: () => this.#reset(),
      speed: (value) => this.command({ do: 'speed', value }), record: () => this.#record(),
    });
    this.barPlace = el('div', { class: 'bar-place' }, this.liveBar.element);
    this.layersPanel = layersPanel(this.stage);
    this.sidebar = new Sidebar([
      { key: 'layers', label: 'Layers', image: 'layers', content: this.layersPanel.element },
      { key: 'tune', label: 'Tune', image: 'tune', content: this.tune.element },
      { key: 'measure', label: 'Measure', image: 'measure', content: this.measure.element },
    ], () => this.#arrange());
    this.waitText = el('span', {}, 'Connecting …');
    this.wait = el('div', { class: 'wait', role: 'status' }, el('span', { class: 'spinner' }), this.waitText);
    this.live = el('div', { class: 'live', hidden: true }, this.heading, this.toolbar.element, this.toolbar.option,
      this.barPlace, makeLegend(this.stage.painter), this.sidebar.element, this.sidebar.opener);
    document.body.append(this.live, this.gallery.element, this.wait, this.banner.element, this.toast.element, this.help);
  }

  #listen() {
    const actions = {
      ' ': () => this.#togglePlay(), '.': () => (this.clip ? this.clip.step(1) : this.command({ do: 'step' })),
      ',': () => this.clip?.step(-1), r: () => this.#reset(), f: () => this.stage.frameAll(), home: () => this.stage.frameAll(),
      p: () => this.#savePicture(), l: () => this.theme.toggle(), '?': () => this.help.showModal(), k: () => this.layersPanel.nextScale(),
      m: () => this.sidebar.setOpen(!this.sidebar.isOpen), escape: () => this.#letGo(),
      '+': () => this.stage.view.zoom(0.85), '=': () => this.stage.view.zoom(0.85), '-': () => this.stage.view.zoom(1 / 0.85),
    };
    for (const { key, shortcut } of tools) actions[shortcut] = () => this.toolbar.isLive && this.toolbar.choose(key);
    for (const layer of layerList)
      actions[layer.shortcut] = () => this.layersPanel.isHad(layer) && this.stage.layers.toggle(layer.key);
    const isUsable = () => !this.live.hidden;
    listenToKeys(Object.fromEntries(Object.entries(actions).map(([key, run]) => [key, () => isUsable() && run()])));
  }

  /** Sends a command; what is wrong with it is told at the bottom. */
  async command(command) {
    try {
      const answer = await this.connection.send(command);
      if (!answer.ok && !quiet.has(command.do)) this.toast.show(answer.error ?? 'That cannot be done.');
      return answer;
    } catch {
      return { ok: false };  // the banner tells that the line is lost
    }
  }

  #take(kind, value) {
    if (kind === Kind.status) this.#takeStatus(value);
    else if (kind === Kind.gallery) this.gallery.setScenes(value.scenes ?? []);
    else if (kind === Kind.parameters) this.tune.show((this.parameters = value));
    else if (kind === Kind.hello) this.#takeHello(value);
    else if (this.status?.mode === 'recording') return;
    else if (kind === Kind.topology) this.#takeTopology(value);
    else if (kind === Kind.frame) {
      this.measure.add(value);
      this.frames.add(value);
    }
  }

  #takeHello(hello) {
    this.#name(hello);
    if (!this.stage.takeHello(hello)) return;
    this.frames.clear();
    this.measure.takeHello(hello);
    this.touch.forget();
  }

  #takeTopology(topology) {
    // Frames that wait are of the bodies before.
    this.frames.clear();
    this.stage.takeTopology(topology);
    this.#want();
  }

  #takeStatus(status) {
    const before = this.status;
    this.status = status;
    const { mode } = status;
    if (mode !== before?.mode) this.#changeMode(mode);
    else if (mode === 'recording' && !this.clip) this.#loadRecording();  // the line was lost the last time
    this.live.hidden = mode !== 'live' && !(mode === 'recording' && this.clip);
    this.gallery.element.hidden = mode !== 'gallery';
    this.host.hidden = mode === 'gallery';
    if (mode === 'opening') this.#waitFor(`Opening ${status.scene} …`);
    else if (mode !== 'recording') this.#waitFor(null);
    this.scenes.hidden = !status.gallery;
    this.pins.show(status.pins ?? []);
    if (this.stage.world.frame) this.stage.layers.update();
    this.stage.view.redraw();
    this.liveBar.setStatus(status);
    const again = el('button', { type: 'button', onclick: () => this.#reset() }, 'Reset');
    this.banner.set('simulation', status.error, ...(mode === 'live' ? [again] : []));
    this.#arrange();
  }

  #changeMode(mode) {
    this.wanted = '';  // another session knows nothing of it
    this.clip?.stop();
    this.clip = null;
    this.toolbar.setLive(mode === 'live');
    this.layersPanel.setTold(mode === 'recording' ? {} : null);
    this.barPlace.replaceChildren(this.liveBar.element);
    if (mode === 'gallery' || mode === 'opening') {
      this.touch.forget();
      this.stage.clear();
      document.title = 'Palpate';
    }
    if (mode === 'recording') this.#loadRecording();
  }

  async #loadRecording() {
    if (this.isLoading) return;
    this.isLoading = true;
    this.banner.set('recording', null);
    this.#waitFor('Loading the recording …');
    try {
      const recording = await loadRecording(this.connection.address('/recording'), (part) =>
        this.#waitFor(part === null ? 'Loading the recording …' : `Loading the recording … ${Math.round(100 * part)} %`));
      if (this.status?.mode !== 'recording') return;
      this.#name(recording.hello ?? {});
      this.measure.takeHello(recording.hello ?? {});
      this.layersPanel.setTold(recording.tells);
      this.clip = new Clip(recording, this.stage);
      this.clip.onTrouble = (error) => this.#trouble(error);
      this.clip.onFrame = (frame) => this.measure.add(frame);
      this.barPlace.replaceChildren(clipBar(this.clip));
      this.live.hidden = false;
      this.#arrange();
      this.clip.lookAtAll();
      if (!recording.isWhole) this.toast.show('The recording was cut off: it is shown as far as it goes.');
    } catch (error) {
      this.banner.set('recording', error.message);
    }
    this.isLoading = false;
    this.#waitFor(null);
  }

  #connected(state) {
    if (state === 'open') {
      this.wanted = '';
      this.banner.set('connection', null);
      return;
    }
    this.touch.forget();
    this.#waitFor(null);
    this.banner.set('connection', state === 'refused' ? refused : 'Connection lost – trying again …');
  }

  #name({ title, scene, description }) {
    this.title.textContent = title || scene || 'Palpate';
    this.about.textContent = description ?? '';
    this.about.title = description ?? '';
    document.title = `${title || scene || 'Palpate'} – Palpate`;
  }

  #waitFor(text) {
    this.wait.hidden = !text;
    if (text) this.waitText.textContent = text;
  }

  // Tells the server what else the layers need, if that has changed.
  #want() {
    if (!this.connection?.isOpen || this.status?.mode !== 'live') return;
    const wants = this.stage.layers.wants();
    const text = JSON.stringify(wants);
    if (text === this.wanted) return;
    this.wanted = text;
    this.command({ do: 'want', ...wants });
  }

  #togglePlay() {
    if (this.clip) this.clip.play(!this.clip.isPlaying);
    else this.command({ do: this.status?.playing ? 'pause' : 'play' });
  }

  #reset() {
    if (this.clip) {
      this.clip.seek(0);
      return;
    }
    this.touch.forget();
    this.command({ do: 'reset' });
  }

  #letGo() {
    this.touch.releaseAll();
    if (this.status?.mode === 'live' && this.stage.world.bodies.some((body) => body.name === 'probe')) this.command({ do: 'unprobe' });
  }

  async #record() {
    if (!this.status?.recording) {
      await this.command({ do: 'record' });
      return;
    }
    const answer = await this.command({ do: 'stop' });
    if (!answer.ok || !answer.file) return;
    try {
      const got = await fetch(this.connection.address(answer.file));
      if (!got.ok) throw new Error(`The recording could not be fetched (${got.status}).`);
      const name = answer.file.split('/').pop();
      download(await got.blob(), name.includes('.') ? name : `${name}.palpate`);
    } catch (error) {
      this.toast.show(error.message);
    }
  }

  async #savePicture() {
    const { world, view } = this.stage;
    download(await view.picture(), `${world.hello?.scene || 'palpate'}-${world.frame?.step ?? 0}.png`);
  }

  #arrange() {
    const { width, height } = this.sidebar;
    this.stage.view.setInsets(this.live.hidden ? { right: 0, bottom: 0 } : { right: width, bottom: height });
    this.live.classList.toggle('wide-open', this.sidebar.width > 0);
    this.measure.setShown(!this.live.hidden && this.sidebar.isOpen && this.sidebar.current === 'measure');
  }

  #trouble(error) {
    this.errors.push(String(error.message ?? error));
    if (this.errors.length > 100) this.errors.shift();
  }
}

const page = new Page();
addEventListener('error', ({ message }) => page.errors.push(message));
addEventListener('unhandledrejection', ({ reason }) => page.errors.push(String(reason)));
