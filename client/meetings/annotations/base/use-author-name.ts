import type { Author } from '#shared/meetings/annotations.ts';

import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';

/** Names of authors as this person learns them: in an anonymous review from the list of reviewers. */
export function useAuthorName(): (author: Author) => string {
  const { t } = useTranslation('annotations');
  const { layer } = useMeeting();
  return ({ id, name }) => name || layer?.reviewerNames.get(id) || t('somebody');
}
