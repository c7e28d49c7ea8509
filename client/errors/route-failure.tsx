import { useRouteError } from 'react-router-dom';

import { ChunkError } from '../load.ts';
import { useTranslation } from '../use-translation.ts';
import { Failure } from './failure.tsx';
import { useReported } from './use-reported.ts';

/** Shown when the layout around the screens failed. */
export function RootFailure() {
  return (
    <main>
      <RouteFailure />
    </main>
  );
}

/** Shown in place of a screen that failed. */
export function RouteFailure() {
  const error = useRouteError();
  const { t } = useTranslation('shell');
  const requestId = useReported(error);
  return (
    <Failure page error={error} requestId={requestId}>
      {error instanceof ChunkError ? t('error.chunk') : t('error.screen')}
    </Failure>
  );
}
