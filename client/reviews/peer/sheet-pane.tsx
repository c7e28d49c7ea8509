import { IconArrowDown, IconMicrophone, IconPlus } from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useContext, useEffect, useEffectEvent, useRef } from 'react';

import { joinSentences } from '#shared/i18n/sentences.ts';
import { mayAdd } from '#shared/meetings/annotation-rules.ts';
import { isGradeOf, negative } from '#shared/meetings/outcome-types.ts';
import { ungradedIn, type SheetRow } from '#shared/reviews/sheet.ts';
import { ownAbout, ownName } from '#shared/meetings/own-types.ts';

import { AnnotationsWaiting } from '../../meetings/annotations/base/annotations-waiting.tsx';
import {
  annotationsAtom,
  chosenAtom,
  speakingAtom,
  taggingAtom,
  useAnnotations,
} from '../../meetings/annotations/base/open-annotations.ts';
import { passageToAnnotate } from '../../meetings/annotations/base/selection.ts';
import { useAsking } from '../../meetings/annotations/base/use-asking.ts';
import { AboveOutcomes } from '../../meetings/annotations/outcomes/above-outcomes.ts';
import { NewOutcome } from '../../meetings/annotations/outcomes/new-outcome.tsx';
import { GradeSign, OutcomeCard } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { NewVoiceNote } from '../../meetings/annotations/voice-notes/new-voice-note.tsx';
import { UnsentVoiceNotes } from '../../meetings/annotations/voice-notes/unsent-voice-notes.tsx';
import { useRecording, voiceNote } from '../../meetings/annotations/voice-notes/use-recording.ts';
import { TypeMark } from '../../meetings/annotations/outcomes/type-mark.tsx';
import { useAddOutcome } from '../../meetings/annotations/outcomes/use-add-outcome.ts';
import { actionsAtom } from '../../meetings/base/actions.ts';
import { useMeeting } from '../../meetings/open/meeting-context.ts';
import { useOpenText } from '../../meetings/open/open-text.ts';
import { useNotify } from '../../store.ts';
import { Button } from '../../ui/button.tsx';
import { usePhone } from '../../ui/use-phone.ts';
import { useTranslation } from '../../use-translation.ts';
import { Explained } from './explained.tsx';
import { GradeField } from './grade-field.tsx';
import { useOpened } from './opened.ts';
import { reachedAtom } from './reached.ts';
import styles from './sheet-pane.module.css';
import { useGradeKey, useSheet, type Passage } from './use-sheet.ts';

/** Competencies with their passages and their grades. */
export default function SheetPane() {
  const { t } = useTranslation(['assessment', 'voice']);
  const rows = useSheet();
  const items = useAtomValue(annotationsAtom);
  const tagging = useAtomValue(taggingAtom);
  const speaking = useAtomValue(speakingAtom);
  // An unsent voice note shows until it is sent or discarded, except while an outcome is being added.
  const { recording } = useRecording(voiceNote);
  const speaks = speaking !== null || (recording !== null && tagging === null);
  const actions = useAtomValue(actionsAtom);
  const may = mayAdd(useAsking(), false);
  const phone = usePhone();
  const above = useContext(AboveOutcomes);
  const comment = useOverallComment();
  if (!items || !rows) return <AnnotationsWaiting />;
  const left = ungradedIn(rows).length;
  const graded = rows.some(({ type }) => type.grades.length > 0);
  return (
    <div className={styles.pane}>
      <p className={styles.note}>
        {may ? joinSentences(t('sheet.how'), phone ? '' : t('sheet.keys')) : t('sheet.readOnly')}
      </p>
      <UnsentVoiceNotes kind="outcome" />
      <UnsentVoiceNotes kind="grade" />
      {speaks && <NewVoiceNote ownOnly={false} />}
      {tagging && <NewOutcome ownOnly={false} />}
      {may && !speaks && !tagging && (
        <Button
          look="quiet"
          icon={<IconMicrophone size={18} stroke={1.5} aria-hidden="true" />}
          // Keeps the selection that is meant.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => actions.run('voice')}
        >
          {t('voice:begin')}
        </Button>
      )}
      {graded && (
        <div className={styles.left}>
          <p role="status">{left === 0 ? t('sheet.all') : t('sheet.left', { count: left })}</p>
          {left > 0 && may && (
            <Button
              look="quiet"
              icon={<IconArrowDown size={18} stroke={1.5} aria-hidden="true" />}
              onClick={() => actions.run('nextUngraded')}
            >
              {t('sheet.next')}
            </Button>
          )}
        </div>
      )}
      {above}
      <ol className={styles.sheet}>
        {rows.map((row) => (
          <Competency key={row.type.id} row={row} may={may} />
        ))}
      </ol>
      {comment !== '' && (
        <section className={styles.comment} aria-labelledby="overall-comment">
          <h3 id="overall-comment">{t('comment')}</h3>
          <p>{comment}</p>
        </section>
      )}
    </div>
  );
}

