// Pages of trace-report in a browser. usage: check.js BUILD ROOT; ONLY=words runs the checks with these in their names
const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const { Tools, open, drawAll, work } = require('./browser.js');
const { came, that, same, near, run } = require('./counting.js');

const [, , build, root] = process.argv;
const tools = new Tools(build);
const game = path.join(root, 'fixtures/game.utrace.zst');
const orchard = path.join(root, 'fixtures/report/orchard.utrace.zst');    // has hitches
const HITCH = ['--hitches', '18.5'];

/** At which pages are judged: wide and narrow, light and dark, and where the system chooses the colours. */
const SIZES = [[390, 844], [1280, 800], [2560, 1440]].flatMap(([width, height]) => ['light', 'dark'].map(colorScheme => ({ viewport: { width, height }, colorScheme })));
SIZES.push(/** @type {any} */ ({ forcedColors: 'active', reducedMotion: 'reduce' }));

/** Of a page of hostile names: nothing of them became an element, was fetched or ran. */
async function namesAreText(page, elements) {
  same('errors', page.errors, []);
  same('requests', page.requests.length, 1);
  same('elements', await page.locator(elements).count(), 0);
  that('a name is text', (await page.locator('main').innerText()).includes('<svg onload=alert(1)>'));
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  that('a long name makes nothing wider', wide[0] <= wide[1], wide.join(' '));
}

