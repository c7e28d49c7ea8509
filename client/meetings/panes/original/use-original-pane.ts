import { IconFileText } from '@tabler/icons-react';

import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { OriginalPane } from './original-pane.tsx';

/** Pane of the original text; none for people who may not see what was deleted. */
export function useOriginalPane(): Pane[] {
  const { t } = useTranslation('original');
  const { about } = useMeeting();
  if (!about.permissions.includes('history')) return [];
  return [{ id: 'original', label: t('title'), icon: IconFileText, button: 'more', Content: OriginalPane }];
}
