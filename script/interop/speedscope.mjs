// Imports files with speedscope's own importer: node speedscope.mjs PACKAGE FILE... Prints a line of JSON for each:
// {profile name: {frame name: [total, self]}}.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

const [folder, ...files] = process.argv.slice(2);
const release = path.join(folder, 'dist/release');
const name = fs.readdirSync(release).find(file => /^speedscope-.*\.js$/.test(file));
let source = fs.readFileSync(path.join(release, name), 'utf8');

// The function behind loadFileFromBase64 is handed out, and the page is not started.
const hook = /loadFileFromBase64:\((\w+),(\w+)\)=>\{this\.loadProfile\(\(\)=>([\w$]+)\(\1,\2\)\)/.exec(source);
const start = source.lastIndexOf('console.log(`speedscope v');
if (!hook || start < 0) throw new Error('another build of speedscope');
source = `${source.slice(0, start)}globalThis.tkImport=${hook[3]};return;${source.slice(start)}`;

// A page where everything exists and nothing happens.
const nothing = () => new Proxy(function () {}, {
  get: (own, key) => key === 'then' ? undefined : key === Symbol.toPrimitive ? () => '' : key === 'length' ? 0 : (own[key] ??= nothing()),
  set: (own, key, value) => { own[key] = value; return true; },
  apply: nothing, construct: nothing,
});
const page = {
  console: {...console, log() {}, warn() {}}, TextDecoder, TextEncoder, URL, Blob, atob, btoa, performance, queueMicrotask,
  WebAssembly, setTimeout, clearTimeout, setInterval, clearInterval, crypto: globalThis.crypto,
  requestAnimationFrame: () => 0, cancelAnimationFrame() {}, addEventListener() {}, removeEventListener() {},
  alert(text) { throw new Error(text); }, fetch: () => Promise.reject(new Error('no network')),
  matchMedia: () => ({matches: false, addListener() {}, addEventListener() {}}), devicePixelRatio: 1,
  location: {hash: '', href: 'file:///', protocol: 'file:', search: '', pathname: '/'},
  navigator: {userAgent: 'node', platform: 'node'}, localStorage: {getItem: () => null, setItem() {}}, document: nothing(),
  HTMLElement: class {}, Element: class {}, Node: class {}, FileReader: class {}, Worker: class {}, CSS: {},
};
page.window = page.self = page.globalThis = page;
vm.createContext(page);
try { vm.runInContext(source, page); } catch (error) { if (!page.tkImport) throw error; }

for (const file of files) {
  const group = await page.tkImport(path.basename(file), fs.readFileSync(file).toString('base64'));
  if (!group) throw new Error('speedscope does not know what ' + file + ' is');
  const profiles = {};
  for (const profile of group.profiles) {
    const frames = profiles[profile.getName()] = {};
    profile.forEachFrame(frame => { // frames of one name can have several files
      const [total, self] = frames[frame.name] ?? [0, 0];
      frames[frame.name] = [total + frame.getTotalWeight(), self + frame.getSelfWeight()];
    });
  }
  process.stdout.write(JSON.stringify(profiles) + '\n');
}
process.stdout.write('', () => process.exit(0));