const checks = {
  async 'nothing is asked for, and it is soon there'(browser) {
    const page = await open(browser, tools.report(orchard, ...HITCH));
    await page.locator('.figure canvas').first().waitFor();
    const first = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
    that('something is seen within 1.5 s', first < 1500, `${first} ms`);
    await drawAll(page);
    same('errors', page.errors, []);
    same('requests', page.requests.length, 1);
    that('no picture failed', !(await page.locator('main').innerText()).includes('cannot be shown'));
  },

  // The column of a hitch is red from its time down to the base, and that of the frame before is not above its own.
  async 'pixels of the frame times'(browser) {
    const page = await open(browser, tools.report(orchard, ...HITCH));
    await drawAll(page);
    const frames = tools.table(orchard, 'frames').filter(f => f.type_id === 0 && f.dur !== null);
    const hitches = tools.table(orchard, 'hitches', '--hitches=18.5');
    const worst = frames.reduce((a, b) => (b.dur > a.dur ? b : a));
    that('there are hitches', hitches.some(h => h.frame === worst.frame));
    const seen = await page.evaluate(index => {
      const f = tracekitPages[0].frames, b = f.game.begin[index], l = f.game.length[index];
      f.range.set(b - 3 * l, b + 4 * l);
      f.changed();
      const c = f.picture.context, sharp = devicePixelRatio;
      const at = (x, y) => [...c.getImageData(Math.round(x * sharp), Math.round(y * sharp), 1, 1).data].slice(0, 3);
      const style = getComputedStyle(document.documentElement), hex = style.getPropertyValue('--hitch').trim();
      return { from: f.range.from, to: f.range.to, left: f.left, inner: f.inner(), top: f.top, plot: f.plot, most: f.most,
        bars: [index - 1, index, index + 1].map(i => {
          const x = f.left + (f.game.begin[i] + f.game.length[i] / 2 - f.range.from) / (f.range.to - f.range.from) * f.inner();
          const y = f.top + f.plot - f.game.length[i] / f.most * f.plot;
          return { x, below: at(x - 8, y + 6), middle: at(x - 8, f.top + f.plot - 6), above: at(x - 8, y - 24) };
        }), hitch: [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16)), begin: b, length: l };
    }, worst.frame);
    same('begin and length', [seen.begin, seen.length], [worst.start, worst.dur]);
    same('below the top of the hitch', seen.bars[1].below, seen.hitch);
    same('at its base', seen.bars[1].middle, seen.hitch);
    that('above it', JSON.stringify(seen.bars[1].above) !== JSON.stringify(seen.hitch));
    const bad = new Set(hitches.map(h => h.frame));
    for (const [k, i] of [[0, worst.frame - 1], [2, worst.frame + 1]])
      same(`frame ${i} is coloured as a hitch`, JSON.stringify(seen.bars[k].middle) === JSON.stringify(seen.hitch), bad.has(i));
    const all = await page.evaluate(() => [...tracekitPages[0].frames.game.length]);
    same('lengths of all frames', all, frames.map(f => f.dur));
  },

  // Where frames are narrower than pixels none of their pixels is left out.
  async 'no gap where frames are narrow'(browser) {
    const page = await open(browser, tools.report(game), { viewport: { width: 420, height: 900 } });
    await drawAll(page);
    const gaps = await page.evaluate(() => {
      const f = tracekitPages[0].frames, c = f.picture.context, y = f.top + f.plot - 3, last = f.game.n - 1;
      const from = Math.ceil(f.xOf(f.game.begin[0])) + 1, to = Math.floor(f.xOf(f.game.begin[last] + f.game.length[last])) - 1;
      let gaps = 0;
      for (let x = from; x < to; x++) if (!c.getImageData(Math.round(x * devicePixelRatio), Math.round(y * devicePixelRatio), 1, 1).data[3]) gaps++;
      return gaps;
    });
    same('pixels without a frame', gaps, 0);
  },

  async 'flame graph'(browser) {
    const page = await open(browser, tools.report(game));
    await drawAll(page);
    const tree = tools.table(game, 'tree', '--tree', '--by', 'thread', '--min-share', '0.03%');
    const seen = await page.evaluate(() => {
      const t = tracekitPages[0].tree;
      t.waitButton.click();
      const w = t.picture.width, whole = t.root.value;
      const faults = [];
      for (const b of t.boxes) {
        if (b.folded) continue;
        if (Math.abs(b.w - b.node.value / whole * w) > 0.01) faults.push(b.node.name);
        const hit = t.boxAt(b.x + b.w / 2, b.row * 19 + 9);
        if (!hit || hit.node !== b.node) faults.push('hit ' + b.node.name);
        const below = t.boxes.filter(o => o.node.parent === b.node && !o.folded).reduce((s, o) => s + o.w, 0);
        if (below > b.w + 0.01) faults.push('wider than its caller: ' + b.node.name);
      }
      t.search.value = 'UWorld::Tick';
      t.search.dispatchEvent(new Event('input'));
      return { faults, threads: t.root.children.map(n => [n.name, n.incl]).sort(), status: t.status.textContent,
        boxes: t.boxes.length, whole };
    });
    same('faults of boxes', seen.faults, []);
    that('boxes', seen.boxes > 50, String(seen.boxes));
    same('threads', seen.threads, tree.filter(n => n.depth === 0).map(n => [n.timer, n.incl]).sort());
    const matching = tree.filter(n => n.timer === 'UWorld::Tick').reduce((s, n) => s + n.incl, 0);
    that('share of a search', seen.status.startsWith((matching / seen.whole * 100).toFixed(2) + ' %'), seen.status);
  },

  async 'callers and callees'(browser) {
    const page = await open(browser, tools.report(game));
    await drawAll(page);
    const name = 'UPrimitiveComponent::MoveComponentImpl';
    const callers = tools.table(game, 'callers', '--callers', name, '--min-share', '0');
    const seen = await page.evaluate(async n => {
      const t = tracekitPages[0].tree;
      t.waitButton.click();
      await tracekitPages[0].showTimerNamed(n);
      return { incl: t.callers.incl, first: t.callers.children.map(c => [c.name, c.incl]), hash: location.hash };
    }, name);
    const wanted = callers.filter(c => c.depth === 1).map(c => [c.timer, c.incl]);
    near('time of the timer', seen.incl, callers[0].incl, callers[0].incl / 50);    // the page leaves out rare stacks
    same('callers', seen.first.map(c => c[0]).slice(0, 1), wanted.sort((a, b) => b[1] - a[1]).map(c => c[0]).slice(0, 1));
    same('address', seen.hash, '#timer=' + encodeURIComponent(name));
  },

  async 'timeline'(browser) {
    const page = await open(browser, tools.report(orchard, ...HITCH));
    await drawAll(page);
    const seen = await page.evaluate(() => {
      const t = tracekitPages[0].figures.find(f => f && f.win && f.lanes);
      const faults = [];
      for (const l of t.lanes) {
        for (let row = 0; row < t.rowsOf(l); row++)
          for (const s of l.rows[row]) {
            const a = t.xOf(s.start), b = t.xOf(s.end);
            if (b - a < 3 || a < t.names || b > t.names + t.inner()) continue;
            if (t.scopeAt((a + b) / 2, l.top + row * 16 + 8) !== s) faults.push(s.name);
          }
      }
      return { from: t.win.from, to: t.win.to, frame: t.win.frame, left: t.win.left_out, faults, main: t.lanes.find(l => !l.path).name, first: t.lanes[0].path,
        scopes: t.win.scopes.filter(s => !s.lane.gpu && !s.lane.path).map(s => [s.lane.name, s.name, s.start, s.end - s.start, s.depth].join('\t')) };
    });
    same('hit tests', seen.faults, []);
    that('the critical path stands first', seen.first);
    same('then the main thread', seen.main, 'GameThread');
    const rows = tools.table(orchard, 'scopes', '-t', 'scopes', '--from', seen.from + 'ns', '--to', seen.to + 'ns')
      .map(s => [s.thread, s.timer, s.start, s.dur, s.depth].join('\t'));
    const wanted = new Set(rows);
    that('nothing that is not there', seen.scopes.every(s => wanted.has(s)));
    that('nothing is missing but what is said', rows.length - seen.scopes.length <= seen.left, `${rows.length} ${seen.scopes.length} ${seen.left}`);
  },

  async 'lists'(browser) {
    const page = await open(browser, tools.report(game));
    const rows = page.locator('[data-list="timers"] tbody tr[aria-rowindex]');
    await rows.first().waitFor();
    const timers = tools.table(game, 'timers', '-t', 'timers', '-c', 'timer,count,excl');
    const first = async () => (await rows.first().locator('td').first().textContent());
    await page.locator('[data-list="timers"] th[data-column="count"] button').click();
    same('most calls', await first(), timers.reduce((a, b) => (b.count > a.count ? b : a)).timer);
    await page.locator('[data-list="timers"] input').fill('UWorld::');
    const wanted = timers.filter(t => t.timer.includes('UWorld::')).length;
    that('filter', (await page.locator('[data-list="timers"] [role="status"]').textContent()).startsWith(wanted + ' of'));
    await page.locator('[data-list="timers"] input').fill('/^UWorld::Tick$/');
    same('expression', await rows.count(), 1);
    const plain = page.locator('table[data-table="threads"]');
    await plain.locator('th[data-column="scopes"] button').click();
    const threads = tools.table(game, 'threads');
    same('threads by scopes', await plain.locator('tbody tr').first().locator('td').first().textContent(),
      threads.reduce((a, b) => (b.scopes > a.scopes ? b : a)).thread);
  },

  async 'keys alone'(browser) {
    const page = await open(browser, tools.report(orchard, ...HITCH));
    await drawAll(page);
    const reached = new Set();
    for (let i = 0; i < 2000; i++) {
      await page.keyboard.press('Tab');
      const label = await page.evaluate(() => {
        const e = document.activeElement;
        e.dataset.reached = '1';
        return e.tagName === 'CANVAS' ? e.getAttribute('aria-label') : e.tagName;
      });
      reached.add(label);
      if (label === 'BODY' && i > 20) break;
    }
    const missed = await page.evaluate(() => [...document.querySelectorAll('canvas, button:not(:disabled), input, select, a[href]')]
      .filter(e => !e.dataset.reached && e.offsetParent !== null).length);
    same('what Tab does not reach', missed, 0);
    that('pictures are reached', [...reached].filter(r => r.length > 20).length >= 10, String(reached.size));
    await page.evaluate(() => tracekitPages[0].frames.picture.canvas.focus());
    await page.keyboard.press('n');
    const status = await page.evaluate(() => tracekitPages[0].frames.status.textContent);
    that('n goes to a hitch', /^Frame \d+: .* a hitch/.test(status), status);
    await page.keyboard.press('ArrowRight');
    const next = await page.evaluate(() => tracekitPages[0].frames.status.textContent);
    same('an arrow goes to the next frame', Number(next.match(/\d+/)[0]), Number(status.match(/\d+/)[0]) + 1);
    await page.keyboard.press('w');
    that('w zooms', await page.evaluate(() => {
      const r = tracekitPages[0].frames.range;
      return r.to - r.from < r.bounds[1] - r.bounds[0];
    }));
    await page.evaluate(() => tracekitPages[0].tree.picture.canvas.focus());
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    that('Enter fits a call', await page.evaluate(() => tracekitPages[0].tree.top !== tracekitPages[0].tree.root));
    await page.keyboard.press('?');
    that('? shows the keys', await page.locator('dialog[open]').isVisible());
  },

  async 'accessibility'(browser) {
    const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
    for (const options of SIZES) {
      const page = await open(browser, tools.report(orchard, ...HITCH), { bypassCSP: true, ...options });
      await drawAll(page);
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run());
      same('violations ' + JSON.stringify(options), found.violations.map(v => [v.id, v.nodes[0].html.slice(0, 90)]), []);
      same('errors', page.errors, []);
    }
  },

  async 'narrow, large and printed'(browser) {
    for (const width of [360, 750]) {      // 750 is what 1500 is at 200 %
      const page = await open(browser, tools.report(orchard, ...HITCH), { viewport: { width, height: 900 } });
      await drawAll(page);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      that(`nothing is wider than ${width}`, wide[0] <= wide[1], wide.join(' '));
    }
    const page = await open(browser, tools.report(game));
    await drawAll(page);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const words = await page.evaluate(() => [...document.querySelectorAll('[data-table="logs"] tbody td:last-child')]
      .filter(e => e.scrollWidth > e.clientWidth + 1 && e.textContent.length < 100).map(e => e.textContent));
    same('messages that are cut though there is room', words, []);
    const hints = await page.evaluate(() => [...document.querySelectorAll('input[type="search"]')].filter(e => e.getBoundingClientRect().width < 200).length);
    same('search fields narrower than their hint', hints, 0);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const printed = await page.evaluate(() => [...document.querySelectorAll('.rows table')].map(t => [t.dataset.table, t.tBodies[0].rows.length,
      [...t.tBodies[0].rows].some(r => r.hasAttribute('aria-hidden'))]));
    that('long tables have their first rows on paper', printed.length > 2 && printed.every(([, n, spaced]) => n > 24 && n <= 60 && !spaced), JSON.stringify(printed));
    that('and do not become longer than twice the page', await page.evaluate(() => document.documentElement.scrollHeight) < 2 * height);
    that('no hints to keys on paper', !(await page.locator('.status').first().isVisible()));
    that('no links on paper', !(await page.locator('nav').first().isVisible()));
    that('a PDF', (await page.pdf()).length > 20000);
  },

  async 'words of tables stay whole in narrow windows'(browser) {
    const page = await open(browser, tools.report(orchard, ...HITCH), { viewport: { width: 400, height: 900 } });
    await drawAll(page);
    const broken = await page.evaluate(() => {
      const out = [];
      for (const cell of document.querySelectorAll('td:not(.n)')) {
        const text = cell.firstChild;
        if (!text || text.nodeType !== Node.TEXT_NODE || !/^[A-Za-z]{2,14}$/.test(text.data)) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        if (range.getClientRects().length > 1) out.push(text.data);
      }
      return out;
    });
    same('words that are broken', broken, []);
  },

  async 'work of threads in frames'(browser) {
    const page = await open(browser, tools.report(game));
    await drawAll(page);
    const rows = await page.evaluate(() => tracekitPages[0].frames.others.map(o => [o.name, o.n, o.length[7], o.length[350]]));
    const bound = tools.table(game, 'bound', '-t', 'bound', '--columns', 'frame,game,render,rhi,gpu');
    for (const [who, name] of [['game', 'game thread'], ['render', 'render thread'], ['rhi', 'RHI thread'], ['gpu', 'GPU']])
      same('row of the ' + name, rows.find(r => r[0] === name), [name, bound.length, bound[7][who], bound[350][who]]);
    const shares = await page.locator('table[data-table="bound_shares"] tbody tr').count();
    same('what bounded frames', shares, tools.table(game, 'bound_shares').length);
  },

  async 'the page of a comparison'(browser) {
    const file = path.join(work, 'comparison.html'), sides = ['tiny-ue5.0.utrace', 'tiny.utrace'].map(n => path.join(root, 'fixtures', n));
    tools.tell('trace-diff', ...sides, '--report', 'html=' + file);
    const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
    for (const options of SIZES) {
      const page = await open(browser, file, { bypassCSP: true, ...options });
      await page.evaluate(axe);
      same('violations ' + JSON.stringify(options), (await page.evaluate(() => window.axe.run())).violations.map(v => [v.id, v.nodes[0].html.slice(0, 90)]), []);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      that('nothing is wider than the window', wide[0] <= wide[1], wide.join(' '));
      const over = await page.evaluate(() => [...document.querySelectorAll('#flame svg svg, [aria-labelledby="h-flame"] svg svg, svg svg')].filter(l => getComputedStyle(l).overflow === 'visible').length);
      same('names that may run over a neighbour', over, 0);
      same('errors', page.errors, []);
    }
  },

  // What a comparison says first, its builds, and the tree of the difference between the graphs of both sides.
  async 'a comparison says what it found, of which builds, and where'(browser) {
    const file = path.join(work, 'builds.html'), builds = ['a', 'b'].map(n => path.join(root, `fixtures/baseline-v1-${n}.tkb`));
    tools.tell('trace-diff', builds[0], '--vs', builds[1], '--report', 'html=' + file);
    const page = await open(browser, file);
    const said = tools.tell('trace-diff', builds[0], '--vs', builds[1]).toString().replace(/\s+/g, ' ');
    const first = (await page.locator('h1 + * strong').first().textContent()).trim();
    that('the page begins with the sentence of the command', first.length > 20 && said.includes(first), `${first} | ${said.slice(0, 300)}`);
    same('the title names both builds', await page.title(), 'Comparison of ++Orchard+Main-CL-20051 and ++Orchard+Main-CL-20077 - Tracekit');
    const words = await page.locator('.verdict-word').allTextContents();
    that('each verdict has a sign and a word', words.length > 10 && words.every(w => /^\S [a-z]+$/.test(w.trim())), words.find(w => !/^\S [a-z]+$/.test(w.trim())));
    same('errors', page.errors, []);
  },

  async 'the tree of a difference, and the graphs of both sides'(browser) {
    const file = path.join(work, 'tree.html'), sides = ['tiny-ue5.0.utrace', 'tiny.utrace'].map(n => path.join(root, 'fixtures', n));
    tools.tell('trace-diff', ...sides, '--report', 'html=' + file);
    const page = await open(browser, file);
    const graphs = page.locator('svg[aria-label^="Flame graph"]');
    same('graphs', await graphs.evaluateAll(all => all.map(g => g.getAttribute('aria-label').split(';')[0])),
      ['Flame graph of the difference', 'Flame graph of the calls before', 'Flame graph of the calls after']);
    same('roots are threads', await graphs.first().locator('title').first().evaluate(e => e.textContent.split(':')[0]), 'GameThread');
    const legend = await page.locator('section[aria-labelledby="h-flame"]').innerText();
    that('the legend says signs, not only colours', legend.includes('▲') && legend.includes('▼'), legend.slice(0, 300));
    const over = await graphs.evaluateAll(all => all.flatMap(g => [...g.querySelectorAll('svg')]).filter(l => getComputedStyle(l).overflow === 'visible').length);
    same('labels that may run over a neighbour', over, 0);
    await page.locator('a[href="#h-flame"]').click();
    same('the link of the sentence goes to the tree', await page.evaluate(() => location.hash), '#h-flame');
    const added = await graphs.nth(2).locator('title').evaluateAll(all => all.map(e => e.textContent.split(':')[0]));
    const before = await graphs.nth(1).locator('title').evaluateAll(all => all.map(e => e.textContent.split(':')[0]));
    that('what is new is after, and not before', added.includes('TinyWithMetadata') !== before.includes('TinyWithMetadata'));
    same('errors', page.errors, []);
  },

  // Boxes with their signs, labels inside of their boxes, threads as roots, and a legend that needs no colour.
  async 'the flame graph of a difference as SVG'(browser) {
    const file = path.join(work, 'difference.svg'), sides = ['tiny-ue5.0.utrace', 'tiny.utrace'].map(n => path.join(root, 'fixtures', n));
    tools.tell('trace-diff', ...sides, '--report', 'flamegraph=' + file);
    const page = await open(browser, file);
    same('root', await page.locator('rect.class + svg text').evaluateAll(all => all.map(e => e.textContent)), ['GameThread']);
    const legend = await page.locator('#legend text').allTextContents();
    same('signs in the legend', legend.map(e => e[0]), ['▲', '▼', 'n']);
    const marked = await page.evaluate(() => [...document.querySelectorAll('rect.slower, rect.faster')].filter(r => r.closest('svg svg') && r.getAttribute('width') > 40).map(r => {
      const text = r.nextElementSibling && r.nextElementSibling.textContent;
      return [r.classList[0], text];
    }));
    that('boxes say it, too', marked.every(([kind, text]) => text && text.includes(kind === 'slower' ? '▲' : '▼')), JSON.stringify(marked));
    const over = await page.evaluate(() => [...document.querySelectorAll('svg svg svg')].filter(l => getComputedStyle(l).overflow === 'visible').length);
    same('labels that may run over a neighbour', over, 0);
    same('errors', page.errors, []);
  },

  async 'hostile names in a comparison'(browser) {
    const NAMES = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<svg onload=alert(1)>', '\u202egnirts', '__proto__', 'x'.repeat(3000)];
    const names = path.join(work, 'names-of-both'), capture = path.join(work, 'both.utrace');
    fs.writeFileSync(names, NAMES.map(n => Buffer.from(n).toString('hex') + '\n').join(''));
    execFileSync(path.join(build, 'tests/export/export-hostile'), [names, capture]);
    const file = path.join(work, 'hostile.html');
    tools.tell('trace-diff', capture, capture, '--report', 'html=' + file);
    for (const bypassCSP of [false, true]) {
      const page = await open(browser, file, { bypassCSP });
      await page.waitForTimeout(200);
      await namesAreText(page, 'img, iframe, object, embed, link, base, form');
    }
  },

  async 'the page of several captures'(browser) {
    const file = path.join(work, 'several.html');
    tools.run('trace-report', ...['tiny.utrace', 'tiny-ue5.0.utrace'].map(n => path.join(root, 'fixtures', n)), '-q', '--force', '-o', file);
    const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
    for (const options of SIZES) {
      const page = await open(browser, file, { bypassCSP: true, ...options });
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run());
      same('violations ' + JSON.stringify(options), found.violations.map(v => [v.id, v.nodes[0].html.slice(0, 90)]), []);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      that('nothing is wider than the window', wide[0] <= wide[1], wide.join(' '));
      same('errors', page.errors, []);
    }
  },

  async 'the page of a history'(browser) {
    const file = path.join(work, 'trend.html');
    tools.tell('trace-trend', '--csv', path.join(root, 'fixtures/trend/h11'), '--report', 'html=' + file);
    const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
    for (const options of SIZES) {
      const page = await open(browser, file, { bypassCSP: true, ...options });
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run());
      same('violations ' + JSON.stringify(options), found.violations.map(v => [v.id, v.nodes[0].html.slice(0, 90)]), []);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      that('nothing is wider than the window', wide[0] <= wide[1], wide.join(' '));
      same('requests', page.requests.length, 1);
      same('errors', page.errors, []);
    }
  },

  async 'without scripts and styles'(browser) {
    const file = tools.report(orchard, ...HITCH), html = fs.readFileSync(file);
    const page = await open(browser, file, { javaScriptEnabled: false });
    const text = await page.locator('main').innerText();
    for (const word of ['10 hitches', 'half of them took', 'Streaming.Flush', 'GameThread']) that('without script: ' + word, text.includes(word));
    that('the table of timers', await page.locator('table[data-table="timers"] tbody tr').count() >= 20);
    const context = await browser.newContext();
    const strict = await context.newPage();
    await strict.route('**/*', route => route.fulfill({ body: html, contentType: 'text/html', headers: {
      'Content-Security-Policy': "sandbox; default-src 'none'; img-src 'self'; style-src 'self'" } }));
    await strict.goto('http://localhost/report.html');
    that('with the policy of a CI server', (await strict.locator('main').innerText()).includes('Timers by exclusive time'));
    that('and its tables', await strict.locator('table[data-table="frame_stats"] tbody tr').first().isVisible());
  },

  async 'hostile names'(browser) {
    const NAMES = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<svg onload=alert(1)>', '\u202egnirts',
      '__proto__', 'constructor', '<!-- <script', 'x'.repeat(3000), '{{7*7}}', 'toString'];
    const names = path.join(work, 'names'), capture = path.join(work, 'hostile.utrace');
    fs.writeFileSync(names, NAMES.map(n => Buffer.from(n).toString('hex') + '\n').join(''));
    execFileSync(path.join(build, 'tests/export/export-hostile'), [names, capture]);
    for (const bypassCSP of [false, true]) {
      const page = await open(browser, tools.report(capture, '--title', '</title><img src=x onerror=alert(1)>'), { bypassCSP });
      await drawAll(page);
      await page.waitForTimeout(200);
      await namesAreText(page, 'img, svg, iframe, object, embed, link, base, form');
    }
  },

  // What is wrong in a block is told in the place of its picture, and the others are drawn.
  async 'damaged blocks'(browser) {
    const file = tools.report(orchard, ...HITCH), html = fs.readFileSync(file, 'utf8');
    const broken = path.join(work, 'broken.html');
    for (const [what, change] of [['cut', b => b.slice(0, b.length >> 1)], ['empty', () => ''], ['other', b => b.slice(0, 40) + 'AAAA' + b.slice(44)], ['none', null]]) {
      fs.writeFileSync(broken, html.replace(/(<script type="application\/octet-stream" id="b-tree">)([^<]*)(<\/script>)/,
        (_, a, b, c) => (change ? a + change(b) + c : '')));
      const page = await open(browser, broken);
      await drawAll(page);
      const text = await page.locator('#tree .figure').innerText();
      that(what + ': said in its place', text.includes('cannot be shown'), text.slice(0, 100));
      that(what + ': others are there', await page.locator('#frames canvas').count() >= 2);
      same(what + ': errors', page.errors, []);
    }
  },

  async 'flame graph as SVG'(browser) {
    const file = path.join(work, 'f.svg');
    tools.run('trace-export', game, '-q', '--force', '-o', file);
    const page = await open(browser, file, { viewport: { width: 1240, height: 600 } });
    const widths = () => page.evaluate(() => [...document.querySelectorAll('g.b')].filter(g => g.style.display !== 'none')
      .map(g => [g.dataset.name, Number(g.querySelector('rect').getAttribute('width'))]));
    const before = await widths();
    await page.evaluate(() => [...document.querySelectorAll('g.b')].find(g => g.dataset.name === 'UWorld::Tick')
      .dispatchEvent(new MouseEvent('click', { bubbles: true })));
    const fitted = await widths();
    same('a click fits a call', fitted.find(b => b[0] === 'UWorld::Tick')[1], 1199);
    that('and hides others', fitted.length < before.length);
    await page.keyboard.press('Escape');
    const after = await widths();
    same('Escape shows all', after.map(b => b[0]), before.map(b => b[0]));
    that('as they were', after.every((b, i) => Math.abs(b[1] - before[i][1]) < 0.11 + 1e-3));
    same('errors', page.errors, []);
  },

  async 'addresses'(browser) {
    const file = tools.report(orchard, ...HITCH);
    const page = await open(browser, file, { hash: '#frame=7' });
    await page.waitForFunction(() => tracekitPages[0].frames && tracekitPages[0].frames.selected === 7);
    came();
    for (const hash of ['#frame=99999999', '#frame=x', '#timer=%', '#timer=nobody', '#<b>']) {
      const odd = await open(browser, file, { hash });
      await odd.waitForTimeout(300);
      same('errors of ' + hash, odd.errors, []);
    }
  },
};

run(checks);
