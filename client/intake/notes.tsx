import type { ImportNote } from '#shared/formats/notes.ts';

import { Button } from '../ui/button.tsx';
import { Actions } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import { CancelButton } from './cancel-button.tsx';
import styles from './dialog.module.css';

/** Number of notes shown. */
const most = 8;

interface NotesProps {
  notes: readonly ImportNote[];
  onCancel: (() => void) | null;
  onOther: () => void;
  onNext: () => void;
}

/** The notes on an imported transcript. */
export function NoteList({ notes }: Pick<NotesProps, 'notes'>) {
  const { t } = useTranslation('intake');
  const said = ({ code, line = 1, count = 1, format }: ImportNote): string =>
    t(`notes.${code}`, { line, count, format: format ? t(`format.${format}`) : '' });
  return (
    <ul className={styles.notes}>
      {notes.slice(0, most).map((note, i) => (
        <li key={`${i} ${note.code}`}>{said(note)}</li>
      ))}
    </ul>
  );
}

/** Shows the notes on a transcript before it is processed. */
export function Notes({ notes, onCancel, onOther, onNext }: NotesProps) {
  const { t } = useTranslation('intake');
  return (
    <>
      <p>{t('notes.intro')}</p>
      <NoteList notes={notes} />
      <Actions>
        <CancelButton onCancel={onCancel} />
        <Button onClick={onOther}>{t('notes.other')}</Button>
        <Button look="primary" data-autofocus onClick={onNext}>
          {t('notes.go')}
        </Button>
      </Actions>
    </>
  );
}
