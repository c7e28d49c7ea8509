// npm run bench -- access [how many]: how long after a right has ended somebody still gets and writes something; a
// hundred by default, at two processes, under traffic.
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
