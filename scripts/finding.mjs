// @ts-check
// npm run finding -- rebuild [recording] | check: makes the index of words anew, of one recording or of all that are behind, or
// compares it with the documents and ends with 1 where anything differs. It works on the database of DATABASE_URL, or of
// a stopped server’s data folder.
import './node-version.mjs';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

await interruptible(async (signal) => {
  await prepare({ built: false, signal });
  const { code } = await run(
    process.execPath,
    ['--import', 'tsx', 'scripts/read-finding.ts', ...process.argv.slice(2)],
    { cwd: root, signal, anyCode: true, inherit: true },
  );
  process.exitCode = code;
}).catch(giveUp);
