import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import type { i18n } from 'i18next';
import { Provider as StoreProvider, type createStore } from 'jotai';
import { I18nextProvider } from 'react-i18next';
import { RouterProvider, type createBrowserRouter } from 'react-router-dom';

import { ApiContext, type Api } from './api.ts';
import { cssVariables, theme } from './ui/theme.ts';

export interface AppProps {
  api: Api;
  i18n: i18n;
  nonce: string;
  queries: QueryClient;
  router: ReturnType<typeof createBrowserRouter>;
  store: ReturnType<typeof createStore>;
}

export function App({ api, i18n, nonce, queries, router, store }: AppProps) {
  return (
    <StoreProvider store={store}>
      <I18nextProvider i18n={i18n}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <ApiContext value={api}>
            <QueryClientProvider client={queries}>
              <RouterProvider router={router} />
            </QueryClientProvider>
          </ApiContext>
        </MantineProvider>
      </I18nextProvider>
    </StoreProvider>
  );
}
