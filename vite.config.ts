import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const api = `http://127.0.0.1:${process.env.DEV_API_PORT ?? '3001'}`;

// What every page needs and what changes only with a dependency: one file that stays in the browser's cache. The parts
// of react-i18next that put markup into texts come with the few screens that do so.
const ground =
  /node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|use-sync-external-store|i18next|react-i18next(?!.*\/Trans)|jotai|@tanstack\/(react-query|query-core))\//;
const ours = /^(?!.*\/node_modules\/).*\/(client|shared)\/|@tabler\/icons-react/;

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

// `vite build` makes dist/client, `vite build --ssr server/main.ts` makes dist/server.
export default defineConfig(({ isSsrBuild }) => ({
  appType: 'spa',
  plugins: [react(), preloadFont()],
  server: {
    host: '127.0.0.1',
    proxy: {
      '^/(api|healthz|readyz|metrics)(/|\\?|$)': api,
      '/sync': { target: api, ws: true },
    },
  },
  publicDir: isSsrBuild ? false : 'public',
  build: isSsrBuild
    ? { outDir: 'dist/server', target: 'node20', sourcemap: true, minify: false }
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
                // Small parts of our own that most screens share: one request instead of thirty.
                { name: 'common', test: ours, minShareCount: 6 },
              ],
            },
          },
        },
      },
}));
