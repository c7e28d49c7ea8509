// @ts-check
// npm run fuzz [-- <how many> [<first seed>]]: mutants of honest messages against the sync server, in a process of its own.
import './node-version.mjs';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

const [count = '100000', from = '1'] = process.argv.slice(2);
await interruptible(async (signal) => {
  await prepare({ built: false, signal });
  const { code } = await run(process.execPath, ['--import', 'tsx', 'tests/attacks/fuzz-long.ts', count, from], {
    cwd: root,
    signal,
    anyCode: true,
    inherit: true,
  });
  process.exitCode = code;
}).catch(giveUp);
