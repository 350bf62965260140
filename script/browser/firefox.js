// Pages in Firefox, through the protocol that it shares with other browsers (WebDriver BiDi): a report, a comparison, a trend
// and the viewer open without an error, draw, answer keys, and are accessible in light and dark. usage: firefox.js BUILD ROOT; FIREFOX: the browser
const fs = require('fs');
const path = require('path');
const { spawn } = require('child_process');
const puppeteer = require('puppeteer-core');
const { Tools, work } = require('./browser.js');

const [, , build, root] = process.argv;
const tools = new Tools(build), orchard = path.join(root, 'fixtures/report/orchard.utrace.zst');
let passed = 0, failed = 0;

function same(what, got, wanted) { that(what, got === wanted, `${got} instead of ${wanted}`); }

function that(what, ok, more = '') {
  if (ok) passed++;
  else {
    failed++;
    console.log(`FAILED ${what} ${more}`);
  }
}

/** Opens a page and notes its errors. */
async function open(browser, address) {
  const page = await browser.newPage();
  page.errors = [];
  page.on('pageerror', e => page.errors.push(e.message));
  page.on('console', m => { if (m.type() === 'error') page.errors.push(m.text()); });
  await page.setViewport({ width: 1500, height: 950 });
  await page.goto(address);
  return page;
}

/** How many colours a canvas has. */
const colours = canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height), found = new Set();
  for (let i = 0; i < data.length; i += 4) found.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return found.size;
};

/** Violations of rules of accessibility, wide and narrow. */
async function accessible(what, page) {
  const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  for (const [width, height] of [[390, 844], [1280, 800], [2560, 1440]]) {
    await page.setViewport({ width, height });
    await new Promise(done => setTimeout(done, 200));
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await window.axe.run()).violations.map(v => [v.id, v.nodes[0].html.slice(0, 90)]));
    that(`no violations: ${what}, ${width} px`, found.length === 0, JSON.stringify(found));
    that(`${what} is not wider than ${width} px`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }
}

const checks = {
  async report(browser, theme) {
    const page = await open(browser, 'file://' + tools.report(orchard, '--hitches', '18.5'));
    await page.evaluate(async () => {
      for (const p of tracekitPages) for (const f of p.root.querySelectorAll('.figure')) await p.show(f);
    });
    await new Promise(done => setTimeout(done, 300));
    const seen = await Promise.all((await page.$$('.figure canvas')).map(c => c.evaluate(colours)));
    that('pictures of a report are drawn', seen.length > 5 && seen.every(n => n > 2), JSON.stringify(seen));
    that('nothing is wider than the window', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.focus('.figure[data-figure="frames"] [tabindex]');
    await page.keyboard.press('n');
    const said = await page.$eval('.figure[data-figure="frames"] .status', e => e.textContent);
    that('N goes to a hitch', /^Frame \d+: .*a hitch/.test(said), said);
    same('the colours that the system wants', await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches), theme === 'dark');
    await accessible('a report', page);
    that('no error in a report', page.errors.length === 0, page.errors.join('; '));
  },

  async 'comparison and trend'(browser) {
    const pages = [['trace-diff', [path.join(root, 'fixtures/baseline-v1-a.tkb'), '--vs', path.join(root, 'fixtures/baseline-v1-b.tkb')]],
      ['trace-diff', ['tiny-ue5.0.utrace', 'tiny.utrace'].map(n => path.join(root, 'fixtures', n))],
      ['trace-trend', ['--csv', path.join(root, 'fixtures/trend/h11')]]];
    for (const [command, operands] of pages) {
      const file = path.join(work, command + '.html');
      tools.tell(command, ...operands, '--report', 'html=' + file);
      const page = await open(browser, 'file://' + file);
      that(command + ' has pictures', await page.$$eval('svg', all => all.length) > 5);
      that(command + ' has a verdict', await page.$eval('.verdict', e => e.textContent.trim().length) > 5);
      await accessible(command, page);
      that('no error in ' + command, page.errors.length === 0, page.errors.join('; '));
    }
  },

  async 'several captures'(browser) {
    const file = path.join(work, 'several.html');
    tools.run('trace-report', ...['tiny.utrace', 'tiny-ue5.0.utrace'].map(n => path.join(root, 'fixtures', n)), '-q', '--force', '-o', file);
    const page = await open(browser, 'file://' + file);
    await accessible('a page of several captures', page);
    that('no error in a page of several captures', page.errors.length === 0, page.errors.join('; '));
  },

  async viewer(browser) {
    const server = spawn(path.join(build, 'bin/trace-view'), [orchard, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const page = await open(browser, await new Promise(done => server.stdout.once('data', text => done(String(text).trim()))));
      await page.waitForFunction(() => globalThis.tracekitView && tracekitView.complete);
      await page.evaluate(() => tracekitView.complete);
      const wide = await page.evaluate(() => tracekitView.range.to - tracekitView.range.from);
      await page.keyboard.press('w');
      await new Promise(done => setTimeout(done, 500));
      that('W zooms', await page.evaluate(() => tracekitView.range.to - tracekitView.range.from) < wide);
      const seen = await Promise.all((await page.$$('canvas')).map(c => c.evaluate(colours)));
      that('scopes are drawn', Math.max(...seen) > 5, JSON.stringify(seen));
      await page.keyboard.press('?');
      that('? lists the keys', await page.$eval('dialog', e => e.open));
      await page.keyboard.press('Escape');
      await accessible('the viewer', page);
      that('no error in the viewer', page.errors.length === 0, page.errors.join('; '));
    } finally {
      server.kill();
    }
  },
};

/** All checks in a browser whose pages are light (1) or dark (0). */
async function runIn(theme, scheme) {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: process.env.FIREFOX, headless: true, extraPrefsFirefox: { 'layout.css.prefers-color-scheme.content-override': scheme } });
  for (const [name, check] of Object.entries(checks)) {
    const before = failed;
    for (let again = 2; again > 0; again--) {
      try {
        await check(browser, theme);
        again = 0;
      } catch (e) {
        if (again === 2 && /detached Frame/.test(e.message)) continue; // the driver lost the page, which says nothing of it
        failed++;
        console.log(e.stack);
        again = 0;
      }
    }
    console.log(`${failed === before ? 'ok    ' : 'FAILED'} firefox, ${theme}: ${name}`);
  }
  await browser.close();
}

(async () => {
  await runIn('light', 1);
  await runIn('dark', 0);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
})();
