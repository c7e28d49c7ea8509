import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, open, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Fetches a file of a speech model, resumes where the connection broke, and compares it with its known checksum.

export interface Source {
  url: string;
  /** Approximate size, for people who wait and need disk space. */
  megabytes: number;
  /** Entered only if computed from the file, or read where its makers publish it. */
  sha256: string | null;
  /** The published checksums of the release; null if there are none. */
  checksums: string | null;
  /** Patterns for the names of files in the archive, by their purpose. */
  files: Record<string, RegExp>;
}

/** Reason of a failed fetch; a key of the texts. */
export type FetchFailure = 'disk' | 'folder' | 'unreachable' | 'gone' | 'damaged';

/** An error whose message is meant for the person who runs the command. */
export class Failed extends Error {
  override name = 'Failed';
  readonly failure: FetchFailure | null;

  constructor(message: string, { cause, failure = null }: { cause?: unknown; failure?: FetchFailure | null } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

export interface Pace {
  /** Maximum number of tries in a row that bring no bytes. */
  tries: number;
  /** Milliseconds before the second try; doubled for each further one. */
  pause: number;
  /** Milliseconds without a byte after which a try ends. */
  silence: number;
}
export const usual: Pace = { tries: 5, pause: 1000, silence: 60_000 };

export interface Fetched {
  sha256: string;
  verified: 'pinned' | 'published' | 'recorded';
  /** Message about the origin, and about what the digest was compared with. */
  told: string;
}

/** The origin of files: their makers, a mirror, or a folder. */
export type From = { kind: 'makers' } | { kind: 'mirror'; url: string } | { kind: 'folder'; path: string };

/** Without a value: the makers. */
export function fromOf(given: string | null): From {
  if (given === null) return { kind: 'makers' };
  if (!/^[a-z]+:\/\//i.test(given)) return { kind: 'folder', path: given };
  return { kind: 'mirror', url: safe(given.replace(/\/+$/, '')) };
}

/** Only `https:` or loopback, so that nobody on the way can change the file. */
function safe(address: string): string {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)))
    return address;
  throw new Failed(`${address} is no https: address`);
}

export const fileOf = ({ url }: Source): string => basename(new URL(url).pathname);

const placeOf = (source: Source, from: From, file = fileOf(source)): string => {
  if (from.kind === 'folder') return join(from.path, file);
  return from.kind === 'mirror' ? `${from.url}/${file}` : new URL(file, source.url).href;
};

/** Fetches a source to `target`, and skips the bytes that are there already. */
export async function fetchSource(
  source: Source,
  from: From,
  target: string,
  { pace, signal, say }: { pace: Pace; signal: AbortSignal; say: (text: string) => void },
): Promise<Fetched> {
  const place = placeOf(source, from);
  const known = await expectedOf(source, from, signal);
  if (from.kind === 'folder') {
    await copyFile(place, target).catch((error: unknown) => {
      throw reading(error) === 'ENOENT'
        ? new Failed(`${place} is not there`, { failure: 'gone' })
        : onDisk(error, target);
    });
  } else {
    // Only a checksum shows whether two halves belong together.
    if (!known) await rm(target, { force: true });
    await download(safe(place), target, pace, signal, say);
  }
  let sha256 = await sumOf(target);
  if (known && sha256 !== known.sha256 && from.kind !== 'folder' && (await wasResumed(target))) {
    say(`${fileOf(source)}: what was here of it does not go with the rest; it is fetched anew`);
    await rm(target, { force: true });
    await download(place, target, pace, signal, say);
    sha256 = await sumOf(target);
  }
  await rm(resumeMark(target), { force: true });
  if (known && sha256 !== known.sha256) {
    await rm(target, { force: true });
    throw new Failed(
      `${fileOf(source)} is not what it should be: its SHA-256 is ${sha256}, and ${known.by} says ${known.sha256}`,
      { failure: 'damaged' },
    );
  }
  if (!known) return { sha256, verified: 'recorded', told: `${place}, compared with nothing` };
  return { sha256, verified: known.how, told: `${place}, as ${known.by} says` };
}

async function expectedOf(source: Source, from: From, signal: AbortSignal) {
  if (source.sha256 !== null) return { sha256: source.sha256, how: 'pinned' as const, by: 'this repository' };
  if (source.checksums === null) return null;
  const own = placeOf(source, from, basename(new URL(source.checksums).pathname));
  const place = from.kind === 'makers' ? source.checksums : own;
  let list: string;
  try {
    list = await readText(place, from, signal);
  } catch (error) {
    signal.throwIfAborted();
    // A local folder can lack the list of checksums; a remote source cannot.
    if (from.kind === 'folder' && reading(error) === 'ENOENT') return null;
    throw new Failed(`the sums to compare ${fileOf(source)} with could not be read at ${place}: ${whyOf(error)}`, {
      cause: error,
      failure: 'unreachable',
    });
  }
  const sha256 = sumIn(list, fileOf(source));
  if (!sha256) throw new Failed(`${place} has no SHA-256 of ${fileOf(source)}`, { failure: 'damaged' });
  return { sha256, how: 'published' as const, by: place };
}

async function readText(place: string, from: From, signal: AbortSignal): Promise<string> {
  if (from.kind === 'folder') return (await open(place)).readFile('utf8');
  const answer = await ask(place, {}, AbortSignal.any([signal, AbortSignal.timeout(60_000)]));
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  return answer.text();
}

