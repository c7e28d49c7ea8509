// The service worker keeps the page's own files, so that a recording opens without a network. It never holds what
// people wrote: answers of the API and media pass untouched.

/** Defined by the build (vite.config.ts). */
declare const builtFiles: readonly string[];
declare const builtAs: string;

// The compiler has the types of pages, not of workers.
interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Asked extends Waiting {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Worker {
  addEventListener(type: 'install' | 'activate', heard: (event: Waiting) => void): void;
  addEventListener(type: 'fetch', heard: (event: Asked) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly location: Location;
}
const worker = globalThis as unknown as Worker;

const prefix = 'colloquy-';
const ownCache = prefix + builtAs;
/** Every screen is this page; the address selects the screen. */
const page = '/';
/** Files without a hash of their content in the name. */
const unhashed = ['/scheme.js', '/favicon.svg'];
/** Addresses that are no screens and are never answered from the cache. */
const noScreen = /^\/(api|sync|assets|guides|healthz|readyz|metrics)(\/|$)/;

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin) return;
  if (request.mode === 'navigate') {
    if (!noScreen.test(pathname)) event.respondWith(screen(request));
  } else if (pathname.startsWith('/assets/')) event.respondWith(hashed(request));
  else if (unhashed.includes(pathname)) event.respondWith(fresh(request));
});

/** Stores all files of one version or none: during a deployment, page and files may come from two versions. */
async function install(): Promise<void> {
  try {
    const answer = await fetch(page, { cache: 'no-store' });
    const named = [...(await answer.clone().text()).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, name]) => name ?? '');
    if (!answer.ok || named.length === 0 || named.some((name) => !builtFiles.includes(name)))
      throw new Error('another version is being served');
    const cache = await caches.open(ownCache);
    await cache.addAll([...builtFiles, ...unhashed]);
    // With its headers: the content policy names the nonce of this page.
    await cache.put(page, answer);
  } catch (error) {
    await caches.delete(ownCache);
    throw error;
  }
  await worker.skipWaiting();
}

/** Keeps the version before this one, for pages that are still open on it. */
async function activate(): Promise<void> {
  const older = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== ownCache);
  for (const name of older.slice(0, -1)) await caches.delete(name);
  await worker.clients.claim();
}

/** The server's page is used as long as it answers, so that nobody misses a new version. */
async function screen(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    // A proxy's answer for a server that is down.
    const away = answer.status >= 502 && answer.status <= 504;
    return (away && (await kept(page))) || answer;
  } catch (error) {
    const answer = await kept(page);
    if (answer) return answer;
    throw error;
  }
}

const kept = async (name: string): Promise<Response | undefined> => (await caches.open(ownCache)).match(name);

const hashed = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);

async function fresh(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const answer = await kept(new URL(request.url).pathname);
    if (answer) return answer;
    throw error;
  }
}
