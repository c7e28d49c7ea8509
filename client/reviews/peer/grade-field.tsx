import { IconMinus } from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';

import { longestGradeWords } from '#shared/meetings/grades.ts';
import { negative } from '#shared/meetings/outcome-types.ts';
import type { SheetRow } from '#shared/reviews/sheet.ts';

import type { MeetingAnnotations } from '../../meetings/annotations/base/meeting-annotations.ts';
import { annotationsAtom } from '../../meetings/annotations/base/open-annotations.ts';
import { gradesFor, gradeText } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { TextArea } from '../../ui/field.tsx';
import { useTranslation } from '../../use-translation.ts';
import styles from './sheet-pane.module.css';
import { useGradeKey, type Passage } from './use-sheet.ts';

interface GradeFieldProps {
  row: SheetRow<Passage>;
  name: string;
  may: boolean;
  onGive: (grade: number | null) => void;
  /** Says that no grade is set; else that the passages decide. */
  unset?: string;
}

/** Grade of a competency, with or without passages, and why it is given. */
export function GradeField({ row: { type, set, grade, words }, name, may, onGive, unset }: GradeFieldProps) {
  const { t } = useTranslation(['assessment', 'outcomes']);
  const none = unset ?? t('sheet.evidence');
  const items = useAtomValue(annotationsAtom);
  const keyOf = useGradeKey();
  if (!may) return words === '' ? null : <p className={styles.words}>{words}</p>;
  const choices = [null, ...gradesFor(type, set)];
  return (
    <>
      <div role="group" aria-label={t('sheet.grade', { name })} className={styles.grades}>
        {choices.map((value) => (
          <button
            key={value}
            type="button"
            className={styles.grade}
            // No grade yet: not painted like a choice that somebody made.
            data-unset={(value === null && grade === null) || undefined}
            aria-pressed={set === value}
            title={value === null ? undefined : gradeText(t, type.id, value)}
            aria-label={value === null ? none : gradeText(t, type.id, value)}
            onClick={() => onGive(value)}
          >
            {value === null ? (
              none
            ) : value === negative ? (
              <>
                <Minus /> {gradeText(t, type.id, value)}
              </>
            ) : (
              value
            )}
          </button>
        ))}
      </div>
      {items && (grade !== null || words !== '') && (
        <Why items={items} of={keyOf(type.id)} words={words} label={t('sheet.why')} />
      )}
    </>
  );
}

const Minus = () => <IconMinus size={16} stroke={1.5} aria-hidden="true" />;

/** Time in milliseconds after the last keystroke until the words are sent. */
const pause = 1_500;

/** Words that explain a grade: shown as typed from the first letter, kept with each, and sent in pauses. */
function Why({ items, of, words, label }: { items: MeetingAnnotations; of: string; words: string; label: string }) {
  const [typed, setTyped] = useState<string | null>(null);
  /** Words of the field when the current change began. */
  const before = useRef<string | null>(null);
  const typing = useMemo(() => items.typingGrade(of), [items, of]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const rest = () => {
    clearTimeout(timer.current);
    typing.rest();
    before.current = null;
  };
  const restLast = useEffectEvent(rest);
  useEffect(() => () => restLast(), [typing]);
  return (
    <TextArea
      label={label}
      rows={2}
      maxLength={longestGradeWords}
      value={typed ?? words}
      onChange={(next) => {
        before.current ??= (typed ?? words).trim();
        setTyped(next);
        typing.write(next.trim(), before.current);
        clearTimeout(timer.current);
        timer.current = setTimeout(rest, pause);
      }}
      onBlur={() => {
        rest();
        setTyped(null);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.blur();
      }}
    />
  );
}
