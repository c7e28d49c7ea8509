import { useId, useState } from 'react';

import type { ComparedColumn } from '#shared/compare.ts';

import { NotesEditor } from '../meetings/annotations/notes/notes-editor.tsx';
import { UnsentWords } from '../meetings/live/unsent-words.tsx';
import { useRoom } from '../meetings/live/use-room.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './compare.module.css';

interface Props {
  columns: readonly ComparedColumn[];
  open: boolean;
  /** The recording whose notes are in sight; null: all. */
  meeting: string | null;
}

/**
 * This person's notes on the compared recordings, an editor each. The rooms stay open while an editor is out of sight, so
 * that what was typed is sent; words that cannot be sent are shown in any case.
 */
export default function OwnNotes({ columns, open, meeting }: Props) {
  const { t } = useTranslation('notes');
  const [seen, setSeen] = useState<readonly ComparedColumn[]>([]);
  // Words that cannot be sent any more are shown, also where the recording has left the comparison.
  const more = columnOfEach(columns).filter(({ meeting: id }) => !seen.some((one) => one.meeting === id));
  if (more.length > 0) setSeen([...seen, ...more]);
  return (
    <>
      {open && <p className={styles.sub}>{t('private')}</p>}
      {seen.map((column) => (
        <Notes
          key={column.meeting}
          column={column}
          hidden={!open || (meeting !== null && meeting !== column.meeting)}
        />
      ))}
    </>
  );
}

function Notes({ column: { notes, title }, hidden }: { column: ComparedColumn; hidden: boolean }) {
  const { t } = useTranslation(['notes', 'compare', 'library']);
  const heading = useId();
  const live = useRoom(`${notes}/notes`);
  const name = title || t('library:untitled');
  const ended = live?.ended === 'access';
  const unsent = live?.unsent ?? [];
  return (
    <div role="group" className={styles.ownNotes} aria-labelledby={heading} hidden={hidden && unsent.length === 0}>
      <h2 id={heading}>{name}</h2>
      {unsent.map((words) => (
        <UnsentWords
          key={`${words.why} ${words.generation} ${words.text}`}
          words={{ ...words, of: 'notes' }}
          onDone={() => void live?.live.letGo(words)}
        />
      ))}
      <div hidden={hidden}>
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
    </div>
  );
}

/** The first column of each recording. */
function columnOfEach(columns: readonly ComparedColumn[]): ComparedColumn[] {
  const found = new Map<string, ComparedColumn>();
  for (const column of columns) if (!found.has(column.meeting)) found.set(column.meeting, column);
  return [...found.values()];
}
