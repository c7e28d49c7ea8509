import { IconHistory } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { part } from '../../../errors/part.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import type { Pane } from '../../base/pane.ts';

const HistoryPane = part(() => import('./version-list.tsx'), { waiting: <Waiting>{null}</Waiting> });

export function useHistoryPane(): Pane {
  const { t } = useTranslation('history');
  return { id: 'history', label: t('title'), icon: IconHistory, Content: HistoryPane };
}
