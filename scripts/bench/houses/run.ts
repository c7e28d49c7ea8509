import { spawn } from 'node:child_process';
import type { Person } from '#tests/support/people.ts';

const ready = /^Colloquy is ready at http:\/\/localhost:(\d+)$/m;

/** Process that prints the same ready line as `npm start`. */
export async function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const port = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = ready.exec(output)?.[1];
      if (found) resolve(found);
    });
    void exited.then(() => reject(new Error(`${args.join(' ')} ended:\n${output}`)));
  });
  const stop = async () => {
    child.kill();
    await exited;
  };
  return { address: `http://127.0.0.1:${port}`, stop };
}

/** Fails the measurement on an unexpected response. */
export async function expectOk(asked: ReturnType<Person['get']>) {
  const answer = await asked;
  if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer;
}
