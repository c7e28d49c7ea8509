// npm run bench -- access [people]: how long after the end of a permission a person still receives and writes; a
// hundred people by default, with two processes under load.
import setup from '#tests/support/cluster.ts';
import { closeEditors } from '#tests/support/editors.ts';
import { endProcesses } from '#tests/support/processes.ts';
import { openRevocations, toldOf } from '#tests/support/revocations.ts';

const count = Number(process.argv[2] ?? 100);
const stop = await setup();
const scene = await openRevocations();
try {
  const { revoked, missing } = await scene.run(count);
  console.log(toldOf(revoked));
  console.log(`of what those typed who kept their rights, ${missing.length} tokens are missing`);
} finally {
  closeEditors();
  await scene.close();
  endProcesses();
  await stop();
}
