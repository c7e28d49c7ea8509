import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const api = `http://127.0.0.1:${process.env.DEV_API_PORT ?? '3001'}`;

// Code of every page that changes only with a dependency: one file that stays in the browser's cache.
const ground =
  /node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|i18next|jotai|@tanstack\/(react-query|query-core))\//;
/**
 * Not what is opened over a page: it brings half the kit along, and no first screen opens any. Nor what a recording's page
 * has for its many panes, or keeps in this browser: that brings the whole document along. Nor what is sent to add, make or share a recording:
 * its inputs bring zod. Nor the library, intake, reviews, assistants, news, money and sets of outcome types, which no first screen of a visitor shows.
 */
const ours =
  /^(?!.*\/node_modules\/|.*\/client\/ui\/(dialog|tabs)\.|.*\/(client|shared)\/meetings\/|.*\/client\/(ai\/|news\/|library\/|reviews\/|billing\/|intake\/|outcome-models\/|own-sets\.|errors\/part-dialog\.)|.*\/sync\/client\/|.*\/shared\/(formats\/|(attachments|intake|meeting-services|folders|recorder|money|outcome-models|payments)\.)).*\/(client|shared)\/|@tabler\/icons-react/;

// A request costs more than the few hundred bytes that many a shared source has.

interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** Whether a source has to be there before one of these runs; what they load later has not. */
function neededBy(...screens: string[]): (id: string, graph: Graph) => boolean {
  let needed: Set<string> | null = null;
  return (id, graph) => {
    if (!needed) {
      needed = new Set(screens.map((screen) => fileURLToPath(new URL(screen, import.meta.url))));
      // These hold far more than is taken of them.
      const whole = /node_modules\/(@mantine|@tabler)\//;
      for (const one of needed)
        if (!whole.test(one)) for (const next of graph.getModuleInfo(one)?.importedIds ?? []) needed.add(next);
    }
    return needed.has(id);
  };
}

const everyPage = neededBy('client/main.tsx');
const recording = neededBy('client/meeting-panes.tsx');
const signedIn = neededBy('client/home/home.tsx', 'client/accounts/profile/profile.tsx', 'client/shell/app-layout.tsx');

/** The file of a source that more than one screen needs; null: as the bundler likes it. */
function sharedFile(id: string, graph: Graph): string | null {
  if (!id.includes('/node_modules/') && everyPage(id, graph)) return 'first';
  if (everyPage(id, graph) || !recording(id, graph)) return null;
  return signedIn(id, graph) ? 'kit' : 'document';
}

/** The interface's letters are asked for with the page itself, not after its style sheet has been read. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /\binter-latin-wght-normal-[\w-]+\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
            injectTo: 'head',
          })),
    },
  };
}

/** Requests of a page before its script is here. */
function askEarly(): Plugin {
  return {
    name: 'ask-early',
    apply: (_config, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    buildStart() {
      this.emitFile({ type: 'chunk', id: 'client/early.ts', name: 'early' });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /^assets\/early-[\w-]+\.js$/.test(file))
          .map((file) => ({
            tag: 'script',
            attrs: { type: 'module', async: true, crossorigin: '', src: `/${file}` },
            injectTo: 'head-prepend',
          })),
    },
  };
}

/** The service worker: no part of any page, and told by name which files this build consists of. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: (_config, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    buildStart() {
      this.emitFile({ type: 'chunk', id: 'client/sw/worker.ts', fileName: 'sw.js' });
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const worker = bundle['sw.js'];
        if (worker?.type !== 'chunk') throw new Error('no service worker was built');
        const files = Object.keys(bundle)
          .filter((name) => name.startsWith('assets/'))
          .map((name) => `/${name}`)
          .toSorted();
        const built = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16);
        worker.code = `const builtFiles=${JSON.stringify(files)},builtAs='${built}';\n${worker.code}`;
      },
    },
  };
}

// `vite build` makes dist/client, `vite build --ssr` makes dist/server.
const outcomeTypes = /\/(?:shared\/meetings\/(?:own-types|outcome-types)|client\/outcome-models\/known-sets)\.ts$/;

export default defineConfig(({ isSsrBuild }) => ({
  appType: 'spa',
  plugins: [react(), preloadFont(), askEarly(), serviceWorker()],
  server: {
    host: '127.0.0.1',
    proxy: {
      '^/(api|store|healthz|readyz|metrics)(/|\\?|$)': api,
      '/sync': { target: api, ws: true },
    },
  },
  publicDir: isSsrBuild ? false : 'public',
  build: isSsrBuild
    ? {
        outDir: 'dist/server',
        target: 'node20',
        sourcemap: true,
        minify: false,
        // The others run in threads of the first or beside it, which looks for them in its own folder.
        rolldownOptions: {
          input: [
            'server/main.ts',
            'sync/server/compact-thread.ts',
            'server/intake/read-transcript-thread.ts',
            'server/rooms/whole-documents-thread.ts',
            'server/export/pdf-thread.ts',
            'server/models/fetch-models-thread.ts',
            'server/engines/local-process.ts',
          ],
        },
      }
    : {
        outDir: 'dist/client',
        target: 'es2023',
        manifest: true,
        assetsInlineLimit: 0,
        cssCodeSplit: true,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          output: {
            codeSplitting: {
              groups: [
                { name: 'ground', test: ground, priority: 1 },
                // Types of outcomes: many screens share them, and none before the sign-in.
                { name: 'outcome-types', test: outcomeTypes, priority: 1, includeDependenciesRecursively: false },
                // Small parts of our own that most screens share: one request instead of thirty.
                { name: 'common', test: ours, minShareCount: 6 },
                { name: 'icons', test: /@tabler\/icons-react/, minShareCount: 2 },
                { name: sharedFile, minShareCount: 2, includeDependenciesRecursively: false },
              ],
            },
          },
        },
      },
}));
