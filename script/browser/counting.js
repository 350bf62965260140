// What checks in a browser share: counting what holds, and running them one by one.
const { launch } = require('./browser.js');

let passed = 0, failed = 0;

/** What was waited for came; else the waiting has ended with an error. */
function came() { passed++; }

function that(what, ok, more = '') {
  if (ok) passed++;
  else {
    failed++;
    console.log(`FAILED ${what} ${more}`);
  }
}

function same(what, got, wanted) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  that(what, a === b, `${a && a.slice(0, 300)} instead of ${b && b.slice(0, 300)}`);
}

function near(what, got, wanted, by) { that(what, Math.abs(got - wanted) <= by, `${got} instead of ${wanted}`); }

/** Runs checks by name, those with the words of ONLY in it where that is set, and ends the program. after() follows each. */
async function run(checks, after = () => {}) {
  const browser = await launch();
  for (const [name, check] of Object.entries(checks)) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
    const before = failed;
    try {
      await check(browser);
    } catch (e) {
      failed++;
      console.log(e.stack);
    }
    console.log(`${failed === before ? 'ok    ' : 'FAILED'} ${name}`);
    for (const context of browser.contexts()) await context.close();
    after();
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

module.exports = { came, that, same, near, run };