/** Lines with a name and a checksum, in either order. */
export function sumIn(list: string, file: string): string | null {
  for (const line of list.split('\n')) {
    const parts = line.trim().split(/\s+/);
    const sum = parts.find((part) => /^[0-9a-f]{64}$/i.test(part));
    if (sum && parts.some((part) => part.replace(/^\*|^\.\//, '') === file)) return sum.toLowerCase();
  }
  return null;
}

const mostRedirects = 5;

/** Follows redirects to `https:` or loopback only. */
async function ask(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let place = safe(url);
  for (let nth = 0; nth <= mostRedirects; nth += 1) {
    const answer = await fetch(place, { headers, signal, redirect: 'manual' });
    const next = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || next === null) return answer;
    await answer.body?.cancel();
    place = safe(new URL(next, place).href);
  }
  throw new Error('it sends from one place to the next');
}

const resumeMark = (target: string) => `${target}.resumed`;
const wasResumed = async (target: string) => (await sizeOf(resumeMark(target))) !== null;

async function download(
  url: string,
  target: string,
  pace: Pace,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  let before = await sizeOf(target);
  const same: Same = { tag: null };
  for (let failed = 0; ;) {
    try {
      await once(url, target, before ?? 0, same, pace, signal, say);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Failed) throw error;
      const now = await sizeOf(target);
      failed = now !== null && now > (before ?? 0) ? 1 : failed + 1;
      before = now;
      if (failed >= pace.tries) {
        const kept = now ? ` What came of it, ${megabytes(now)}, is kept: ask again and it goes on.` : '';
        throw new Failed(`${url} could not be fetched: ${whyOf(error)}.${kept}`, {
          cause: error,
          failure: 'unreachable',
        });
      }
      await sleep(pace.pause * 2 ** (failed - 1), undefined, { signal });
    }
  }
}

/** The server's identifier of the version that a part belongs to. */
interface Same {
  tag: string | null;
}

async function once(
  url: string,
  target: string,
  have: number,
  same: Same,
  pace: Pace,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new Error('nothing came any more')), pace.silence);
  try {
    const headers: Record<string, string> = { 'Accept-Encoding': 'identity' };
    if (have > 0) headers['Range'] = `bytes=${have}-`;
    if (have > 0 && same.tag !== null) headers['If-Range'] = same.tag;
    const answer = await ask(url, headers, AbortSignal.any([signal, silent.signal]));
    const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.headers.get('content-range') ?? '');
    const resumed = have > 0 && answer.status === 206 && Number(range?.[1]) === have;
    // Complete: the checksum decides whether it is the same file.
    if (have > 0 && answer.status === 416) {
      await answer.body?.cancel();
      await mark(target);
      return;
    }
    if (answer.status === 404 || answer.status === 410)
      throw new Failed(`${url} is not there any more`, { failure: 'gone' });
    if (!resumed && answer.status !== 200) throw new Error(`it answers ${answer.status}`);
    if (!answer.body) throw new Error('it answers nothing');
    const tag = answer.headers.get('etag');
    same.tag = tag?.startsWith('"') ? tag : null;
    if (resumed) await mark(target);
    else have = 0;
    const length = Number(answer.headers.get('content-length') ?? 0);
    await roomFor(length, target);
    await take(answer.body, { target, have, length, timer, say });
  } finally {
    clearTimeout(timer);
  }
}

async function take(
  body: AsyncIterable<Uint8Array>,
  {
    target,
    have,
    length,
    timer,
    say,
  }: { target: string; have: number; length: number; timer: NodeJS.Timeout; say: (text: string) => void },
): Promise<void> {
  const file = await open(target, have > 0 ? 'a' : 'w').catch((error: unknown) => {
    throw onDisk(error, target);
  });
  let came = 0;
  let told = -1;
  try {
    for await (const bytes of body) {
      timer.refresh();
      await file.write(bytes).catch((error: unknown) => {
        throw onDisk(error, target);
      });
      came += bytes.length;
      const tenth = length > 0 ? Math.floor((10 * (have + came)) / (have + length)) : 0;
      if (tenth > told) say(`${basename(target)}: ${megabytes(have + came)} of ${megabytes(have + length)}`);
      told = Math.max(told, tenth);
    }
    if (length > 0 && came < length) throw new Error('the line broke');
    await file.sync();
  } finally {
    await file.close();
  }
}

const mark = async (target: string) => (await open(resumeMark(target), 'w')).close();

async function roomFor(bytes: number, target: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(target));
  if (bytes <= bavail * bsize) return;
  throw new Failed(
    `there is no room for ${basename(target)}: it takes ${megabytes(bytes)} more, and ${dirname(target)} has ${megabytes(bavail * bsize)}`,
    { failure: 'disk' },
  );
}

export async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

export const megabytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${Math.round(bytes / 1_000_000)} MB`;

const reading = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code;

/** Turns errors of the disk into sentences; other errors stay as they are. */
export function onDisk(error: unknown, path: string): unknown {
  const words: Record<string, string> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk is full',
    EACCES: 'it may not be written by you',
    EPERM: 'it may not be written by you',
    EROFS: 'it can only be read',
    ENOTDIR: 'a part of it is no folder',
    EEXIST: 'something else has this name',
  };
  const why = words[reading(error) ?? ''];
  const failure = why === 'the disk is full' ? 'disk' : 'folder';
  return why === undefined ? error : new Failed(`${path} cannot be written: ${why}`, { cause: error, failure });
}

/** Reason of an error; `fetch` puts it into the cause. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? whyOf(error.cause) : error.message;
}
