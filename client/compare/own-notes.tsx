import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ComparedColumn } from '#shared/compare.ts';

import { NotesEditor } from '../meetings/annotations/notes/notes-editor.tsx';
import { PageSaveChip } from '../meetings/live/page-save-chip.tsx';
import { UnsentWords } from '../meetings/live/unsent-words.tsx';
import { useRoom } from '../meetings/live/use-room.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import styles from './compare.module.css';

interface Props {
  columns: readonly ComparedColumn[];
  /** The recording whose notes are in sight; null: all. */
  meeting: string | null;
}

/**
 * This person's notes on the compared recordings, an editor each. The rooms stay open while an editor is out of sight, so
 * that what was typed is sent.
 */
export default function OwnNotes({ columns, meeting }: Props) {
  const { t } = useTranslation('notes');
  const [seen, setSeen] = useState<readonly ComparedColumn[]>([]);
  // Words that cannot be sent any more are shown, also where the recording has left the comparison.
  const more = columnOfEach(columns).filter(({ meeting: id }) => !seen.some((one) => one.meeting === id));
  if (more.length > 0) setSeen([...seen, ...more]);
  return (
    <>
      <div className={styles.notesHead}>
        <p className={styles.sub}>{t('private')}</p>
        <PageSaveChip />
      </div>
      {seen.map((column) => (
        <Notes key={column.meeting} column={column} hidden={meeting !== null && meeting !== column.meeting} />
      ))}
    </>
  );
}

function Notes({ column: { document, title }, hidden }: { column: ComparedColumn; hidden: boolean }) {
  const { t } = useTranslation(['notes', 'compare', 'library']);
  const heading = useId();
  const live = useRoom(`${document}/notes`);
  const name = title || t('library:untitled');
  const ended = live?.ended === 'access';
  return (
    <div role="group" className={styles.ownNotes} aria-labelledby={heading} hidden={hidden}>
      <h2 id={heading}>{name}</h2>
      {live?.unsent.map((words) => (
        <UnsentWords
          key={`${words.why} ${words.generation} ${words.text}`}
          words={{ ...words, of: 'notes' }}
          onDone={() => void live.live.letGo(words)}
        />
      ))}
      {live?.ready ? (
        <>
          {!live.editable && <p className={styles.sub}>{t('closed')}</p>}
          <NotesEditor
            key={live.doc.guid}
            doc={live.doc}
            editable={live.editable}
            label={t('compare:notesOn', { title: name })}
          />
        </>
      ) : ended ? (
        <p className={styles.sub}>{t('closed')}</p>
      ) : (
        <Waiting>
          <Bone height="9rem" />
        </Waiting>
      )}
    </div>
  );
}

/**
 * A column of each recording, whose id opens its notes: that of the recording where it is compared itself. Of a person who
 * has it by a review alone, it is an assessment.
 */
function columnOfEach(columns: readonly ComparedColumn[]): ComparedColumn[] {
  const found = new Map<string, ComparedColumn>();
  for (const column of columns)
    if (!found.has(column.meeting) || column.review === null) found.set(column.meeting, column);
  return [...found.values()];
}
