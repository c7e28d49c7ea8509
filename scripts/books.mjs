// @ts-check
// npm run books: recomputes the books of the database of DATABASE_URL, or of a stopped server’s data folder, and prints
// what differs. It changes nothing, and ends with 1 where anything differs.
import './node-version.mjs';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

await interruptible(async (signal) => {
  await prepare({ built: false, signal });
  const { code } = await run(process.execPath, ['--import', 'tsx', 'scripts/read-books.ts'], {
    cwd: root,
    signal,
    anyCode: true,
    inherit: true,
  });
  process.exitCode = code;
}).catch(giveUp);
