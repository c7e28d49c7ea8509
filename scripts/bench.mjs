// @ts-check
// npm run bench [-- <part> [its own arguments]]: runs a bench, a file of scripts/bench. A bench reports and never fails.
import './node-version.mjs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, runScript } from './prepare.mjs';

const [part, ...args] = process.argv.slice(2);
const parts = readdirSync(join(root, 'scripts/bench'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -'.ts'.length));

if (part === undefined || !parts.includes(part)) {
  if (part !== undefined) console.error(`There is no measurement "${part}".`);
  console.log(`npm run bench -- <part>, where part is one of: ${parts.join(', ')}`);
  process.exit(part === undefined ? 0 : 1);
}
await runScript(`scripts/bench/${part}.ts`, args, { built: true });
