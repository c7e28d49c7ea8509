import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';

import { attachmentIdIn } from '#shared/attachments.ts';
import type { Comment, Outcome } from '#shared/meetings/annotations.ts';

import { annotationsAtom } from '../base/open-annotations.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { VoiceNotePlayer } from './voice-note-player.tsx';

/** What was spoken instead of written; from this browser, as long as the server does not have it. */
export function SavedVoiceNote({ item }: { item: Comment | Outcome }) {
  const { t } = useTranslation('voice');
  const { id } = useMeeting().about;
  const items = useAtomValue(annotationsAtom);
  // Whatever else stands there is nobody's voice, and nothing is asked of another place.
  const sent = item.url !== null && attachmentIdIn(item.url, id) !== null ? item.url : null;
  const src = sent ?? items?.voice(item.id) ?? null;
  if (src === null) return null;
  const { name } = item.author;
  return <VoiceNotePlayer key={sent} src={src} what={name === '' ? t('somebody') : t('of', { name })} />;
}
