// Pictures of a page for the README and the manual: usage: pictures.js BUILD ROOT FOLDER
const path = require('path');
const { Tools, launch, open, drawAll } = require('./browser.js');

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
  await browser.close();
})().catch(e => {
  console.error(e);
  process.exit(1);
});
