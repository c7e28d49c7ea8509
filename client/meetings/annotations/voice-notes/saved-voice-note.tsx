import { useAtomValue } from 'jotai';

import { attachmentIdIn } from '#shared/attachments.ts';
import type { Comment, Outcome } from '#shared/meetings/annotations.ts';

import { useTranslation } from '../../../use-translation.ts';
import { annotationsAtom } from '../base/open-annotations.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { VoiceNotePlayer } from './voice-note-player.tsx';

/** Voice note of an annotation; played from this browser until the server has it. */
export function SavedVoiceNote({ item }: { item: Comment | Outcome }) {
  const { t } = useTranslation('voice');
  const { id } = useMeeting().about;
  const items = useAtomValue(annotationsAtom);
  // Only attachments of this recording are played: other addresses in that field are not trusted.
  const sent = item.url !== null && attachmentIdIn(item.url, id) !== null ? item.url : null;
  const src = sent ?? items?.voice(item.id) ?? null;
  if (src === null) return null;
  const { name } = item.author;
  return <VoiceNotePlayer key={sent} src={src} what={name === '' ? t('somebody') : t('of', { name })} />;
}
