// @ts-check
// npm run models [-- [--from <address or folder>] <name> ... | --check]: fetches or checks speech models.
import './node-version.mjs';
import { join } from 'node:path';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

await interruptible(async (signal) => {
  await prepare({ built: false, signal });
  const file = join(root, 'scripts/models/command.ts');
  const args = ['--import', 'tsx', file, ...process.argv.slice(2)];
  const { code } = await run(process.execPath, args, { cwd: root, signal, anyCode: true, inherit: true });
  process.exitCode = code;
}).catch(giveUp);
