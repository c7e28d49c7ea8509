// @ts-check
// npm run fuzz [-- <how many> [<first seed>]]: mutants of honest messages against the sync server, in a process of its own.
import './node-version.mjs';
import { runScript } from './prepare.mjs';

const [count = '100000', from = '1'] = process.argv.slice(2);
await runScript('tests/attacks/fuzz-long.ts', [count, from]);
