import { IconHistory } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { loadChunk } from '../../load.ts';
import { Waiting } from '../../ui/waiting.tsx';
import type { Pane } from '../dock.tsx';

const VersionList = lazy(() => loadChunk(() => import('./version-list.tsx')));

export function useHistoryPane(): Pane {
  const { t } = useTranslation('history');
  return { id: 'history', label: t('title'), icon: IconHistory, Content: HistoryPane };
}

function HistoryPane() {
  return (
    <Suspense fallback={<Waiting>{null}</Waiting>}>
      <VersionList />
    </Suspense>
  );
}
