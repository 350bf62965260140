// trace-view in a browser: what is drawn and said against trace-stats, keys alone, accessibility, hostile names, narrow
// windows, and pages of other sites. usage: view.js BUILD ROOT; ONLY=words runs the checks with these in their names
const fs = require('fs');
const http = require('http');
const path = require('path');
const { execFileSync, spawn } = require('child_process');
const { Tools, work } = require('./browser.js');
const { came, that, same, run } = require('./counting.js');

const [, , build, root] = process.argv;
const tools = new Tools(build);
const game = path.join(root, 'fixtures/game.utrace.zst'), orchard = path.join(root, 'fixtures/report/orchard.utrace.zst');
const tracy = path.join(root, 'fixtures/tracy/crash-0.14.0.tracy'), locks = path.join(root, 'fixtures/tracy/ctx-0.14.0.tracy');
const tiny = path.join(root, 'fixtures/tiny.utrace'), contended = path.join(root, 'fixtures/tracy/small-0.14.0-lz4-j1.tracy');
const servers = [];

/** Starts trace-view; its address. */
function serve(...captures) {
  const process = spawn(path.join(build, 'bin/trace-view'), [...captures, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(process);
  return new Promise((done, failed) => {
    process.stdout.once('data', text => done(String(text).trim()));
    process.once('exit', code => failed(new Error(`trace-view ended with ${code}`)));
  });
}

/** Opens the page, notes requests and errors, and waits until all is there. */
async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1500, height: 950 }, ...options });
  const page = await context.newPage();
  page.requests = [];
  page.errors = [];
  page.on('request', r => page.requests.push(r.url()));
  page.on('pageerror', e => page.errors.push(e.message));
  page.on('console', m => { if (m.type() === 'error') page.errors.push(m.text()); });
  page.on('response', r => { if (r.status() >= 400) page.errors.push(`${r.status()} ${r.url()}`); });
  page.on('dialog', d => { page.errors.push('a dialog: ' + d.message()); d.dismiss(); });
  await page.goto(address);
  await page.waitForFunction(() => globalThis.tracekitView && tracekitView.complete);
  await page.evaluate(() => tracekitView.complete);
  await settled(page);
  return page;
}

/** Until nothing is asked for any more, and it is drawn. */
async function settled(page) {
  await page.waitForTimeout(60);
  await page.waitForFunction(() => !tracekitView.frame && tracekitView.captures.every(c => !c.busy));
  await page.waitForTimeout(60);
}

async function see(page, from, to) {
  await page.evaluate(([a, b]) => tracekitView.see(a, b), [from, to]);
  await settled(page);
}

/** Boxes of the first capture that are drawn wide enough to be seen, and what a pixel in their middle finds. */
function drawn(page, least) {
  return page.evaluate(pixels => {
    const v = tracekitView, c = v.captures[0], out = [], faults = [];
    for (const item of v.lanes.items.filter(i => i.kind === 'lane')) {
      const part = c.boxesOf(item.lane);
      for (let i = part ? part.from : 0; part && i < part.to; i++) {
        const { boxes } = part, a = v.clip(v.xOf(boxes.start[i])), b = v.clip(v.xOf(boxes.start[i] + boxes.length[i]));
        if (boxes.cover[i] !== 255 || b - a < pixels || boxes.depth[i] >= c.rowsOf(item.lane) || boxes.length[i] < 0) continue;
        const name = c.names.name(boxes.timer[i]);
        if (item.lane.kind === 'thread') out.push([item.lane.id, boxes.depth[i], boxes.start[i], boxes.length[i], name].join('\t'));
        const hit = v.lanes.boxAt((a + b) / 2, item.top - v.lanes.top + boxes.depth[i] * 17 + 8);
        if (!hit || hit.start !== boxes.start[i] || hit.depth !== boxes.depth[i]) faults.push(name);
      }
    }
    return { out: out.sort(), faults, rows: v.lanes.items.filter(i => i.kind === 'lane' && i.lane.kind === 'thread').map(i => [i.lane.id, c.rowsOf(i.lane)]),
      pixel: (v.range.to - v.range.from) / v.inner(), from: v.range.from, to: v.range.to };
  }, least);
}

