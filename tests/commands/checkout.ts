import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { configKeys } from '#server/config.ts';
import { deserted, processesIn } from '#tests/support/processes.ts';
import { files, root } from '../house/files.ts';

/** Timeout of setup and teardown: writing and deleting tens of thousands of files takes minutes on a slow disk. */
export const patience = 300_000;

export const asRoot = process.getuid?.() === 0;

/** Account that runs a command, where it differs from the one that runs the tests. */
interface Account {
  uid: number;
  gid: number;
}

/** A clone of this project, with new and changed files, in a folder that is deleted with it. */
export class Checkout {
  readonly root: string;
  private readonly folder: string;
  private readonly account: Account | undefined;

  constructor(folder: string, account?: Account) {
    this.folder = folder;
    this.root = join(folder, 'a clone');
    this.account = account;
    for (const path of files()) cpSync(join(root, path), join(this.root, path));
    if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, this.root]);
  }

  /** Provides packages and builds without copying: hard links, where the file system allows. */
  furnish(): this {
    try {
      execFileSync('cp', ['-al', join(root, 'node_modules'), this.root], { stdio: 'ignore' });
    } catch {
      execFileSync('cp', ['-a', join(root, 'node_modules'), this.root]);
    }
    // Tools write these folders again, which must not happen through a link.
    for (const name of ['.vite', '.vite-temp', '.cache'])
      rmSync(join(this.root, 'node_modules', name), { recursive: true, force: true });
    if (existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), join(this.root, 'dist'), { recursive: true });
    return this;
  }

  npm(args: string[], env: Record<string, string> = {}): Command {
    return new Command(this.root, args, { ...plainEnv(), PORT: '0', ...env }, this.account);
  }

  start(env: Record<string, string> = {}): Command {
    return this.npm(['start'], env);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Restores a file as it was cloned. */
  restore(path: string): void {
    cpSync(join(root, path), join(this.root, path));
  }

  /** Location of the database of a data folder that the database's own user could not enter. */
  databaseElsewhere(dataDir = '.data'): string | undefined {
    const pointer = join(this.root, dataDir, 'where-the-database-is.txt');
    return existsSync(pointer) ? /^\/.*$/m.exec(readFileSync(pointer, 'utf8'))?.[0] : undefined;
  }

  /** Waits until no process of this checkout runs any more, the database included. */
  async deserted(): Promise<void> {
    await deserted(this.root);
    const elsewhere = this.databaseElsewhere();
    if (elsewhere) await deserted(elsewhere);
  }

  async remove(): Promise<void> {
    const elsewhere = this.databaseElsewhere();
    // By folder, not by process id: an id may belong to another program by now.
    for (const { pid } of processesIn(this.root)) kill(pid);
    await this.deserted();
    if (elsewhere) await rm(elsewhere, { recursive: true, force: true });
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A running command, in a process group of its own as in a terminal. */
export class Command {
  output = '';
  readonly pid: number;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  private readonly root: string;
  private ended = false;
  private readonly heard = new Set<() => void>();

  constructor(cwd: string, args: string[], env: NodeJS.ProcessEnv, account: Account | undefined) {
    this.root = cwd;
    const child: ChildProcess = spawn('npm', args, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...account,
    });
    if (child.pid === undefined) throw new Error('npm was not found');
    this.pid = child.pid;
    const hear = (text: string) => {
      this.output += text;
      for (const listener of this.heard) listener();
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    this.exited = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        this.ended = true;
        resolve({ code, signal });
        for (const listener of this.heard) listener();
      });
    });
  }

  /** First match in the output; fails with the whole output when the command ends without one. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const listen = () => {
        const found = pattern.exec(this.output);
        if (!found && !this.ended) return;
        this.heard.delete(listen);
        if (found) resolve(found);
        else reject(new Error(`${pattern} never came; the command ended with:\n${this.output}`));
      };
      this.heard.add(listen);
      listen();
    });
  }

  /** Address in the ready line, which is a line of its own. */
  async ready(): Promise<string> {
    const [, address = ''] = await this.says(/^Colloquy is ready at (http:\/\/localhost:\d+)$/m);
    return address;
  }

  /** The app's process, among all that npm started. */
  server(): number {
    const server = processesIn(this.root).find(({ command }) => /^(\S*\/)?node .*scripts\/start\.mjs/.test(command));
    if (!server) throw new Error(`no server runs:\n${this.output}`);
    return server.pid;
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Sends a signal to the whole process group, as Ctrl-C in a terminal does. */
  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Creates a folder; a closed one, which others cannot enter, is in root's home when root runs the tests. */
export function place(name: string, { closed = false } = {}): string {
  const folder = mkdtempSync(join(closed && asRoot ? homedir() : realpathSync(tmpdir()), `colloquy ${name} `));
  if (!closed) chmodSync(folder, 0o755);
  return folder;
}

/** An unprivileged account with a home and an npm cache of its own. */
export function ordinaryUser(folder: string): { account: Account; env: Record<string, string> } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const account = { uid: id('-u'), gid: id('-g') };
  const home = join(folder, 'home');
  const cache = join(home, '.npm');
  mkdirSync(home);
  const downloads = join(npmSetting('cache'), '_cacache');
  if (existsSync(downloads)) cpSync(downloads, join(cache, '_cacache'), { recursive: true });
  execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, home]);
  chownSync(folder, account.uid, account.gid);
  return { account, env: { HOME: home, npm_config_cache: cache, npm_config_registry: npmSetting('registry') } };
}

function npmSetting(name: string): string {
  return execFileSync('npm', ['config', 'get', name], { cwd: root, encoding: 'utf8', env: plainEnv() }).trim();
}

/** Environment of a plain terminal: without what npm, the test runner and a running house add to ours. */
function plainEnv(): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(?!config_(registry|cache|cafile)$)|VITEST|TEST|NODE_ENV|NODE_OPTIONS|INIT_CWD|CI$|NO_COLOR|FORCE_COLOR)/;
  const kept = Object.entries(process.env).filter(([key]) => !ours.test(key) && !configKeys.includes(key));
  // npm puts its own tools first in the path; they would hide those of a fresh machine.
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(':'), PLAYWRIGHT_CHROMIUM: process.env['PLAYWRIGHT_CHROMIUM'] };
}