/** The comment that was given on completing the assessment that is shown. */
function useOverallComment(): string {
  const { review, shown } = useOpened();
  if (shown.kind === 'mine') return review.mine?.comment ?? '';
  return review.reviewers.find(({ cloneId }) => cloneId === shown.id)?.comment ?? '';
}

function Competency({ row, may }: { row: SheetRow<Passage>; may: boolean }) {
  const { t } = useTranslation(['assessment', 'outcomes']);
  const { type, evidence, grade, set } = row;
  const view = useAnnotations();
  const asking = useAsking();
  const chosen = useAtomValue(chosenAtom);
  const item = useRef<HTMLLIElement>(null);
  const reached = useAtomValue(reachedAtom);
  const times = reached.type === type.id ? reached.times : 0;
  useEffect(() => {
    if (times > 0) item.current?.focus();
  }, [times]);
  const items = useAtomValue(annotationsAtom);
  const keyOf = useGradeKey();
  const gradable = type.grades.length > 0;
  const give = (next: number | null) => {
    if (items && may && gradable && next !== set) items.grade(keyOf(type.id), { grade: next });
  };
  /** Digits grade the row that has the focus itself; a card below it has keys of its own. */
  const heard = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    if (target !== item.current || event.altKey || event.ctrlKey || event.metaKey || !/^[0-9-]$/.test(key)) return;
    const next = key === '0' ? null : key === '-' ? negative : Number(key);
    if (!may || !gradable || !isGradeOf(type, next)) return;
    event.preventDefault();
    give(next);
  });
  useEffect(() => {
    const element = item.current;
    const listener = (event: KeyboardEvent) => heard(event);
    element?.addEventListener('keydown', listener);
    return () => element?.removeEventListener('keydown', listener);
  }, []);
  const name = ownName(type.id) ?? t(`outcomes:types.${type.id}` as 'outcomes:types.notes');
  const graded = evidence.filter((one) => one.grade !== null).length;
  return (
    <li ref={item} tabIndex={-1} className={styles.row} data-competency={type.id} aria-label={name}>
      <div className={styles.head}>
        <TypeMark type={type.id} />
        <h3>{name}</h3>
        {grade !== null && <GradeSign type={type.id} grade={grade} />}
        {grade === null && type.grades.length > 0 && <span className={styles.none}>{t('assessment:sheet.none')}</span>}
      </div>
      <p className={styles.note}>{ownAbout(type.id) ?? t(`outcomes:about.${type.id}` as 'outcomes:about.notes')}</p>
      <p className={styles.note}>
        {evidence.length === 0
          ? t('assessment:sheet.noPassage')
          : graded > 0 && set === null
            ? t('assessment:sheet.from', { count: graded })
            : t('assessment:sheet.passages', { count: evidence.length })}
      </p>
      {gradable && <GradeField row={row} name={name} may={may} onGive={give} />}
      {gradable && <Explained type={type} name={name} given={grade} />}
      {evidence.length > 0 && (
        <ul className={styles.passages}>
          {evidence.map(({ outcome, place }) => (
            <OutcomeCard
              key={outcome.id}
              outcome={outcome}
              place={place}
              asking={asking}
              waiting={view?.waiting.has(outcome.id) ?? false}
              open={chosen?.kind === 'outcome' && chosen.id === outcome.id}
            />
          ))}
        </ul>
      )}
      {may && !type.readOnly && <AddPassage type={type.id} name={name} />}
    </li>
  );
}

function AddPassage({ type, name }: { type: string; name: string }) {
  const { t } = useTranslation(['assessment', 'annotations']);
  const { words, player, live } = useMeeting();
  const open = useOpenText();
  const notify = useNotify();
  const add = useAddOutcome();
  const press = () => {
    const passage = open && passageToAnnotate(open, words, player, live.generation);
    if (passage) add(type, passage, false);
    else notify({ type: 'info', message: t('annotations:selectFirst') });
  };
  return (
    <div className={styles.add}>
      <Button
        look="quiet"
        aria-label={t('assessment:sheet.addTo', { name })}
        icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}
        // Keeps the selection that is meant.
        onMouseDown={(event) => event.preventDefault()}
        onClick={press}
      >
        {t('assessment:sheet.add')}
      </Button>
    </div>
  );
}
