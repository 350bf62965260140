// Main: finds the places for pictures, and draws each when it comes near the screen.
import { make } from './text.js';
import { block } from './blocks.js';
import { redraw, isDark } from './canvas.js';
import { tables } from './tables.js';
import { Frames } from './frames.js';
import { Distribution } from './distribution.js';
import { Values } from './values.js';
import { treeOf, treeOfWindow } from './stacks.js';
import { Flame } from './flame.js';
import { Timeline, windowOf } from './timeline.js';

function address(text) {
  try {
    history.replaceState(null, '', '#' + text);
  } catch (e) {
    // A page that may not change its address works without.
  }
}

const makers = {
  frames: (host, data, page) => {
    page.frames = new Frames(host, data, { address, hitch: frame => page.showHitch(frame) });
    return page.frames;
  },
  distribution: (host, data) => new Distribution(host, data),
  tree: (host, data, page) => {
    page.tree = new Flame(host, 'Call tree', treeOf(data, page.waits()));
    return page.tree;
  },
  timeline: (host, data, page) => new Timeline(host, windowOf(data), page.waits()),
  flame: (host, data, page) => {
    const win = windowOf(data);
    return new Flame(host, `Flame graph of frame ${win.frame}`, treeOfWindow(win, win.begin, win.end, page.waits()));
  },
  values: (host, data, page) => new Values(host, data, host.dataset.block.endsWith('b-curves') ? 'time' : '', page.main.duration),
};

/** One capture of the page. */
class Page {
  constructor(root) {
    this.root = root;
    this.prefix = root.dataset.prefix;
    this.figures = [];
    this.tree = null;
    tables(root, (data, row) => this.showTimer(data, row));
    const near = new IntersectionObserver(entries => {
      for (const e of entries)
        if (e.isIntersecting) {
          near.unobserve(e.target);
          this.show(e.target);
        }
    }, { rootMargin: '600px' });
    for (const figure of root.querySelectorAll('.figure')) near.observe(figure);
    this.copyPictures();
  }

  /** The recorded picture that a hitch links to, at the hitch as well. */
  copyPictures() {
    for (const place of this.root.querySelectorAll('p.recorded')) {
      const link = place.querySelector('a');
      const recorded = link && document.getElementById(link.hash.slice(1));
      const image = recorded && recorded.querySelector('img');
      if (image) place.prepend(image.cloneNode());
    }
  }

  /** Names of timers that wait. */
  waits() { return new Set(Array.isArray(this.main.waits) ? this.main.waits : []); }

  show(host) {
    if (!host.made) host.made = this.draw(host);
    return host.made;
  }

  async draw(host) {
    try {
      this.main = await block(this.prefix + 'b-main');
      const data = await block(host.dataset.block);
      const maker = makers[host.dataset.figure];
      if (maker) this.figures.push(await maker(host, data, this));
    } catch (e) {
      host.replaceChildren(make('p', 'none', 'This picture cannot be shown: ' + e.message + '. The tables have its figures.'));
    }
    host.style.minHeight = '0';
  }

  /** The picture of a kind, made now if it was not yet. */
  async figure(kind) {
    const host = this.root.querySelector(`.figure[data-figure="${kind}"]`);
    if (host) await this.show(host);
    return host;
  }

  /** A timer of the table between its callers and callees. */
  async showTimer(data, row) {
    const column = data.columns.find(c => c.name === 'timer');
    if (column) await this.showTimerNamed(data.names[column.cells[row]]);
  }

  async showTimerNamed(name) {
    const host = await this.figure('tree');
    if (host && this.tree && this.tree.sandwich(name)) {
      host.scrollIntoView();
      address('timer=' + encodeURIComponent(name));
    }
  }

  showHitch(frame) {
    const hitch = document.getElementById(this.prefix + 'hitch-' + frame);
    if (hitch) hitch.scrollIntoView();
  }
}

function addTheme(nav) {
  const button = make('button', '', 'dark or light');
  button.type = 'button';
  button.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    redraw();
  });
  const keys = make('button', '', 'keys ?');
  keys.type = 'button';
  keys.addEventListener('click', showKeys);
  const item = make('li', 'tools', keys, button);
  nav.querySelector('ul').append(item);
}

const KEYS = [['W S, + -, wheel', 'zoom'], ['A D, drag', 'move'], ['shift and drag', 'select a range'], ['0', 'show all'],
  ['F, double click', 'fit what is selected'], ['arrows', 'from frame to frame, box to box'], ['N, shift N', 'next and previous hitch'],
  ['L', 'logarithmic frame times'], ['Enter', 'of a hitch its reasons; of a call only that'], ['C', 'callers and callees of a call'],
  ['Escape', 'back'], ['/', 'search or filter'], ['?', 'this list']];

function showKeys() {
  let sheet = document.querySelector('dialog');
  if (!sheet) {
    const list = make('dl');
    for (const [keys, what] of KEYS) list.append(make('dt', '', keys), make('dd', '', what));
    const close = make('button', '', 'close');
    close.type = 'button';
    sheet = make('dialog', 'sheet', make('h2', '', 'Keys, in a picture that was clicked or reached with Tab'), list, close);
    close.addEventListener('click', () => sheet.close());
    document.body.append(sheet);
  }
  sheet.showModal();
}

/** What the address asks for: #frame=350, #timer=NAME. What is ill-formed is ignored. */
async function follow(page) {
  const [, key, value] = /^#(frame|timer)=(.+)$/.exec(location.hash) || [];
  try {
    if (key === 'frame' && /^\d{1,9}$/.test(value)) {
      await page.figure('frames');
      const i = Math.floor(Number(value) / page.frames.game.group);
      if (i < page.frames.game.n) page.frames.select(i);
      page.showHitch(Number(value));
    } else if (key === 'timer') await page.showTimerNamed(decodeURIComponent(value));
  } catch (e) {
    // It names nothing that is here.
  }
}

const pages = [...document.querySelectorAll('.capture')].map(root => new Page(root));
const nav = document.querySelector('nav');
if (nav) addTheme(nav);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
document.addEventListener('keydown', e => {
  if (e.key === '?' && !(e.target instanceof Element && /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName))) showKeys();
});
if (pages[0]) follow(pages[0]);
globalThis.tracekitPages = pages; // for tests
