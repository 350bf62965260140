// What the checks and the pictures share: a browser, a page made of a capture, and answers of trace-stats.
const { execFileSync, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { chromium } = require('playwright-core');

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'tracekit-browser-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));

function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'] });
}

/** The commands of a build. */
class Tools {
  constructor(build) { this.build = build; }

  run(name, ...args) {
    return execFileSync(path.join(this.build, 'bin', name), args, { maxBuffer: 1 << 28 });
  }

  /** The same of a command whose status may say that something became worse. */
  tell(name, ...args) {
    const done = spawnSync(path.join(this.build, 'bin', name), args, { maxBuffer: 1 << 28 });
    if (done.status !== 0 && done.status !== 1) throw new Error(`${name}: ${done.stderr}`);
    return done.stdout;
  }

  report(capture, ...args) {
    const file = path.join(work, path.basename(capture).replace(/[^\w.]/g, '_') + '.html');
    this.run('trace-report', capture, '-q', '-o', file, '--force', ...args);
    return file;
  }

  /** Rows of a table. */
  table(capture, table, ...args) {
    const asked = args.length ? args : ['-t', table];
    return JSON.parse(this.run('trace-stats', capture, '-q', '-f', 'json', ...asked))[table];
  }
}

/** Opens a page, and notes each request and each error. */
async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1500, height: 950 }, ...options });
  const page = await context.newPage();
  page.requests = [];
  page.errors = [];
  page.on('request', r => page.requests.push(r.url()));
  page.on('pageerror', e => page.errors.push(e.message));
  page.on('console', m => { if (m.type() === 'error') page.errors.push(m.text()); });
  page.on('dialog', d => { page.errors.push('a dialog: ' + d.message()); d.dismiss(); });
  await page.goto('file://' + file + (options.hash || ''));
  return page;
}

/** Draws all pictures of a page. */
function drawAll(page) {
  return page.evaluate(async () => {
    for (const p of tracekitPages) for (const f of p.root.querySelectorAll('.figure')) await p.show(f);
    await new Promise(done => setTimeout(done, 200));
  });
}

module.exports = { Tools, launch, open, drawAll, work };
