// npm run bench -- herd [clients]: all clients lose the server process at once and reconnect (F41); a thousand by
// default.
import setup from '#tests/support/cluster.ts';
import { herd } from '#tests/support/herd.ts';
import { openHouse } from '#tests/support/house.ts';
import { endProcesses } from '#tests/support/processes.ts';
import { figures } from '../figures.ts';

const count = Number(process.argv[2] ?? 1000);
const stop = await setup();
const house = await openHouse({ env: { ROLE: 'api' } });
try {
  const { back, missing, doubled, memory, others, codes } = await herd(house, count);
  console.log(`${count} sockets back and synced after the process was there again: ${figures(back).text}`);
  console.log(
    `last ${Math.round(back.at(-1) ?? 0)} ms; lost ${missing}, doubled ${doubled}; closed with ${codes.join(', ')}`,
  );
  console.log(`memory of the process ${Math.round(memory)} MiB; readiness asked meanwhile: ${figures(others).text}`);
} finally {
  endProcesses();
  await house.close();
  await stop();
}
