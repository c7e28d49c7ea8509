import { useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { Bone, Waiting } from '../../ui/waiting.tsx';
import type { LiveDocument } from '../live/room.ts';
import { NotesEditor } from './notes-editor.tsx';
import { notesRoomAtom } from './notes-room.ts';
import styles from './notes.module.css';

const nothing = () => () => undefined;
const none = (): null => null;

export default function NotesPane() {
  const { t } = useTranslation('notes');
  const room = useAtomValue(notesRoomAtom);
  const live = useSyncExternalStore<LiveDocument | null>(room?.subscribe ?? nothing, room?.read ?? none);
  if (!live?.ready)
    return (
      <Waiting label={t('opening')}>
        <Bone width="70%" />
        <Bone />
        <Bone width="85%" />
      </Waiting>
    );
  return (
    <div className={styles.notes}>
      <p className={styles.private}>{live.editable ? t('private') : t('closed')}</p>
      <NotesEditor key={live.doc.guid} doc={live.doc} editable={live.editable} />
    </div>
  );
}
