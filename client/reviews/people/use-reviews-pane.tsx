import { IconClipboardCheck } from '@tabler/icons-react';

import { part } from '../../errors/part.tsx';
import type { Pane } from '../../meetings/base/pane.ts';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { useSession } from '../../session.ts';
import { useTranslation } from '../../use-translation.ts';

const ReviewsPane = part(() => import('./reviews-pane.tsx'));

/** Reviews of the recording, for who owns it. */
export function useReviewsPane(): Pane[] {
  const { t } = useTranslation('document');
  const { about } = useMeeting();
  const { data } = useSession();
  if (data?.principal.kind !== 'user' || !about.permissions.includes('own')) return [];
  return [{ id: 'reviews', label: t('reviews'), icon: IconClipboardCheck, button: 'rail', Content: ReviewsPane }];
}
