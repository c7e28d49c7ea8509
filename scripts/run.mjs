// @ts-check
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bound = fileURLToPath(new URL('./bound.mjs', import.meta.url));

/** The signal that stopped a command, with its exit code. */
export class Interrupted extends Error {
  constructor(/** @type {NodeJS.Signals} */ signal, /** @type {number} */ code) {
    super(`stopped by ${signal}`);
    this.exitCode = code;
  }
}

/** A failed command, with its output. */
export class CommandFailed extends Error {
  constructor(/** @type {string} */ command, /** @type {number} */ code, /** @type {string} */ output) {
    super(`\`${command}\` ended with code ${code}`);
    this.exitCode = code;
    this.output = output;
  }
}

/**
 * Runs a command that ends with this process, however it ends. `print` gets its output as it comes; without it the output is
 * kept and thrown with the failure. Resolves to the exit code when `anyCode` is set.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal, anyCode?: boolean, print?: (text: string) => void, inherit?: boolean}} options
 * @returns {Promise<{code: number, output: string}>}
 */
export function run(command, args, { cwd, env = process.env, signal, anyCode = false, print, inherit = false } = {}) {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const output = inherit ? 'inherit' : 'pipe';
    // A process group of its own: Ctrl-C in a terminal reaches only this process, which then stops the command.
    const child = spawn(process.execPath, [bound, command, ...args], {
      cwd,
      env,
      stdio: ['pipe', output, output],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    let text = '';
    const take = (/** @type {string} */ part) => {
      if (print) print(part);
      else text = (text + part).slice(-100_000);
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    const stop = () => child.stdin?.destroy();
    signal?.addEventListener('abort', stop, { once: true });
    child.on('error', reject);
    child.on('close', (exitCode) => {
      signal?.removeEventListener('abort', stop);
      const code = exitCode ?? 1;
      if (signal?.aborted) reject(signal.reason);
      else if (code === 0 || anyCode) resolve({ code, output: text });
      else reject(new CommandFailed([command, ...args].join(' '), code, text));
    });
  });
}

/**
 * Reports on a long step: a line every few seconds, or one rewritten line on a terminal.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work, out = process.stdout) {
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const show = (/** @type {string} */ text) => out.write(out.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  show(`${title} ...`);
  const timer = setInterval(() => show(`${title} ... ${seconds()} s`), out.isTTY ? 1000 : 3000);
  try {
    const result = await work();
    show(`${title}: done in ${seconds()} s`);
    return result;
  } finally {
    clearInterval(timer);
    if (out.isTTY) out.write('\n');
  }
}

/**
 * Runs `work` with a signal that aborts on the first SIGINT or SIGTERM; further ones change nothing, so the
 * same Ctrl-C arriving from the terminal and again from npm is one.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function interruptible(work) {
  const codes = /** @type {const} */ ({ SIGINT: 130, SIGTERM: 143 });
  const controller = new AbortController();
  const onSignal = (/** @type {keyof typeof codes} */ name) => controller.abort(new Interrupted(name, codes[name]));
  for (const name of Object.keys(codes)) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of Object.keys(codes)) process.off(name, onSignal);
  }
}
