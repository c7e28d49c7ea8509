import { IconChartBar } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { loadChunk } from '../../load.ts';
import { Waiting } from '../../ui/waiting.tsx';
import type { Pane } from '../dock.tsx';

const AnalyticsView = lazy(() => loadChunk(() => import('./analytics.tsx')));

/** Beside the text, so that a bar leads to its place without leaving the figures. */
export function useAnalyticsPane(): Pane {
  const { t } = useTranslation('document');
  return { id: 'analytics', label: t('analytics'), icon: IconChartBar, Content: AnalyticsPane };
}

export function AnalyticsPane() {
  return (
    <Suspense fallback={<Waiting>{null}</Waiting>}>
      <AnalyticsView />
    </Suspense>
  );
}
