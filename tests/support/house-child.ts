import { readConfig } from '#server/config.ts';
import { start } from '#server/start.ts';

/*
 * A process that opens a house by its environment, closes it again, and has nothing to end it but that nothing is left
 * to do: `house-child.ts`. It prints `open` and `closed`.
 */

const say = (line: string) => process.stdout.write(`${line}\n`);
const { PATH: _, HOME: __, ...env } = process.env;
const root = new URL('../..', import.meta.url).pathname;
const running = await start(readConfig(env, root), () => {}, { client: null });
say('open');
await (await fetch(`http://127.0.0.1:${running.port}/readyz`)).text();
await running.stop();
say('closed');