const checks = {
  async 'opens soon, and asks its own server alone'(browser) {
    const address = await serve(game), page = await open(browser, address);
    const first = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
    that('something is seen within 1.5 s', first < 1500, `${first} ms`);
    same('errors', page.errors, []);
    same('other servers', page.requests.filter(r => !r.startsWith(address.split('#')[0])), []);
    that('the token is not in the address', !page.url().includes(address.split('#')[1]));
    same('title', await page.title(), 'game.utrace.zst - Tracekit');
  },

  async 'boxes are the scopes of trace-stats'(browser) {
    const page = await open(browser, await serve(game));
    await page.evaluate(() => { for (const l of tracekitView.captures[0].order) l.whole = true; tracekitView.lanes.place(); });
    for (const [from, to] of [[5.4e9, 5.6e9], [5.5e9, 5.52e9], [5.505e9, 5.5051e9], [5.5051e9, 5.50512e9]]) {
      await page.evaluate(() => { tracekitView.lanes.scroll.scrollTop = 0; });
      await see(page, from, to);
      const seen = await drawn(page, 3), rows = new Map(seen.rows), visible = new Set(seen.out.map(l => Number(l.split('\t')[0])));
      const wanted = tools.table(game, 'scopes', '-t', 'scopes', '--from', Math.round(seen.from) + 'ns', '--to', Math.round(seen.to) + 'ns')
        .filter(s => visible.has(s.thread_id) && s.dur !== null && s.depth < rows.get(s.thread_id)
          && (Math.min(s.start + s.dur, seen.to) - Math.max(s.start, seen.from)) / seen.pixel >= 3)
        .map(s => [s.thread_id, s.depth, s.start, s.dur, s.timer].join('\t')).sort();
      that(`boxes of ${from} to ${to}`, seen.out.length > 0);
      same(`scopes of ${from} to ${to}`, seen.out, wanted);
      same('what a pixel finds', seen.faults, []);
    }
  },

  async 'pieces say how many scopes they are'(browser) {
    const file = path.join(work, 'bursts.json'), sizes = [2, 127, 128, 1000, 5000], events = [];
    sizes.forEach((size, k) => { for (let i = 0; i < size; i++) events.push({ ph: 'X', name: 'step', pid: 1, tid: 1, ts: 1e6 * k + 2 * i, dur: 1 }); });
    fs.writeFileSync(file, JSON.stringify({ traceEvents: events }));
    const page = await open(browser, await serve(file)), scopes = tools.table(file, 'scopes');
    const told = await page.evaluate(() => {
      const v = tracekitView, c = v.captures[0], lane = c.order[0], part = c.boxesOf(lane), item = v.lanes.items.find(i => i.lane === lane), out = [];
      for (let i = part.from; i < part.to; i++) {
        const a = part.boxes.start[i], b = a + part.boxes.length[i];
        if (part.boxes.cover[i] !== 255) out.push({ a, b, text: v.lanes.textAt(Math.max(v.names + 0.5, v.xOf((a + b) / 2)), item.top - v.lanes.top + 8) });
      }
      return out;
    });
    const kinds = { exact: 0, least: 0 };
    for (const { a, b, text } of told) {
      const there = scopes.filter(s => s.start + s.dur >= a && s.start + s.dur < b).length, said = /^(at least )?(\d+) scopes? shorter than /.exec(text);
      kinds[said && said[1] ? 'least' : 'exact']++;
      that(`${there} scopes`, said && (there < 128 ? !said[1] && Number(said[2]) === there : said[1] && said[2] <= there && said[2] >= there * 0.8), text);
    }
    that('pieces of both kinds', kinds.exact > 0 && kinds.least > 2, JSON.stringify(kinds));
  },

  async 'pixels'(browser) {
    const page = await open(browser, await serve(game));
    await see(page, 5.48e9, 5.51e9);
    const seen = await page.evaluate(() => {
      const v = tracekitView, c = v.lanes.picture.context, sharp = devicePixelRatio, item = v.lanes.items[0];
      const at = (x, y) => [...c.getImageData(Math.round(x * sharp), Math.round(y * sharp), 1, 1).data].join();
      const box = v.lanes.rowOf(item.lane, 1).filter(b => !b.folded).find(b => v.xOf(b.end) - v.xOf(b.start) > 100 && v.xOf(b.start) > v.names + 5);
      const a = v.xOf(box.start), b = v.xOf(box.end), y = item.top + 17 + 3;
      const swatch = document.createElement('canvas').getContext('2d');
      swatch.fillStyle = v.lanes.colour(v.captures[0], box.timer, { dark: false, lane: '#f7f9fb' });
      swatch.fillRect(0, 0, 1, 1);
      return { inside: [at(a + 2, y), at(b - 4, y)], wanted: [...swatch.getImageData(0, 0, 1, 1).data].join(), below: at(a + 2, item.top + 17 * 13 + 3) };
    });
    same('a box from its begin to its end', seen.inside, [seen.wanted, seen.wanted]);
    that('and not below', seen.below !== seen.wanted);
  },

  async 'statistics of a selection'(browser) {
    const page = await open(browser, await serve(game));
    await page.evaluate(() => tracekitView.select(5.5e9, 5.535e9, [tracekitView.captures[0].order[0]]));
    const table = page.locator('#pane table[data-table="timers"]');
    await table.waitFor();
    const thread = await page.evaluate(() => tracekitView.captures[0].order[0].name);
    const wanted = tools.table(game, 'timers', '-t', 'timers', '--from', '5500000000ns', '--to', '5535000000ns', '--thread', thread, '-s', 'excl');
    const seen = await table.evaluate(t => {
      const heads = [...t.tHead.rows[0].cells].map(c => c.dataset.column), value = (r, n) => Number(r.cells[heads.indexOf(n)].querySelector('data').value);
      return [...t.tBodies[0].rows].filter(r => r.getAttribute('aria-rowindex')).slice(0, 15).map(r => [r.cells[0].textContent, value(r, 'count'), value(r, 'excl')]);
    });
    same('timers', seen, wanted.slice(0, seen.length).map(r => [r.timer, r.count, r.excl]));
    const command = await page.locator('#pane code').textContent();
    const printed = JSON.parse(execFileSync('sh', ['-c', command.replace(/^trace-stats \S+/, `"${build}/bin/trace-stats" "${game}" -q -f json`)], { maxBuffer: 1 << 28 })).timers;
    same('the command says the same', printed.map(r => r.timer), wanted.map(r => r.timer));
    await page.locator('#pane select').first().selectOption('logs');
    const logs = page.locator('#pane table[data-table="logs"]');
    await logs.waitFor();
    const messages = tools.table(game, 'logs', '-t', 'logs', '--from', '5500000000ns', '--to', '5535000000ns', '--thread', thread);
    same('messages', await logs.locator('tbody tr[aria-rowindex]').count(), messages.length);
  },

  async 'a selection against the rest, and against another'(browser) {
    const page = await open(browser, await serve(game)), [a, b, end] = [5500000000, 5535000000, 10203159800];
    const timers = (...parts) => {
      const out = new Map();
      for (const [from, to] of parts) for (const r of tools.table(game, 'timers', '-t', 'timers', '--from', from + 'ns', '--to', to + 'ns', '--by', 'source')) {
        const key = r.timer + '\n' + r.file + '\n' + r.line, known = out.get(key) || { calls: 0, excl: 0 };
        out.set(key, { calls: known.calls + r.count, excl: known.excl + r.excl, timer: r.timer });
      }
      return out;
    };
    const wanted = (mine, length, other, otherLength) => [...new Set([...mine.keys(), ...other.keys()])].map(k => {
      const x = mine.get(k) || { calls: 0, excl: 0 }, y = other.get(k) || { calls: 0, excl: 0 };
      return { timer: x.timer || y.timer, change: x.excl * 1e9 / length - y.excl * 1e9 / otherLength, row: [x.timer || y.timer, x.excl, y.excl, x.calls, y.calls] };
    }).sort((x, y) => Math.abs(y.change) - Math.abs(x.change) || x.timer.localeCompare(y.timer)).map(r => r.row);
    const table = page.locator('#pane table[data-table="against"]'), cells = async () => {
      await table.waitFor();
      return table.evaluate(t => [...t.tBodies[0].rows].filter(r => r.getAttribute('aria-rowindex')).slice(0, 12).map(r => { const v = k => Number(r.cells[k].querySelector('data') ? r.cells[k].querySelector('data').value : r.cells[k].textContent); return [r.cells[0].textContent, v(4), v(5), v(6), v(7)]; }));
    };
    await page.evaluate(([from, to]) => tracekitView.select(from, to, null), [a, b]);
    await page.locator('#pane select[aria-label="Compared with"]').selectOption('rest');
    const last = await page.evaluate(() => tracekitView.captures[0].end), rest = await cells();
    that('the end of the capture', Math.abs(last - end) < 2e9, String(last));
    same('against the rest', rest, wanted(timers([a, b]), b - a, timers([0, a], [b, last]), a + last - b).slice(0, rest.length));
    same('a command for each part', await page.locator('#pane code').count(), 3);
    await page.locator('#pane button', { hasText: 'keep it to compare' }).click();
    const [c, d] = [6000000000, 6050000000];
    await page.evaluate(([from, to]) => tracekitView.select(from, to, null), [c, d]);
    await page.waitForFunction(() => document.querySelectorAll('#pane code').length === 2 && document.querySelector('#pane table[data-table="against"]'));
    const kept = await cells();
    same('against another selection', kept, wanted(timers([c, d]), d - c, timers([a, b]), b - a).slice(0, kept.length));
    await page.locator('#pane select[aria-label="Table"]').selectOption('flame graph');
    await page.waitForFunction(() => document.querySelectorAll('#pane .flame canvas').length === 2);
    const roots = await page.evaluate(() => tracekitView.panel.flames.root.children.map(t => [t.name, t.incl]).sort());
    const trees = tools.table(game, 'tree', '-t', 'tree', '--by', 'thread', '--from', a + 'ns', '--to', b + 'ns'), sums = new Map();
    for (const r of trees) if (r.depth === 0) sums.set(r.timer, (sums.get(r.timer) || 0) + r.incl);
    same('roots of a flame graph are threads', roots, [...sums].sort());
    await page.locator('#pane select[aria-label="Table"]').selectOption('tree');
    await page.locator('#pane table[data-table="tree"]').waitFor();
    came();
    same('errors', page.errors, []);
  },

  async 'what is chosen, in words'(browser) {
    const page = await open(browser, await serve(tracy));
    const scopes = tools.table(tracy, 'scopes').filter(s => s.dur !== null && s.depth > 0);
    const s = scopes[Math.floor(scopes.length / 2)], length = Math.max(100, s.dur);
    await see(page, s.start - length, s.start + 2 * length);
    await page.evaluate(([id, depth, start]) => {
      const v = tracekitView, lane = v.captures[0].order.find(l => l.kind === 'thread' && l.id === id && l.part === 0);
      v.lanes.reveal(lane, depth);
      v.choose(v.lanes.rowOf(lane, depth).find(b => b.start === start));
    }, [s.thread_id, s.depth, s.start]);
    await page.locator('#pane h2').first().waitFor();
    same('its name', await page.locator('#pane h2').first().textContent(), s.timer);
    const facts = await page.locator('#pane .facts').first().innerText();
    that('its thread', facts.includes(s.thread), facts);
    const figures = tools.table(tracy, 'timers', '-t', 'timers').filter(t => t.timer === s.timer).reduce((n, t) => n + t.count, 0);
    that('its calls', (await page.locator('#pane .facts').nth(1).innerText()).includes(String(figures)));
    await page.waitForFunction(name => document.querySelector('.status').textContent.startsWith(name), s.timer);
    came();
    const parent = scopes.concat(tools.table(tracy, 'scopes')).find(o => o.scope_id === s.parent_id);
    that('what is around it', (await page.locator('#pane .path').innerText()).includes(parent.timer));
  },

  async 'samples, and captures without scopes'(browser) {
    const open010 = path.join(root, 'fixtures/tracy/open-0.10.tracy'), page = await open(browser, await serve(open010));
    const rows = tools.table(open010, 'sample_rows');
    await page.waitForFunction(() => tracekitView.captures[0].samples);
    const seen = await page.evaluate(() => {
      const c = tracekitView.captures[0], lane = c.order.find(l => c.samplesOf(l).length);
      const item = tracekitView.lanes.items.find(i => i.lane === lane), s = c.samplesOf(lane)[0];
      return { times: c.order.map(l => [l.id, l.part ? 0 : c.samplesOf(l).length]).filter(e => e[1]).sort((a, b) => a[0] - b[0]),
        text: lane && tracekitView.lanes.textAt(tracekitView.xOf(s.time - c.offset), item.top + item.height - 3 - tracekitView.lanes.top), first: s && s.time, id: lane && lane.id };
    });
    const counts = new Map(), lanes = await page.evaluate(() => tracekitView.captures[0].order.filter(l => l.kind === 'thread').map(l => l.id));
    for (const r of rows) if (lanes.includes(r.thread_id)) counts.set(r.thread_id, (counts.get(r.thread_id) || 0) + 1);
    same('samples of threads', seen.times, [...counts].sort((a, b) => a[0] - b[0]));
    same('the first', seen.first, rows.find(r => r.thread_id === seen.id).time);
    that('what a pixel says', /^sample at /.test(seen.text || ''), seen.text);
    same('errors', page.errors, []);
    const csv = path.join(work, 'frames.csv');
    fs.writeFileSync(csv, 'Frame,FrameTime,GameThreadtime\n' + Array.from({ length: 50 }, (_, i) => `${i},${16 + i % 3},${9 + i % 4}\n`).join(''));
    const frames = await open(browser, await serve(csv));
    same('errors without scopes', frames.errors, []);
    await frames.evaluate(() => { const v = tracekitView; v.all(); v.hitch(false); v.fit(); v.key({ key: 'ArrowRight' }); v.key({ key: 'm' }); v.key({ key: '.' }); });
    await settled(frames);
    same('nor after keys', frames.errors, []);
  },

  // Below threads and in groups; a group is folded at first.
  async 'lanes of cores, locks, tasks, files, packages and fences'(browser) {
    const page = await open(browser, await serve(game)), kinds = () => page.evaluate(() => [...new Set(tracekitView.lanes.items.filter(i => i.kind === 'lane').map(i => i.lane.kind))].sort());
    same('folded', await kinds(), ['fence', 'gpu', 'gpu_work', 'running', 'thread']);
    await page.evaluate(() => { for (const item of tracekitView.lanes.items.filter(i => i.kind === 'group')) tracekitView.lanes.unfold(item.capture, item.of.kind, true); });
    same('unfolded', await kinds(), ['core', 'fence', 'file', 'gpu', 'gpu_work', 'package', 'request', 'running', 'task', 'thread']);
    const from = 5.5e9, to = 5.51e9;
    await page.evaluate(() => { const v = tracekitView; v.lanes.scroll.scrollTop = v.lanes.items.find(i => i.kind === 'group' && i.of.kind === 'core').top; });
    await see(page, from, to);
    const seen = await page.evaluate(() => {
      const v = tracekitView, c = v.captures[0], out = [];
      for (const item of v.lanes.visible().filter(i => i.kind === 'lane' && i.lane.kind === 'core')) for (let row = 0; row < item.lane.rows; row++)
        for (const b of v.lanes.rowOf(item.lane, row)) if (!b.folded && b.end >= v.range.from && b.start < v.range.to) out.push([item.lane.id, b.start, b.end, c.names.name(b.timer)].join());
      return out.sort();
    });
    const wanted = tools.table(game, 'switch_rows', '-t', 'switch_rows', '--from', from + 'ns', '--to', to + 'ns');
    same('who ran on each core', seen, wanted.map(r => [r.core, r.start, r.end, r.thread].join()).sort());
    const off = await page.evaluate(async () => {
      const v = tracekitView, c = v.captures[0], lane = c.order.find(l => l.name === 'GameThread'), below = c.below(lane)[0];
      v.lanes.scroll.scrollTop = 0;
      v.lanes.want();
      for (let i = 0; i < 100 && (c.busy || !v.lanes.rowOf(below, 0).length); i++) await new Promise(done => setTimeout(done, 20));
      const item = v.lanes.items.find(i => i.lane === below), gap = v.lanes.rowOf(below, 0).find(b => !b.folded && !/^core/.test(c.names.name(b.timer)) && b.start > v.range.from);
      return { text: v.lanes.textAt(v.xOf((gap.start + gap.end) / 2), item.top - v.lanes.top + 8), start: gap.start, end: gap.end, above: v.lanes.items[v.lanes.items.indexOf(item) - 1].lane.name };
    });
    const runs = tools.table(game, 'switch_rows').filter(r => r.thread === 'GameThread');
    that('off core between two runs', runs.some((r, i) => r.end === off.start && runs[i + 1].start === off.end), JSON.stringify(off));
    that('with what ran instead', /^(.+ ran instead|off core, nothing else ran)\n/.test(off.text), off.text);
    same('below its thread', off.above, 'GameThread');
    const held = await open(browser, await serve(locks));
    await held.evaluate(() => { tracekitView.lanes.unfold(tracekitView.captures[0], 'lock', true); tracekitView.lanes.scroll.scrollTop = 1e6; });
    await settled(held);
    const names = await held.evaluate(() => tracekitView.lanes.items.filter(i => i.kind === 'lane' && i.lane.kind === 'lock').map(i => i.lane.name).sort());
    same('a lane a lock', names, [...new Set(tools.table(locks, 'lock_rows').map(r => r.lock))].sort());
    same('errors', [...page.errors, ...held.errors], []);
  },

  async 'threads of several processes are in groups'(browser) {
    const capture = path.join(work, 'processes.json'), event = (pid, tid, ts) => ({ ph: 'X', pid, tid, ts, dur: 5, name: `of ${pid}` });
    fs.writeFileSync(capture, JSON.stringify([{ ph: 'M', pid: 7, name: 'process_name', args: { name: 'server' } },
      event(5, 1, 0), event(7, 1, 2), event(5, 2, 4), event(7, 3, 6), event(5, 3, 8)]));
    const page = await open(browser, await serve(capture));
    const seen = () => page.evaluate(() => tracekitView.lanes.items.filter(i => i.kind === 'process' || i.kind === 'lane').map(i => i.kind === 'lane' ? i.lane.process : `process ${i.process}`));
    const order = await seen();
    same('headers', order.filter(i => typeof i === 'string').sort(), ['process 5', 'process 7']);
    same('below each its threads', order.map((o, i) => typeof o === 'string' ? order.slice(i + 1).findIndex(x => typeof x === 'string') : null).filter(n => n !== null).sort((a, b) => a - b),
      order[0] === 'process 5' ? [-1, 3] : [-1, 2]);
    const at = await page.evaluate(() => { const i = tracekitView.lanes.items.find(x => x.kind === 'process' && x.process === 5); return i.top - tracekitView.lanes.top + i.height / 2; });
    await page.evaluate(y => tracekitView.lanes.click(40, y), at);
    await settled(page);
    same('folded', (await seen()).filter(i => i === 5).length, 0);
    await page.evaluate(() => { const c = tracekitView.captures[0]; tracekitView.lanes.reveal(c.order.find(l => l.process === 5), 0); });
    same('what is sought unfolds it', (await seen()).filter(i => i === 5).length, 3);
    const one = await open(browser, await serve(tiny));
    same('no header of a single process', await one.evaluate(() => tracekitView.lanes.items.filter(i => i.kind === 'process').length), 0);
    same('errors', [...page.errors, ...one.errors], []);
  },

  async 'arrows from the launch of a task to its start'(browser) {
    const page = await open(browser, await serve(game)), from = 5.5e9, to = 5.51e9;
    await see(page, from, to);
    await page.waitForFunction(() => tracekitView.captures[0].arrows.list.length && tracekitView.lanes.arrowsDrawn);
    const seen = await page.evaluate(() => tracekitView.captures[0].arrows.list.filter(a => a.what === 'arrows').map(a => [a.name, a.from, a.to, a.start, a.end].join()).sort());
    const wanted = tools.table(game, 'task_rows', '-t', 'task_rows', '-c', 'task,thread_id,launcher_id,launched,started', '--from', from + 'ns', '--to', to + 'ns');
    same('tasks', seen, wanted.filter(r => r.launched !== null && r.started !== null && r.thread_id !== null && r.launcher_id !== null).map(r => [r.task, r.launcher_id, r.thread_id, r.launched, r.started].join()).sort());
    await page.evaluate(() => { tracekitView.hide('arrows', true); tracekitView.hide('waits', true); });
    await settled(page);
    same('none where they are not wanted', await page.evaluate(() => tracekitView.lanes.arrowsDrawn), 0);
    same('errors', page.errors, []);
  },

  async 'arrows from a wait to what was waited for'(browser) {
    const page = await open(browser, await serve(game)), from = 5.5e9, to = 5.53e9, part = ['--from', from + 'ns', '--to', to + 'ns'];
    const waits = p => p.evaluate(() => tracekitView.captures[0].arrows.list.filter(a => a.what === 'waits').map(a => [a.kind, a.name, a.from, a.start, a.to, a.end].join()).sort());
    await see(page, from, to);
    await page.waitForFunction(() => tracekitView.captures[0].arrows.list.some(a => a.what === 'waits') && tracekitView.lanes.arrowsDrawn);
    const tasks = tools.table(game, 'task_rows', '-t', 'task_rows', '-c', 'task_id,thread_id,finished'), done = new Map(tasks.map(t => [t.task_id, t]));
    const wanted = [...tools.table(game, 'task_waits', '-t', 'task_waits', ...part).map(w => ['thread', w.first_task, w.thread_id, w.start, done.get(w.first_task_id).thread_id, done.get(w.first_task_id).finished]),
      ...tools.table(game, 'gpu_fences', '-t', 'gpu_fences', ...part).filter(f => f.signal_time > f.time).map(f => ['gpu', `fence ${f.value}`, f.queue_id, f.time, f.other_id, f.signal_time])];
    that('of tasks and of fences', wanted.some(w => w[0] === 'thread') && wanted.some(w => w[0] === 'gpu'));
    same('to the end of a task, and the signal of a fence', await waits(page), wanted.map(w => w.join()).sort());
    const held = await open(browser, await serve(contended)), all = tools.table(contended, 'lock_rows', '-t', 'lock_rows', '-c', 'lock,lock_id,thread_id,requested,obtained,released,wait');
    const holders = w => all.filter(h => h.lock_id === w.lock_id && h.lock === w.lock && h.thread_id !== w.thread_id && h.obtained < w.obtained && h.released > w.requested && h.released <= w.obtained).sort((a, b) => b.released - a.released);
    const one = all.find(w => w.wait > 0 && holders(w).length), [holder] = holders(one);
    await see(held, one.requested - one.wait, one.obtained + one.wait);
    await held.waitForFunction(() => tracekitView.captures[0].arrows.list.some(a => a.what === 'waits'));
    const mine = (await held.evaluate(() => tracekitView.captures[0].arrows.list.filter(a => a.what === 'waits').map(a => [a.kind, a.name, a.from, a.start, a.to, a.end]))).filter(a => a[2] === one.thread_id && a[3] === one.requested);
    same('to the release of a lock by who held it', mine, [['thread', one.lock, one.thread_id, one.requested, holder.thread_id, holder.released]]);
    same('errors', [...page.errors, ...held.errors], []);
  },

  async 'arrows from who woke a thread to its run'(browser) {
    const put = (field, v) => {
      const varint = n => { const out = []; for (; n > 127; n = Math.floor(n / 128)) out.push(n % 128 | 128); return [...out, n]; };
      const body = Array.isArray(v) ? v : [...Buffer.from(String(v))];
      return typeof v === 'number' ? [...varint(field * 8), ...varint(v)] : [...varint(field * 8 + 2), ...varint(body.length), ...body];
    };
    const at = i => 1e9 + i * 1000, bundle = (core, events) => put(1, [...put(10, 1), ...put(1, [...put(1, core), ...events.flatMap(e => put(2, e))])]);
    const change = (i, from, to) => [...put(1, at(i)), ...put(2, from), ...put(4, [...put(1, `name ${from}`), ...put(2, from), ...put(4, 1), ...put(5, `name ${to}`), ...put(6, to)])];
    const wake = (i, tid) => [...put(1, at(i)), ...put(2, 1), ...put(20, [...put(1, `name ${tid}`), ...put(2, tid), ...put(5, 0)])];
    const file = path.join(work, 'wakes.pftrace');
    fs.writeFileSync(file, Buffer.from([...bundle(0, [change(0, 0, 7), wake(20, 8), change(90, 7, 0)]), ...bundle(1, [change(30, 0, 8), change(80, 8, 0)])]));
    const runs = tools.table(file, 'switch_rows', '-t', 'switch_rows', '-c', 'start,core,wake,waker_core'), woken = runs.find(r => r.wake !== null);
    const page = await open(browser, await serve(file));
    await page.evaluate(() => tracekitView.lanes.unfold(tracekitView.captures[0], 'core', true));
    await page.waitForFunction(() => tracekitView.captures[0].arrows.list.some(a => a.what === 'wakes') && tracekitView.lanes.arrowsDrawn);
    same('from the core of who woke it to its own', await page.evaluate(() => tracekitView.captures[0].arrows.list.map(a => [a.name, a.kind, a.from, a.start, a.to, a.end].join())),
      [['name 7 woke name 8', 'core', 0, woken.wake, 1, woken.start].join()]);
    same('errors', page.errors, []);
  },

  async 'samples and allocations of a selection'(browser) {
    const sampled = path.join(work, 'sampled.utrace');
    execFileSync(path.join(build, 'tests/bench/bench-gen-samples'), [sampled, '4000', '--stacks', '50', '--depth', '8']);
    const page = await open(browser, await serve(sampled)), rows = tools.table(sampled, 'sample_rows').filter(r => r.thread);
    const [a, b] = [rows[Math.floor(rows.length / 4)].time, rows[Math.floor(rows.length / 2)].time];
    await page.evaluate(([from, to]) => tracekitView.select(from, to, null), [a, b]);
    await page.locator('#pane select[aria-label="Table"]').selectOption('flame graph of samples');
    await page.locator('#pane .flame canvas').waitFor();
    const roots = await page.evaluate(() => tracekitView.panel.flames.root.children.map(t => [t.name, t.incl]).sort()), counts = new Map();
    for (const r of rows) if (r.time >= a && r.time < b && r.depth) counts.set(r.thread, (counts.get(r.thread) || 0) + 1);
    same('roots are threads, with their samples', roots, [...counts].sort());
    that('in samples, not in seconds', /\d+ samples/.test(await page.locator('#pane .flame .status').innerText()));
    const memory = await open(browser, await serve(game)), part = ['--from', '5s', '--to', '6s'];
    await memory.evaluate(() => tracekitView.select(5e9, 6e9, null));
    const first = async (table, names) => {
      await memory.locator('#pane select[aria-label="Table"]').selectOption(table);
      const grid = memory.locator(`#pane table[data-table="${table}"]`);
      await grid.waitFor();
      return grid.evaluate((t, wanted) => {
        const heads = [...t.tHead.rows[0].cells].map(c => c.dataset.column), row = [...t.tBodies[0].rows].find(r => r.getAttribute('aria-rowindex'));
        return wanted.map(n => { const c = row.cells[heads.indexOf(n)], d = c.querySelector('data'); return d ? Number(d.value) : c.textContent; });
      }, names);
    };
    const leak = tools.table(game, 'leaks', '-t', 'leaks', ...part)[0], growth = tools.table(game, 'memory_growth', '-t', 'memory_growth', ...part)[0];
    same('allocated in it and not freed', await first('leaks', ['bytes', 'function']), [leak.bytes, leak.function]);
    same('growth, kept and churn', await first('memory_growth', ['growth_bytes', 'kept_bytes', 'churn_bytes']), [growth.growth_bytes, growth.kept_bytes, growth.churn_bytes]);
    same('errors', [...page.errors, ...memory.errors], []);
  },

  async 'screenshots'(browser) {
    const page = await open(browser, await serve(locks)), wanted = tools.table(locks, 'frame_images', '-t', 'frame_images').filter(r => r.time !== null);
    same('when they were taken', await page.evaluate(() => tracekitView.captures[0].screenshots.map(s => [s.time, s.width, s.height])), wanted.map(r => [r.time, r.width, r.height]));
    const folder = path.join(work, 'pictures');
    execFileSync(path.join(build, 'bin/trace-export'), [locks, '-f', 'pictures', '-o', folder, '-q', '--force']);
    const png = fs.readFileSync(path.join(folder, '0002.png')).toString('base64');
    const apart = await page.evaluate(async data => {
      const c = tracekitView.captures[0], shot = c.screenshots[0], picture = await c.shots.read(shot), bytes = Uint8Array.from(atob(data), v => v.charCodeAt(0));
      const pixels = p => { const o = new OffscreenCanvas(p.width, p.height).getContext('2d'); o.drawImage(p, 0, 0); return o.getImageData(0, 0, p.width, p.height).data; };
      const [mine, theirs] = [pixels(picture), pixels(await createImageBitmap(new Blob([bytes])))];
      return mine.length === theirs.length ? Math.max(...mine.map((v, i) => Math.abs(v - theirs[i]))) : -1;
    }, png);
    that('the picture is that of trace-export', apart >= 0 && apart <= 4, String(apart));
    await page.evaluate(() => { const c = tracekitView.captures[0]; c.shots.picture(c.screenshots[0]); });
    await page.waitForFunction(() => { const c = tracekitView.captures[0]; return c.shots.picture(c.screenshots[0]); });
    await page.evaluate(() => { const c = tracekitView.captures[0]; c.shots.open(c.screenshots[0]); });
    that('a click shows it', await page.locator('dialog[open] canvas').isVisible());
    const broken = await open(browser, await serve(game));
    await broken.waitForFunction(() => tracekitView.captures[0].screenshots[0].broken);
    that('what is no picture says so', await broken.evaluate(() => tracekitView.captures[0].shots.textOf(tracekitView.captures[0].screenshots[0]).includes('cannot be shown')));
    same('errors', [...page.errors, ...broken.errors], []);
  },

  async 'a capture that lacks half of it says how the rest is recorded'(browser) {
    const page = await open(browser, await serve(tiny)), can = new Map(tools.table(tiny, 'can').map(r => [r.question, r.how]));
    await page.evaluate(() => tracekitView.select(0, 1e9, null));
    for (const [table, question] of [['samples', 'samples'], ['flame graph of samples', 'samples'], ['memory_growth', 'memory'], ['leaks', 'memory'], ['tasks', 'what threads wait for'], ['gpu', 'GPU time'], ['files', 'loading']]) {
      await page.locator('#pane select[aria-label="Table"]').selectOption(table);
      await page.waitForFunction(how => document.getElementById('pane').textContent.includes(how), can.get(question), { timeout: 5000 }).catch(() => 0);
      that(`${table}: how it is recorded`, can.get(question) && (await page.locator('#pane').innerText()).includes(can.get(question)), can.get(question));
    }
    await page.locator('#pane select[aria-label="Table"]').selectOption('timers');
    that('what it has', await page.locator('#pane table[data-table="timers"] tbody tr').count() > 0 || await page.locator('#pane table[data-table="timers"]').waitFor().then(() => true));
    same('errors', page.errors, []);
  },

  async 'the list of lanes'(browser) {
    const address = await serve(game), page = await open(browser, address);
    await page.evaluate(() => tracekitView.lanes.canvas.focus());
    await page.keyboard.press('l');
    const box = kind => page.locator(`dialog[open] input[data-kind="${kind}"]`);
    that('what the capture has', await box('core').isChecked() && await box('core').isEnabled());
    that('what it lacks', await box('lock').isDisabled());
    await box('running').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    same('not drawn', await page.evaluate(() => tracekitView.lanes.items.filter(i => i.kind === 'lane' && i.lane.kind === 'running').length), 0);
    await page.evaluate(() => { const v = tracekitView; v.lanes.unfold(v.captures[0], 'file', true); v.select(5e9, 5.1e9, [v.captures[0].order[1]]); });
    await page.waitForFunction(() => location.hash.includes('of='));
    const other = await open(browser, `${address}&${await page.evaluate(() => location.hash.slice(1))}`);
    await other.evaluate(() => tracekitView.ready);
    same('the link carries lanes and selection', await other.evaluate(() => { const v = tracekitView; return [[...v.hidden], [...v.captures[0].openKinds], v.selection.from, v.selection.to, v.selection.lanes.map(l => l.number)]; }),
      [['running'], ['file'], 5e9, 5.1e9, [await page.evaluate(() => tracekitView.captures[0].order[1].number)]]);
    const bare = await open(browser, await serve(tiny));
    await bare.evaluate(() => tracekitView.choice.open());
    await bare.waitForFunction(() => document.querySelector('dialog[open]').textContent.includes('contextswitch'));
    came();
    const wanted = tools.table(tiny, 'can').find(r => r.question === 'loading').how;
    that('how the rest is recorded', (await bare.locator('dialog[open] li', { hasText: 'Files' }).innerText()).includes(wanted), wanted);
    same('errors', [...page.errors, ...other.errors, ...bare.errors], []);
  },

  async 'search finds what the capture has'(browser) {
    const page = await open(browser, await serve(game));
    const enter = async q => {
      await page.locator('#query').fill(q);
      await page.waitForFunction(text => tracekitView.search.shown === text, q);
      await page.locator('#query').press('Enter');
      await page.waitForTimeout(150);
      await settled(page);
      return page.evaluate(() => ({ from: tracekitView.range.from, to: tracekitView.range.to, status: document.querySelector('.status').textContent,
        kinds: [...new Set([...document.querySelectorAll('.found .kind')].map(e => e.textContent))], chosen: tracekitView.chosen && [tracekitView.captures[0].names.name(tracekitView.chosen.timer), tracekitView.chosen.start, tracekitView.chosen.end] }));
    };
    const within = (seen, a, b, what) => that(`${what} fills the window`, seen.from <= a && seen.to >= b && seen.to - seen.from < Math.max(1e6, 12 * (b - a)), JSON.stringify(seen));
    const frame = tools.table(game, 'frames').filter(f => f.type_id === 0)[123];
    within(await enter('123'), frame.start, frame.start + frame.dur, 'a frame by its number');
    const timer = await enter('UWorld::Tick');
    same('a timer', timer.chosen[0], 'UWorld::Tick');
    within(timer, timer.chosen[1], timer.chosen[2], 'its call');
    const region = tools.table(game, 'regions')[3], seen = await enter(region.region || region.name);
    that('a region', seen.kinds.includes('region'), seen.kinds.join());
    within(seen, region.start, region.start + region.dur, 'a region');
    const log = tools.table(game, 'logs')[1000], found = await enter(log.text);
    that('a log message', found.kinds.includes('log') && found.from < log.time && found.to > log.time, JSON.stringify(found));
    const asset = tools.table(game, 'packages', '-t', 'packages', '-c', 'name,first,last')[7], loaded = await enter(asset.name);
    same('an asset', loaded.chosen, [asset.name, asset.first, asset.last]);
    that('by its kind', loaded.kinds.includes('package'), loaded.kinds.join());
    const counter = tools.table(game, 'counter_values')[0].counter;
    that('a counter', (await enter(counter)).kinds.includes('counter'), counter);
    that('a thread', (await enter('RHIThread')).kinds.includes('thread') && /RHIThread/.test(await page.locator('.status').textContent()));
    that('nothing', (await enter('no such name anywhere')).kinds.length === 0);
    same('errors', page.errors, []);
    const many = path.join(work, 'marks.json'), events = Array.from({ length: 6000 }, (_, i) => ({ ph: 'i', s: 'g', name: `mark ${i}`, pid: 1, tid: 1, ts: i * 10 }));
    fs.writeFileSync(many, JSON.stringify({ traceEvents: [{ ph: 'X', name: 'Work', pid: 1, tid: 1, ts: 0, dur: 9 }, ...events] }));
    const other = await open(browser, await serve(many)), last = tools.table(many, 'bookmarks').find(r => r.text === 'mark 5900');
    that('the page has not all of them', await other.evaluate(() => tracekitView.captures[0].bookmarks.length) < 5999);
    await other.locator('#query').fill('mark 5900');
    await other.locator('#query').press('Enter');
    await other.waitForFunction(() => document.querySelector('.status').textContent.includes('mark 5900'));
    that('what the page has not is found and gone to', await other.evaluate(t => tracekitView.range.from < t && tracekitView.range.to > t, last.time), String(last.time));
    same('errors of it', other.errors, []);
  },

  async 'from the worst hitch to the next, and what a table of them has on screen'(browser) {
    const slow = path.join(work, 'slow.json'), events = [];
    let at = 0;
    for (let i = 0; i < 200; i++) {
      const dur = { 40: 60, 80: 90, 120: 75 }[i] || 10;
      events.push({ ph: 'i', s: 't', name: 'Frame', pid: 1, tid: 1, ts: at * 1000 }, { ph: 'X', name: dur > 10 ? 'Stall' : 'Work', pid: 1, tid: 1, ts: at * 1000 + 500, dur: dur * 1000 - 600 });
      at += dur;
    }
    events.unshift({ ph: 'M', name: 'thread_name', pid: 1, tid: 1, args: { name: 'GameThread' } });
    fs.writeFileSync(slow, JSON.stringify({ traceEvents: events }));
    const page = await open(browser, await serve(slow), { viewport: { width: 1280, height: 900 } });
    const frames = tools.table(slow, 'frames');
    that('it has frames and hitches', frames.length >= 199 && await page.evaluate(() => tracekitView.captures[0].hitches.length) === 3);
    await page.evaluate(() => tracekitView.lanes.canvas.focus());
    const after = async key => { await page.keyboard.press(key); return page.evaluate(() => Math.round((tracekitView.selection.to - tracekitView.selection.from) / 1e6)); };
    same('the worst first, and back', [await after('n'), await after('n'), await after('n'), await after('Shift+N'), await after('Shift+N')], [90, 75, 60, 75, 90]);
    await page.getByRole('tab', { name: 'Hitches' }).click();
    const heads = page.locator('#pane table[data-table="hitches"] th');
    await heads.first().waitFor();
    const right = await heads.evaluateAll(all => Object.fromEntries(all.map(e => [e.dataset.column, e.getBoundingClientRect().right])));
    that('growth and cause', right.growth <= 1280 && right.cause <= 1280, JSON.stringify(right));
    await page.getByRole('tab', { name: 'About' }).click();
    const about = await page.locator('#pane .facts').innerText();
    that('about is for people', /frames\s+\d+, 3 of them hitches/.test(about) && /complete\s+yes/.test(about) && !/start cycle|null/.test(about), about);
    same('errors', page.errors, []);
  },

  async 'keys alone'(browser) {
    const page = await open(browser, await serve(orchard));
    const reached = new Set();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => { document.activeElement.dataset.reached = '1'; return document.activeElement.tagName; }));
    }
    const missed = await page.evaluate(() => [...document.querySelectorAll('canvas, button:not(:disabled), input, select, a[href]')]
      .filter(e => !e.dataset.reached && e.offsetParent !== null && e.tabIndex >= 0).map(e => e.textContent || e.tagName));
    same('what Tab does not reach', missed, []);
    await page.evaluate(() => tracekitView.lanes.canvas.focus());
    const width = () => page.evaluate(() => tracekitView.range.to - tracekitView.range.from), whole = await width();
    for (const key of ['w', 'w', 'w', 'd']) await page.keyboard.press(key);
    that('w zooms', await width() < whole / 2);
    await settled(page);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const chosen = () => page.evaluate(() => tracekitView.chosen && [tracekitView.chosen.timer, tracekitView.chosen.depth, tracekitView.chosen.start]);
    const first = await chosen();
    that('an arrow chooses', first !== null);
    await page.keyboard.press('f');
    await settled(page);
    const leaf = () => page.evaluate(() => !tracekitView.lanes.neighbour('ArrowDown', false));
    for (let i = 0; i < 8 && await leaf(); i++) {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('f');
      await settled(page);
    }
    await page.keyboard.press('ArrowDown');
    that('down goes to what it called', (await chosen())[1] === first[1] + 1, JSON.stringify(await chosen()));
    const before = await chosen();
    await page.keyboard.press('.');
    await page.waitForFunction(start => tracekitView.chosen.start !== start, before[2]);
    same('a full stop goes to the next call', (await chosen())[0], before[0]);
    const calls = await page.evaluate(() => tracekitView.captures[0].names.name(tracekitView.chosen.timer));
    const starts = tools.table(orchard, 'scopes').filter(s => s.timer === calls).map(s => s.start).sort((a, b) => a - b);
    that('which is the next', starts.some((t, i) => t === before[2] && starts.includes((starts[i + 1]))) );
    await page.keyboard.press(',');
    await page.waitForFunction(start => tracekitView.chosen.start === start, before[2]);
    came();
    for (const name of ['next (.)', 'previous (,)']) {
      const at = await chosen();
      await page.locator('#pane button', { hasText: name }).focus();
      await page.keyboard.press('Enter');
      await page.waitForFunction(start => tracekitView.chosen.start !== start, at[2]);
      await page.locator('#pane h2').first().waitFor();
      await page.waitForFunction(text => document.activeElement.textContent === text, name, { timeout: 2000 }).catch(() => 0);
      same('the keyboard stays where it is', await page.evaluate(() => document.activeElement.textContent), name);
    }
    await page.keyboard.press('m');
    that('m selects it', await page.evaluate(() => tracekitView.selection.from === tracekitView.chosen.start));
    await page.keyboard.press('n');
    await settled(page);
    const longest = tools.table(orchard, 'frames').filter(f => f.type_id === 0 && f.dur !== null).sort((a, b) => b.dur - a.dur).slice(0, 12).map(f => f.start);
    that('n goes to a long frame', longest.includes(await page.evaluate(() => tracekitView.selection.from)));
    await page.keyboard.press('/');
    same('/ searches', await page.evaluate(() => document.activeElement.id), 'query');
    await page.keyboard.type(calls);
    await page.locator('.found li').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForFunction(name => tracekitView.captures[0].names.name(tracekitView.chosen.timer) === name, calls);
    came();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    that('? shows the keys', await page.locator('dialog[open]').isVisible());
  },

  async 'mouse'(browser) {
    const page = await open(browser, await serve(game));
    await see(page, 5e9, 5.5e9);
    const box = await page.locator('.lanes canvas').boundingBox(), seen = () => page.evaluate(() => [tracekitView.range.from, tracekitView.range.to]);
    const before = await seen();
    await page.mouse.move(box.x + 600, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 40, { steps: 5 });
    await page.mouse.up();
    const moved = await seen(), pixel = await page.evaluate(() => (tracekitView.range.to - tracekitView.range.from) / tracekitView.inner());
    that('a drag moves what is seen with it', Math.abs(moved[0] - before[0] - 100 * pixel) < 3 * pixel, `${(moved[0] - before[0]) / pixel}`);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    const zoomed = await seen(), part = await page.evaluate(() => tracekitView.part(500));
    const under = r => r[0] + part * (r[1] - r[0]);
    that('the wheel with Ctrl zooms', zoomed[1] - zoomed[0] < moved[1] - moved[0]);
    that('about the pointer', Math.abs(under(zoomed) - under(moved)) < pixel, `${(under(zoomed) - under(moved)) / pixel}`);
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 400, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const chosen = await page.evaluate(() => [tracekitView.xOf(tracekitView.selection.from), tracekitView.xOf(tracekitView.selection.to), tracekitView.selection.lanes.length]);
    that('shift and drag selects', Math.abs(chosen[0] - 400) < 2 && Math.abs(chosen[1] - 700) < 2 && chosen[2] === 1, chosen.join());
  },

  async 'link to a moment'(browser) {
    const address = await serve(game), page = await open(browser, address);
    await see(page, 5e9, 5.1e9);
    await page.waitForFunction(() => location.hash.includes('t='));
    const hash = await page.evaluate(() => location.hash.slice(1)), other = await open(browser, `${address}&${hash}`);
    await other.evaluate(() => tracekitView.ready);
    same('what is seen', await other.evaluate(() => [tracekitView.range.from, tracekitView.range.to]), [5e9, 5.1e9]);
    for (const odd of ['t=5-1', 't=x', 'at=9.9.9.9', 'at=0.0.99999.1', 'range=1', '<b>', 't=%']) {
      const wrong = await open(browser, `${address}&${odd}`);
      same('errors of ' + odd, wrong.errors, []);
      await wrong.context().close();
    }
  },

  async 'two captures'(browser) {
    const page = await open(browser, await serve(orchard, game));
    const starts = await page.evaluate(() => tracekitView.captures.map(c => c.game.begin[0]));
    await page.locator('#tools select').selectOption('frame');
    await settled(page);
    same('first frames lie above each other', await page.evaluate(() => tracekitView.captures.map(c => tracekitView.xOf(c.game.begin[0] - c.offset))
      .every(x => Math.abs(x - tracekitView.xOf(0)) < 0.01)), true);
    same('offsets', await page.evaluate(() => tracekitView.captures.map(c => c.offset)), starts);
    const tops = await page.evaluate(() => tracekitView.lanes.visible().filter(i => i.kind === 'lane').map(i => i.capture.index));
    that('lanes of both are visible', tops.includes(0) && tops.includes(1), tops.join());
    await page.setViewportSize({ width: 1366, height: 720 });
    await settled(page);
    const small = await page.evaluate(() => tracekitView.lanes.visible().filter(i => i.kind === 'lane').map(i => i.capture.index));
    that('in a small window, too', small.includes(0) && small.includes(1), small.join());
    await see(page, 1e9, 1.02e9);
    const fine = await page.evaluate(() => tracekitView.captures.map(c => c.boxesOf(c.order[0]).boxes.width / ((tracekitView.range.to - tracekitView.range.from) / tracekitView.inner())));
    that('drawn as fine as pixels are, with fewer rows than before', fine.every(pixels => pixels <= 2), fine.join());
    that('both are drawn', await page.evaluate(() => tracekitView.captures.every(c => c.boxesOf(c.order[0]))));
    same('errors', page.errors, []);
  },

  async 'two captures, aligned, and their difference by timer'(browser) {
    const page = await open(browser, await serve(orchard, game)), begins = file => tools.table(file, 'frames').filter(f => f.type_id === 0).map(f => f.start);
    const [a, b] = [begins(orchard), begins(game)];
    await page.locator('#tools select').selectOption('number');
    await page.locator('dialog[open] input').fill('7');
    await page.locator('dialog[open] input').press('Enter');
    same('frame 7 of both is at 0', await page.evaluate(() => tracekitView.captures.map(c => c.offset)), [a[7], b[7]]);
    await page.evaluate(() => tracekitView.select(0, 5e7, null));
    await page.locator('#pane select[aria-label="Compared with"]').selectOption('1');
    await page.locator('#pane table[data-table="against"]').waitFor();
    const codes = await page.locator('#pane code').allTextContents();
    that('a command for each capture', codes.length === 2 && codes[0].includes(`--from ${a[7]}ns`) && codes[1].includes(`--from ${b[7]}ns`), codes.join());
    const seen = await page.locator('#pane table[data-table="against"]').evaluate(t => [...t.tBodies[0].rows].filter(r => r.getAttribute('aria-rowindex')).slice(0, 8)
      .map(r => { const v = k => Number(r.cells[k].querySelector('data') ? r.cells[k].querySelector('data').value : r.cells[k].textContent); return [r.cells[0].textContent, v(4), v(5)]; }));
    const excl = (file, from) => new Map(tools.table(file, 'timers', '-t', 'timers', '--from', from + 'ns', '--to', from + 5e7 + 'ns').map(r => [r.timer, r.excl]));
    const [x, y] = [excl(orchard, a[7]), excl(game, b[7])];
    same('times of both', seen, seen.map(([name]) => [name, x.get(name) || 0, y.get(name) || 0]));
    const twice = await open(browser, await serve(game, game));
    await twice.locator('#tools select').selectOption('bookmark ' + tools.table(game, 'bookmarks')[3].text);
    same('a bookmark', await twice.evaluate(() => tracekitView.captures.map(c => c.offset)), Array(2).fill(tools.table(game, 'bookmarks')[3].time));
    const region = tools.table(game, 'regions')[2];
    await twice.locator('#tools select').selectOption('region ' + (region.region || region.name));
    same('a region', await twice.evaluate(() => tracekitView.captures.map(c => c.offset)), Array(2).fill(region.start));
    same('errors', [...page.errors, ...twice.errors], []);
  },

  async 'a page of a selection opens without a server'(browser) {
    const address = await serve(game), page = await open(browser, address, { acceptDownloads: true });
    await page.evaluate(() => tracekitView.select(5.5e9, 5.535e9, null));
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#pane button', { hasText: 'save page' }).click()]);
    const file = path.join(work, 'saved.html');
    await download.saveAs(file);
    const saved = await (await browser.newContext({ offline: true })).newPage(), asked = [];
    saved.on('request', r => asked.push(r.url()));
    saved.on('pageerror', e => asked.push(e.message));
    await saved.goto('file://' + file);
    const timers = saved.locator('table[data-table="timers"]').first();
    await timers.waitFor({ state: 'attached' });
    const wanted = tools.table(game, 'timers', '-t', 'timers', '--from', '5500000000ns', '--to', '5535000000ns', '-s', 'excl')[0];
    that('its timers are those of the selection', (await timers.textContent()).includes(wanted.timer));
    same('requests', asked.filter(u => !u.startsWith('file:') && !u.startsWith('data:')), []);
    that('the token is not in it', !fs.readFileSync(file, 'utf8').includes(address.split('#')[1]));
    for (const colorScheme of /** @type {('light' | 'dark')[]} */ (['light', 'dark'])) {
      const judged = await (await browser.newContext({ offline: true, bypassCSP: true, colorScheme, viewport: { width: 390, height: 844 } })).newPage();
      await judged.goto('file://' + file);
      await judged.evaluate(fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
      same(`violations of a saved page, ${colorScheme}`, (await judged.evaluate(() => window.axe.run())).violations.map(v => [v.id, v.nodes[0].html.slice(0, 120)]), []);
    }
    const log = tools.table(game, 'logs', '-t', 'logs', '--from', '5500000000ns', '--to', '5535000000ns').find(r => r.text.length > 12).text;
    const words = async saved => { const p = await (await browser.newContext({ offline: true })).newPage(); await p.goto('file://' + saved); return p.locator('main').textContent(); };
    that('a message is in it', (await words(file)).includes(log), log);
    const [second] = await Promise.all([page.waitForEvent('download'), page.locator('#pane button', { hasText: 'save anonymised' }).click()]), anonymous = path.join(work, 'anonymous.html');
    await second.saveAs(anonymous);
    that('and not in the anonymised one', !(await words(anonymous)).includes(log), log);
    that('nor the name of the capture', !second.suggestedFilename().includes('game') && !(await words(anonymous)).includes('game.utrace'));
    same('errors', page.errors, []);
  },

  // What is chosen stays, at the end of the run the view follows, and all that came is shown.
  async 'a capture that grows'(browser) {
    const whole = execFileSync('zstd', ['-dcq', game], { maxBuffer: 1 << 28 }), grown = path.join(work, 'grown.utrace'), part = path.join(work, 'part.utrace');
    const half = whole.subarray(0, whole.length >> 1);
    fs.writeFileSync(grown, half);
    fs.writeFileSync(part, half);
    const count = file => tools.table(file, 'timers', '-t', 'timers').reduce((n, t) => n + t.count, 0);
    const page = await open(browser, await serve(grown, '--follow'));
    same('it says so', await page.locator('#live').textContent(), 'recording');
    const scopes = () => page.evaluate(() => tracekitView.captures[0].lanes.reduce((n, l) => n + (l.kind === 'thread' ? l.scopes : 0), 0));
    same('scopes of the half', await scopes(), count(part));
    await page.evaluate(() => { const v = tracekitView, to = v.range.bounds[1]; v.see(to - 2e8, to); });
    await settled(page);
    await page.evaluate(() => { const v = tracekitView; v.choose(v.lanes.rowOf(v.captures[0].order[0], 1).find(b => !b.folded && !b.open)); });
    const before = await page.evaluate(() => [tracekitView.chosen.start, tracekitView.range.to - tracekitView.range.from]), began = Date.now();
    fs.appendFileSync(grown, whole.subarray(half.length));
    fs.writeFileSync(part, whole);
    const wanted = count(part);
    while (await scopes() !== wanted && Date.now() < began + 5000) await page.waitForTimeout(20);
    same('scopes of the whole', await scopes(), wanted);
    that('what came is shown within 2.5 s', Date.now() - began < 2500, `${Date.now() - began} ms`);
    await settled(page);
    const after = await page.evaluate(() => [tracekitView.chosen && tracekitView.chosen.start, tracekitView.range.to - tracekitView.range.from]);
    same('what is chosen', after[0], before[0]);
    that('as wide as before', Math.abs(after[1] - before[1]) < 2, `${before[1]} ${after[1]}`);
    that('the view is at the end', await page.evaluate(() => tracekitView.range.to === tracekitView.range.bounds[1]));
    that('its scopes are drawn', await page.evaluate(() => tracekitView.lanes.drawn > 0));
    same('errors', page.errors, []);
  },

  async 'accessibility'(browser) {
    const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'), address = await serve(game);
    const sizes = [[390, 844], [1280, 800], [2560, 1440]].flatMap(([width, height]) => ['light', 'dark'].map(colorScheme => ({ viewport: { width, height }, colorScheme })));
    for (const options of [...sizes, { forcedColors: 'active', reducedMotion: 'reduce' }]) {
      const page = await open(browser, address, { bypassCSP: true, ...options });
      await page.evaluate(axe);
      for (const tab of ['Selected scope', 'Statistics', 'Hitches', 'Logs', 'Bookmarks', 'Regions', 'About']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.waitForTimeout(250);
        const found = await page.evaluate(() => window.axe.run());
        same(`violations ${tab} ${JSON.stringify(options)}`, found.violations.map(v => [v.id, v.nodes[0].html.slice(0, 120)]), []);
      }
      await page.evaluate(() => { tracekitView.panel.table = 'flame graph'; tracekitView.select(5.5e9, 5.535e9, null); });
      await page.locator('#pane .flame canvas').first().waitFor();
      same(`violations of a flame graph ${JSON.stringify(options)}`, (await page.evaluate(() => window.axe.run())).violations.map(v => [v.id, v.nodes[0].html.slice(0, 120)]), []);
      await page.evaluate(() => tracekitView.choice.open());
      same(`violations of the list of lanes ${JSON.stringify(options)}`, (await page.evaluate(() => window.axe.run())).violations.map(v => [v.id, v.nodes[0].html.slice(0, 120)]), []);
      same('errors', page.errors, []);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth, document.documentElement.scrollHeight, innerHeight]);
      that('nothing is outside of the window', wide[0] <= wide[1] && wide[2] <= wide[3], wide.join(' '));
      await page.context().close();
    }
  },

  async 'hostile names'(browser) {
    const NAMES = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<svg onload=alert(1)>', '\u202egnirts',
      '__proto__', 'constructor', '<!-- <script', 'x'.repeat(3000), '{{7*7}}', 'toString'];
    const names = path.join(work, 'names'), capture = path.join(work, '<img src=x>.utrace');
    fs.writeFileSync(names, NAMES.map(n => Buffer.from(n).toString('hex') + '\n').join(''));
    execFileSync(path.join(build, 'tests/export/export-hostile'), [names, capture]);
    const address = await serve(capture);
    for (const bypassCSP of [false, true]) {
      const page = await open(browser, address, { bypassCSP });
      for (const tab of ['Statistics', 'Hitches', 'Logs', 'Bookmarks', 'Regions', 'About']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.waitForTimeout(200);
      }
      await page.locator('#query').fill('<');
      await page.locator('.found li').first().waitFor();
      await page.locator('.found li button').first().click();
      await page.waitForTimeout(300);
      that('a name is text', (await page.locator('#pane h2').first().textContent()).includes('<'));
      same('errors', page.errors, []);
      same('other requests', page.requests.filter(r => !r.startsWith(address.split('#')[0])), []);
      same('elements', await page.locator('img, svg, iframe, object, embed, base, script:not([src="/view.js"])').count(), 0);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      that('a long name makes nothing wider', wide[0] <= wide[1], wide.join(' '));
    }
  },

  // A page of another site that knows the port, and even the token, reads nothing and shows nothing.
  async 'pages of other sites'(browser) {
    const address = await serve(game), [url, token] = address.split('#');
    const other = http.createServer((request, answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>other</p>')).listen(0);
    await new Promise(done => other.once('listening', done));
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${other.address().port}/`);
    const read = await page.evaluate(async ([server, secret]) => {
      const tries = { plain: {}, token: { headers: { 'X-Tracekit-Token': secret } }, opaque: { mode: 'no-cors' } }, out = {};
      for (const [name, options] of Object.entries(tries))
        for (const where of ['lanes', '', 'view.js'])
          out[name + where] = await fetch(server + where, options).then(a => a.text().then(t => t.length), () => -1);
      const frame = document.createElement('iframe');
      frame.src = server;
      document.body.append(frame);
      await new Promise(done => { frame.onload = done; setTimeout(done, 1500); });
      try { out.frame = frame.contentDocument ? 0 : 0; } catch (e) { out.frame = 0; }
      out.script = await new Promise(done => {
        const s = document.createElement('script');
        s.src = server + 'view.js';
        s.onload = () => done(1);
        s.onerror = () => done(0);
        document.body.append(s);
      });
      return out;
    }, [url, token]);
    same('what it reads', Object.entries(read).filter(([, n]) => n > 0), []);
    other.close();
  },

  async 'without its token'(browser) {
    const address = await serve(game), page = await (await browser.newContext()).newPage();
    await page.goto(address.split('#')[0]);
    await page.waitForFunction(() => document.getElementById('wait').textContent.includes('token'));
    came();
    that('nothing of the capture', !(await page.locator('body').innerText()).includes('game'));
  },

  async 'speed'(browser) {
    const page = await open(browser, await serve(game)), times = [];
    for (let k = 0; k < 14; k++) {
      await page.evaluate(n => { const v = tracekitView, w = (v.range.bounds[1] - v.range.bounds[0]) / 2 ** n; v.see(5.5e9 - w / 2, 5.5e9 + w / 2); }, k);
      await settled(page);
      times.push(await page.evaluate(() => { const t = performance.now(); tracekitView.draw(); return performance.now() - t; }));
    }
    times.sort((a, b) => a - b);
    that('a step is drawn within 50 ms', times[times.length >> 1] < 50 && times[times.length - 1] < 150, times.map(t => t.toFixed(1)).join(' '));
  },
};

run(checks, () => {
  for (const server of servers.splice(0)) {
    server.removeAllListeners('exit');
    server.kill();
  }
});
