import { useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { ItemsWaiting } from '../base/annotations-waiting.tsx';
import { itemsAtom } from '../base/open-annotations.ts';
import type { LiveDocument } from '../../live/room.ts';
import { NotesEditor } from './notes-editor.tsx';
import styles from './notes.module.css';

const nothing = () => () => undefined;
const none = (): null => null;

export default function NotesPane() {
  const { t } = useTranslation('notes');
  const room = useAtomValue(itemsAtom)?.notes;
  const live = useSyncExternalStore<LiveDocument | null>(room?.subscribe ?? nothing, room?.read ?? none);
  if (!live?.ready) return <ItemsWaiting />;
  return (
    <div className={styles.notes}>
      <p className={styles.private}>{live.editable ? t('private') : t('closed')}</p>
      <NotesEditor key={live.doc.guid} doc={live.doc} editable={live.editable} />
    </div>
  );
}
