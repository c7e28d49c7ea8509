// npm run bench -- start [first starts] [second starts]: time to the ready line, from a fresh clone and again.
import { Checkout, place, type Command } from '#tests/commands/checkout.ts';
import { figures } from '../figures.ts';

const [firsts = 3, seconds = 10] = process.argv.slice(2).map(Number);
const first: number[] = [];
const second: number[] = [];

for (let round = 0; round < firsts; round++) {
  const checkout = new Checkout(place('bench'));
  try {
    first.push(await untilReady(checkout.start()));
    for (let again = 0; again < Math.ceil(seconds / firsts); again++) second.push(await untilReady(checkout.start()));
  } finally {
    await checkout.remove();
  }
}
console.log(
  `First start, fresh clone to ready, packages from npm's own cache where it has them: ${figures(first).text}`,
);
console.log(`Second start to ready: ${figures(second).text}`);

async function untilReady(command: Command): Promise<number> {
  const started = performance.now();
  await command.ready();
  const time = performance.now() - started;
  const steps = [...command.output.matchAll(/^(.*): done in (\d+ s)$/gm)].map(([, step, took]) => `${step} ${took}`);
  console.log([`ready in ${(time / 1000).toFixed(2)} s`, ...steps].join(', '));
  command.kill('SIGTERM');
  await command.exited;
  return time;
}
