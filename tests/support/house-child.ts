import { readConfig } from '#server/config.ts';
import { start } from '#server/start.ts';

/* Process that opens a house by its environment and closes it again; it must then end by itself: `house-child.ts`.
   It prints `open` and `closed`. */

const say = (line: string) => process.stdout.write(`${line}\n`);
const { PATH: _, HOME: __, ...env } = process.env;
const root = new URL('../..', import.meta.url).pathname;
const running = await start(readConfig(env, root), () => {}, { client: null });
say('open');
await (await fetch(`http://127.0.0.1:${running.port}/readyz`)).text();
await running.stop();
say('closed');
