import { IconClipboardCheck } from '@tabler/icons-react';

import type { MenuEntry } from '../../meetings/base/menu-entries.ts';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { useSession } from '../../session.ts';
import { useTranslation } from '../../use-translation.ts';
import { useRequestDialog } from './use-request.tsx';

/** Entry of a recording's menu that asks for a review, for who owns it. */
export function useAskEntry(): MenuEntry[] {
  const { t } = useTranslation('document');
  const { about } = useMeeting();
  const { data } = useSession();
  const { open, dialog } = useRequestDialog(about);
  if (data?.principal.kind !== 'user' || !about.permissions.includes('own')) return [];
  return [{ id: 'review', label: t('askForReview'), icon: IconClipboardCheck, onPress: open, dialog }];
}
