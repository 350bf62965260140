// Reads a pprof profile: node pprof.mjs MODULES FILE. Prints as JSON how many samples it has, and the sum of each of its values.
import fs from 'node:fs';
import zlib from 'node:zlib';
import {createRequire} from 'node:module';

const [modules, file] = process.argv.slice(2);
const {Profile} = createRequire(modules + '/')('pprof-format');
const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)));
const sum = index => String(profile.sample.reduce((total, sample) => total + BigInt(sample.value[index]), 0n));
process.stdout.write(JSON.stringify([String(profile.sample.length), ...profile.sampleType.map((_, i) => sum(i))]) + '\n');
