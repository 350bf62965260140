// reports.cjs NAME...: checks NAME.sarif against the schema of SARIF 2.1.0 and NAME.xml as a JUnit consumer reads it.
const fs = require('fs');
const path = require('path');

const home = path.dirname(require.resolve('@microsoft/jest-sarif/package.json'));
const Ajv = require(require.resolve('ajv', {paths: [home]}));
const ajv = new Ajv({schemaId: 'auto', meta: false, unknownFormats: 'ignore', allErrors: true, logger: false});
for (const draft of ['04', '07'])
  ajv.addMetaSchema(require(require.resolve(`ajv/lib/refs/json-schema-draft-${draft}.json`, {paths: [home]})));
const validate = ajv.compile(JSON.parse(fs.readFileSync(path.join(home, 'lib/schemas/sarif-2.1.0-rtm.5.json'))));
const {parse} = require('test-results-parser');

let failed = 0;
function check(what, good) {
  console.log(`${good ? 'ok    ' : 'FAILED'} ${what}`);
  failed += !good;
}

check('the schema refuses what is no SARIF', !validate({version: '2.1.0', runs: [{tool: {}}]}));
for (const name of process.argv.slice(2)) {
  const sarif = JSON.parse(fs.readFileSync(name + '.sarif'));
  check(`${name}.sarif: ${sarif.runs[0].results.length} results`, validate(sarif) && sarif.runs[0].results.length > 0);
  const xml = fs.readFileSync(name + '.xml', 'utf8');
  const seen = parse({type: 'junit', files: [name + '.xml']});
  const failures = (xml.match(/<failure /g) || []).length, cases = (xml.match(/<testcase /g) || []).length;
  check(`${name}.xml: ${seen.total} tests, ${seen.failed} failed`,
        seen.total + seen.skipped === cases && seen.failed === failures && failures > 0);
}
process.exit(failed ? 1 : 0);
