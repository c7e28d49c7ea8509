import './ui/base.css';

import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router-dom';

import type { SessionInfo } from '#shared/accounts.ts';

import { createApi } from './api.ts';
import { App } from './app.tsx';
import { failureNotice } from './ui/failure-message.ts';
import { createReporter, watchErrors } from './errors/report.ts';
import { startI18n } from './i18n.ts';
import { loginPath, paths } from './paths.ts';
import { createQueries } from './queries.ts';
import { createRoutes } from './routes.tsx';
import { forgetSeen, sessionKey, sessionQuery } from './session.ts';
import { noticeAtom, offeredVersionAtom, unsavedAtom } from './store.ts';
import { Stores } from './stores.ts';
import { createVersionWatch, watchTyping } from './version.ts';

/** A value the server wrote into the page; null under the development server. */
function fromServer(name: string): string | null {
  const value = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
  return value === undefined || value.startsWith('__') ? null : value;
}

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

const stores = new Stores(() => forgetSeen(queries));
const typing = watchTyping(document);
const api = createApi(
  createVersionWatch({
    version: fromServer('colloquy-version'),
    storage: sessionStorage,
    isClean: () => stores.store.get(unsavedAtom) === 0 && typing.isIdle(),
    now: Date.now,
    reload: () => window.location.reload(),
    offer: (version) => stores.store.set(offeredVersionAtom, version),
  }),
);

watchErrors(window, createReporter({ send: (message) => api.logs.$post({ json: { message } }), now: Date.now }));

const router = createBrowserRouter(
  createRoutes({ withBlocks: import.meta.env.DEV || fromServer('colloquy-dev') === 'on' }),
);
let path = router.state.location.pathname;
router.subscribe(({ location }) => {
  if (location.pathname !== path) typing.settle();
  path = location.pathname;
});

const words = startI18n();

const queries = createQueries({
  onSignedOut: () => {
    const { pathname, search, hash } = router.state.location;
    // On the sign-in page a 401 is a wrong password, not an ended session.
    if (pathname === paths.login) return;
    forgetSeen(queries);
    void queries.resetQueries({ queryKey: sessionKey });
    void router.navigate(loginPath(pathname + search + hash), { replace: true });
  },
  onFailure: (error) =>
    void words.then((texts) =>
      stores.store.set(noticeAtom, { message: failureNotice(error, texts.getFixedT(null, ['common', 'shell'])) }),
    ),
});
queries.getQueryCache().subscribe(() => {
  const principal = queries.getQueryData<SessionInfo>(sessionKey)?.principal;
  if (principal?.kind === 'user') stores.is(String(principal.id));
});
// Every screen needs the session: it is loaded while the screen is.
queries.query(sessionQuery(api)).catch(() => {});
const i18n = await words;

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App api={api} i18n={i18n} nonce={nonce} queries={queries} router={router} stores={stores} />
  </StrictMode>,
);
