// The page's own files, kept on this device so that a recording opens without a network. What people wrote is never
// here: answers of the API and media go past this file untouched.

/** Put before this file when it is built (vite.config.ts). */
declare const builtFiles: readonly string[];
declare const builtAs: string;

// The compiler knows pages, not workers.
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
/** Every screen is this page; which of them, its address says. */
const page = '/';
/** Files whose name says nothing of their content. */
const unhashed = ['/scheme.js', '/favicon.svg'];
/** No screens, and nothing to be answered from here. */
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

/** All of one version or nothing: while servers are exchanged, page and files may come from two. */
async function install(): Promise<void> {
  try {
    const answer = await fetch(page, { cache: 'no-store' });
    const named = [...(await answer.clone().text()).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, name]) => name ?? '');
    if (!answer.ok || named.length === 0 || named.some((name) => !builtFiles.includes(name)))
      throw new Error('another version is being served');
    const cache = await caches.open(ownCache);
    await cache.addAll([...builtFiles, ...unhashed]);
    // With its headers: the policy among them names the same nonce as the page.
    await cache.put(page, answer);
  } catch (error) {
    await caches.delete(ownCache);
    throw error;
  }
  await worker.skipWaiting();
}

/** Of older versions the last one stays, for pages that are still open on it. */
async function activate(): Promise<void> {
  const older = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== ownCache);
  for (const name of older.slice(0, -1)) await caches.delete(name);
  await worker.clients.claim();
}

/** As long as a server answers, it says what the page is; so a new version is never kept from anybody. */
async function screen(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    // Of whoever stands before a server that is away.
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
