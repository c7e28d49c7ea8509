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

/** For what comes before and after the tests: laying and removing tens of thousands of files takes a slow disk minutes. */
export const patience = 300_000;

export const asRoot = process.getuid?.() === 0;

/** Who runs a command, where that is not the one who runs the tests. */
interface Account {
  uid: number;
  gid: number;
}

/** A clone of this project as it stands, new and changed files included, in a folder that goes with it. */
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

  /** Packages and builds of this checkout, which cost nothing to have: links, where the file system allows. */
  furnish(): this {
    try {
      execFileSync('cp', ['-al', join(root, 'node_modules'), this.root], { stdio: 'ignore' });
    } catch {
      execFileSync('cp', ['-a', join(root, 'node_modules'), this.root]);
    }
    // What tools wrote there is written again, and must not be through a link.
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

  /** A file as it was cloned. */
  restore(path: string): void {
    cpSync(join(root, path), join(this.root, path));
  }

  /** Where the database of a data folder stands when its own user could not enter the folder itself. */
  databaseElsewhere(dataDir = '.data'): string | undefined {
    const pointer = join(this.root, dataDir, 'where-the-database-is.txt');
    return existsSync(pointer) ? /^\/.*$/m.exec(readFileSync(pointer, 'utf8'))?.[0] : undefined;
  }

  /** Ends when nothing of it runs any more, the database included. */
  async deserted(): Promise<void> {
    await deserted(this.root);
    const elsewhere = this.databaseElsewhere();
    if (elsewhere) await deserted(elsewhere);
  }

  async remove(): Promise<void> {
    const elsewhere = this.databaseElsewhere();
    // By folder, not by the ids of what was started: those may be somebody else's by now.
    for (const { pid } of processesIn(this.root)) kill(pid);
    await this.deserted();
    if (elsewhere) await rm(elsewhere, { recursive: true, force: true });
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A command under way, as a terminal has it: a process group of its own. */
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

  /** The first match in the output; fails with all of it when the command ends without. */
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

  /** The address in the ready line, which is a line of its own. */
  async ready(): Promise<string> {
    const [, address = ''] = await this.says(/^Colloquy is ready at (http:\/\/localhost:\d+)$/m);
    return address;
  }

  /** Of all that npm started, the process that is the app. */
  server(): number {
    const server = processesIn(this.root).find(({ command }) => /^(\S*\/)?node .*scripts\/start\.mjs/.test(command));
    if (!server) throw new Error(`no server runs:\n${this.output}`);
    return server.pid;
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** What Ctrl-C in a terminal does: everybody in the foreground gets the signal at once. */
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

/** A new folder; one that others cannot enter stands, for root, in root's own home. */
export function place(name: string, { closed = false } = {}): string {
  const folder = mkdtempSync(join(closed && asRoot ? homedir() : realpathSync(tmpdir()), `colloquy ${name} `));
  if (!closed) chmodSync(folder, 0o755);
  return folder;
}

/** Somebody without rights, with a home and npm's downloads of their own. */
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

/** The environment of somebody's terminal: without what npm, the test runner and a running house put into ours. */
function plainEnv(): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(?!config_(registry|cache|cafile)$)|VITEST|TEST|NODE_ENV|NODE_OPTIONS|INIT_CWD|CI$|NO_COLOR|FORCE_COLOR)/;
  const kept = Object.entries(process.env).filter(([key]) => !ours.test(key) && !configKeys.includes(key));
  // npm puts its tools before the rest; they would be found instead of what a fresh machine has.
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(':'), PLAYWRIGHT_CHROMIUM: process.env['PLAYWRIGHT_CHROMIUM'] };
}
