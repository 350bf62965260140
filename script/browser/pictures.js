// Pictures of a page for the README and the manual: usage: pictures.js BUILD ROOT FOLDER
const path = require('path');
const { spawn } = require('child_process');
const { Tools, launch, open, drawAll } = require('./browser.js');

/** trace-view: three frames, with the scopes of all threads and one of them chosen. */
async function timeline(browser, build, capture, file) {
  const server = spawn(path.join(build, 'bin/trace-view'), [capture, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise(done => server.stdout.once('data', text => done(String(text).trim())));
  const page = await (await browser.newContext({ viewport: { width: 1500, height: 950 } })).newPage();
  await page.goto(address);
  await page.waitForFunction(() => globalThis.tracekitView && tracekitView.complete);
  await page.evaluate(() => tracekitView.complete.then(() => tracekitView.see(5.4835e9, 5.5165e9)));
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    const v = tracekitView, row = v.lanes.rowOf(v.captures[0].order[0], 3).filter(b => !b.folded);
    v.choose(row.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a)), true);
  });
  await page.waitForTimeout(700);
  await page.screenshot({ path: file });
  server.kill();
}

(async () => {
  const [, , build, root, folder] = process.argv;
  const browser = await launch();
  const file = new Tools(build).report(path.join(root, 'fixtures/report/orchard.utrace.zst'), '--hitches', '18.5', '--budget', '16.7');
  const frames = await open(browser, file, { viewport: { width: 1500, height: 950 } });
  await drawAll(frames);
  await frames.screenshot({ path: path.join(folder, 'report-frames.png') });
  const hitch = await open(browser, file, { viewport: { width: 1500, height: 950 }, colorScheme: 'dark' });
  await drawAll(hitch);
  await hitch.locator('article.hitch').first().scrollIntoViewIfNeeded();
  await hitch.evaluate(() => scrollTo(0, document.querySelector('article.hitch').offsetTop - 44));
  await hitch.screenshot({ path: path.join(folder, 'report-hitch.png') });
  await timeline(browser, build, path.join(root, 'fixtures/game.utrace.zst'), path.join(folder, 'view.png'));
  await browser.close();
})().catch(e => {
  console.error(e);
  process.exit(1);
});
