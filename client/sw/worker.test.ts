import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

// The worker in a simulated browser: what it stores, what it answers, what it leaves to the network.

const origin = 'https://house.test';
const asset = '/assets/index-1.js';
const html = (name = asset) => `<script type="module" src="${name}"></script>`;

class Caches {
  readonly all = new Map<string, Map<string, Response>>();
  async open(name: string) {
    const held = this.all.get(name) ?? new Map<string, Response>();
    this.all.set(name, held);
    return {
      addAll: async (names: string[]) => {
        for (const one of names) {
          const answer = await net(new URL(one, origin).pathname);
          if (!answer.ok) throw new Error(`${one}: ${answer.status}`);
          held.set(one, answer);
        }
      },
      put: async (one: string, answer: Response) => void held.set(one, answer),
      match: async (one: string) => held.get(one)?.clone(),
    };
  }
  match = async (request: Request) =>
    [...this.all.values()].map((held) => held.get(new URL(request.url).pathname)?.clone()).find(Boolean);
  keys = async () => [...this.all.keys()];
  delete = async (name: string) => this.all.delete(name);
}

let net: (path: string) => Promise<Response>;
let caches: Caches;
let heard: Map<string, (event: unknown) => void>;

const served = async (path: string) => new Response(path === '/' ? html() : `file ${path}`);
const away = async (): Promise<Response> => {
  throw new TypeError('Failed to fetch');
};

beforeEach(async () => {
  net = served;
  caches = new Caches();
  heard = new Map();
  vi.stubGlobal('builtFiles', [asset]);
  vi.stubGlobal('builtAs', 'new');
  vi.stubGlobal('caches', caches);
  vi.stubGlobal('fetch', (asked: string | Request) =>
    net(new URL(typeof asked === 'string' ? asked : asked.url, origin).pathname),
  );
  vi.stubGlobal('addEventListener', (type: string, work: (event: unknown) => void) => heard.set(type, work));
  vi.stubGlobal('location', { origin });
  vi.stubGlobal('skipWaiting', async () => {});
  vi.stubGlobal('clients', { claim: async () => {} });
  vi.resetModules();
  await import('./worker.ts');
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function tell(type: 'install' | 'activate'): Promise<void> {
  let work: Promise<unknown> = Promise.reject(new Error('not waited for'));
  work.catch(() => {});
  heard.get(type)?.({ waitUntil: (given: Promise<unknown>) => (work = given) });
  await work;
}

/** Null where the worker leaves the request to the browser. */
async function ask(path: string, { mode = 'no-cors', method = 'GET', at = origin } = {}): Promise<string | null> {
  let answer: Promise<Response> | null = null;
  heard.get('fetch')?.({
    request: { url: at + path, mode, method },
    respondWith: (given: Promise<Response>) => (answer = given),
  });
  return answer && (await (answer as Promise<Response>)).text();
}
const open = (path: string) => ask(path, { mode: 'navigate' });

describe('installing', () => {
  it('keeps the page and all its files', async () => {
    await tell('install');
    expect([...(caches.all.get('colloquy-new') ?? new Map()).keys()].toSorted()).toEqual(
      ['/', asset, '/favicon.svg', '/scheme.js'].toSorted(),
    );
  });

  it.each<[string, (path: string) => Promise<Response>]>([
    ['the page is of another version', async (path) => new Response(path === '/' ? html('/assets/index-2.js') : path)],
    ['a file is gone already', async (path) => (path === asset ? new Response('', { status: 404 }) : served(path))],
    ['the page is an error', async (path) => (path === '/' ? new Response('', { status: 500 }) : served(path))],
    ['the line breaks', away],
  ])('keeps nothing where %s', async (_why, answers) => {
    net = answers;
    await expect(tell('install')).rejects.toThrow();
    expect(caches.all.has('colloquy-new')).toBe(false);
  });

  it('keeps the last older version, and the caches of others', async () => {
    for (const name of ['colloquy-1', 'colloquy-2', 'somebody else']) await caches.open(name);
    await tell('install');
    await tell('activate');
    expect([...caches.all.keys()].toSorted()).toEqual(['colloquy-2', 'colloquy-new', 'somebody else']);
  });
});

describe('answering', () => {
  beforeEach(() => tell('install'));

  it('with the page of the server while it responds, else with the stored page', async () => {
    net = async () => new Response('the page of the server');
    expect(await open('/meeting/a')).toBe('the page of the server');
    net = async () => new Response('closed', { status: 403 });
    expect(await open('/meeting/a')).toBe('closed');
    net = away;
    expect(await open('/meeting/a')).toBe(html());
    for (const status of [502, 503, 504]) {
      net = async () => new Response('away', { status });
      expect(await open('/meeting/a')).toBe(html());
    }
  });

  it('without storing the page of a recording, which may hold its first lines', async () => {
    const stored = async () =>
      Promise.all(
        [...(caches.all.get('colloquy-new') ?? [])].map(async ([name, answer]) => [name, await answer.clone().text()]),
      );
    const before = await stored();
    net = async () => new Response('<main>Good morning</main>');
    expect(await open('/meeting/a')).toBe('<main>Good morning</main>');
    expect(await stored()).toEqual(before);
    net = away;
    expect(await open('/meeting/a')).toBe(html());
  });

  it('with stored files whose names have a hash, also those of the last version', async () => {
    const before = await caches.open('colloquy-before');
    await before.put('/assets/old-1.js', new Response('old'));
    net = away;
    expect(await ask(asset)).toBe(`file ${asset}`);
    expect(await ask('/assets/old-1.js')).toBe('old');
    expect(await ask('/scheme.js')).toBe('file /scheme.js');
    await expect(ask('/assets/never.js')).rejects.toThrow('Failed to fetch');
  });

  it.each([
    ['an answer of the API', '/api/meetings/a/about', {}],
    ['media', '/api/meetings/a/media/b', {}],
    ['a page of the API', '/api/logout', { mode: 'navigate' }],
    ['a socket of live editing', '/sync/a/transcript', {}],
    ['what is sent', asset, { method: 'POST' }],
    ['what is somebody else’s', asset, { at: 'https://elsewhere.test' }],
  ])('leaves %s to the browser', async (_what, path, how) => {
    expect(await ask(path, how)).toBeNull();
  });
});
