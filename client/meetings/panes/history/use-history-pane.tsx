import { IconHistory } from '@tabler/icons-react';

import { part } from '../../../errors/part.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { useMeeting } from '../../open/meeting-context.ts';

const HistoryPane = part(() => import('./version-list.tsx'), { waiting: <Waiting>{null}</Waiting> });

/** Pane of earlier versions; none for people who may not see what was deleted. */
export function useHistoryPane(): Pane[] {
  const { t } = useTranslation('history');
  const { about } = useMeeting();
  if (!about.permissions.includes('history')) return [];
  return [{ id: 'history', label: t('title'), icon: IconHistory, button: 'more', Content: HistoryPane }];
}
