import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import type { i18n } from 'i18next';
import { Provider as StoreProvider } from 'jotai';
import { Fragment } from 'react';
import { RouterProvider, type createBrowserRouter } from 'react-router-dom';

import { ApiContext, type Api } from './api.ts';
import { StoresContext, useStores, type Stores } from './stores.ts';
import { cssVariables, theme } from './ui/theme.ts';
import { I18nContext } from './use-translation.ts';

interface AppProps {
  api: Api;
  i18n: i18n;
  nonce: string;
  queries: QueryClient;
  router: ReturnType<typeof createBrowserRouter>;
  stores: Stores;
}

export function App({ stores, ...props }: AppProps) {
  return (
    <StoresContext value={stores}>
      <Page {...props} />
    </StoresContext>
  );
}

function Page({ api, i18n, nonce, queries, router }: Omit<AppProps, 'stores'>) {
  const { store, person } = useStores();
  return (
    <StoreProvider store={store}>
      <I18nContext value={i18n}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <ApiContext value={api}>
            <QueryClientProvider client={queries}>
              <Fragment key={person}>
                <RouterProvider router={router} />
              </Fragment>
            </QueryClientProvider>
          </ApiContext>
        </MantineProvider>
      </I18nContext>
    </StoreProvider>
  );
}
