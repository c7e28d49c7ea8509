import { defineConfig, mergeConfig, type UserConfig } from 'vite';
import base from '../../../vite.config.ts';

/** The client as a next version: an extra line in the page, and in a part that loads only when it is opened. */
export default defineConfig((env) =>
  mergeConfig(base(env) as UserConfig, {
    plugins: [
      {
        name: 'next-version',
        transform: (code: string, id: string) =>
          /client\/(main|meetings\/panes\/analytics\/analytics)\.tsx$/.test(id)
            ? `${code}\ndocument.documentElement.dataset.build = 'next';`
            : undefined,
      },
    ],
  }),
);
