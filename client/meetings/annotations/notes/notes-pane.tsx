import { useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';

import { useTranslation } from '../../../use-translation.ts';
import { AnnotationsWaiting } from '../base/annotations-waiting.tsx';
import { annotationsAtom } from '../base/open-annotations.ts';
import type { LiveDocument } from '../../live/room.ts';
import { NotesEditor } from './notes-editor.tsx';
import styles from './notes.module.css';

const nothing = () => () => undefined;
const none = (): null => null;

export default function NotesPane() {
  const { t } = useTranslation('notes');
  const room = useAtomValue(annotationsAtom)?.notes;
  const live = useSyncExternalStore<LiveDocument | null>(room?.subscribe ?? nothing, room?.read ?? none);
  if (!live?.ready) return <AnnotationsWaiting />;
  return (
    <div className={styles.notes}>
      <p className={styles.private}>{live.editable ? t('private') : t('closed')}</p>
      <NotesEditor key={live.doc.guid} doc={live.doc} editable={live.editable} label={t('field')} />
    </div>
  );
}
