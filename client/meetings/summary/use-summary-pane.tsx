import { IconListDetails } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { readSummary } from '#shared/meetings/summary.ts';

import { loadChunk } from '../../load.ts';
import type { Pane } from '../dock.tsx';
import { ItemsWaiting } from '../items/items-waiting.tsx';
import { useDocument } from '../meeting-context.ts';
import { useShared } from '../use-shared.ts';

const SummaryView = lazy(() => loadChunk(() => import('./summary-pane.tsx')));

export function useSummaryPane(): Pane {
  const { t } = useTranslation('summary');
  return {
    id: 'summary',
    label: t('title'),
    short: t('short'),
    icon: IconListDetails,
    Count: SummaryCount,
    Content: SummaryPane,
  };
}

function SummaryCount() {
  const { doc } = useDocument();
  return useShared(doc.getMap('summary'), () => readSummary(doc, 'shared').length) || null;
}

function SummaryPane() {
  return (
    <Suspense fallback={<ItemsWaiting />}>
      <SummaryView />
    </Suspense>
  );
}
