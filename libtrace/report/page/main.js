// Main: finds the places for pictures, and draws each when it comes near the screen.
import { make } from './text.js';
import { block } from './blocks.js';
import { redraw, isDark } from './canvas.js';
import { tables } from './tables.js';
import { Frames } from './frames.js';
import { Distribution } from './distribution.js';
import { Values } from './values.js';

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
  values: (host, data, page) => new Values(host, data, host.dataset.block.endsWith('b-curves') ? 'time' : '', page.main.duration),
};

/** One capture of the page. */
class Page {
  constructor(root) {
    this.root = root;
    this.prefix = root.dataset.prefix;
    tables(root, () => {});
    const near = new IntersectionObserver(entries => {
      for (const e of entries)
        if (e.isIntersecting) {
          near.unobserve(e.target);
          this.show(e.target);
        }
    }, { rootMargin: '600px' });
    for (const figure of root.querySelectorAll('.figure')) near.observe(figure);
  }

  async show(host) {
    try {
      this.main = await block(this.prefix + 'b-main');
      const data = await block(host.dataset.block);
      const maker = makers[host.dataset.figure];
      if (maker) await maker(host, data, this);
    } catch (e) {
      host.replaceChildren(make('p', 'none', 'This picture cannot be shown: ' + e.message + '. The tables have its figures.'));
    }
    host.style.minHeight = '0';
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
  const item = make('li', 'tools', button);
  nav.querySelector('ul').append(item);
}

const pages = [...document.querySelectorAll('.capture')].map(root => new Page(root));
const nav = document.querySelector('nav');
if (nav) addTheme(nav);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
