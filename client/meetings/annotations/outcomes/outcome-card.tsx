import {
  IconClock,
  IconDots,
  IconEye,
  IconLink,
  IconLock,
  IconMinus,
  IconArrowsHorizontal,
  IconPencil,
  IconRobot,
  IconTrash,
  IconCheck,
} from '@tabler/icons-react';
import { useAtom, useAtomValue, useSetAtom } from 'jotai';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState, type ReactNode } from 'react';

import type { Anchored, Place } from '#shared/meetings/anchors.ts';
import type { OutcomeChange } from '#shared/meetings/annotation-inputs.ts';
import { mayChange, mayDelete, mayReveal, type Asking } from '#shared/meetings/annotation-rules.ts';
import type { ChildGrade, Outcome } from '#shared/meetings/annotations.ts';
import { isGradeOf, negative, nextMark, typeOf, type OutcomeType } from '#shared/meetings/outcome-types.ts';
import { ownGradeName, ownName } from '#shared/meetings/own-types.ts';
import { isAfterOpening } from '#shared/reviews/after-opening.ts';

import { useKnownSets } from '../../../outcome-models/known-sets.ts';
import { loadWhenPossible } from '../../../load.ts';
import { useNotify } from '../../../store.ts';
import { RelativeDate } from '../../../ui/dates.tsx';
import { Dropdown, DropdownButton } from '../../../ui/dropdown.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { Hint } from '../../../ui/hint.tsx';
import { useTranslation } from '../../../use-translation.ts';
import type { MeetingAnnotations } from '../base/meeting-annotations.ts';
import { chosenAtom, annotationsAtom } from '../base/open-annotations.ts';
import { Guesses } from '../base/guesses.tsx';
import { MovePassage } from '../base/move-passage.tsx';
import { Quote } from '../base/quote.tsx';
import { useAuthorName } from '../base/use-author-name.ts';
import { useCopyLink } from '../base/use-copy-link.ts';
import { useDelete } from '../base/use-delete.ts';
import { useGoToAnnotation } from '../base/use-go-to-annotation.ts';
import { useMove } from '../base/use-move.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { SavedVoiceNote } from '../voice-notes/saved-voice-note.tsx';
import styles from './outcomes-pane.module.css';
import { focusedCardAtom } from './state.ts';
import { TypeMark } from './type-mark.tsx';
import { TypePicker } from './type-picker.tsx';
import { useTypes } from './use-model.ts';
import { useTypeName } from './use-type-name.ts';
import { useUses } from './use-uses.ts';

const OthersHere = lazy(() => loadWhenPossible(() => import('./others-here.tsx')));

interface OutcomeCardProps {
  outcome: Outcome;
  place: Place | undefined;
  asking: Asking;
  waiting: boolean;
  open: boolean;
  /** Level with its passage, so that nothing has to scroll. */
  level?: boolean;
}

const icon = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;
const longest = 2000;
/** Time in milliseconds after the last keystroke until the note is sent. */
const pause = 1_500;

/** Card of an outcome; the open one can be changed by keyboard. */
export function OutcomeCard({ outcome, place, asking, waiting, open, level = false }: OutcomeCardProps) {
  const { t } = useTranslation(['outcomes', 'annotations']);
  const items = useAtomValue(annotationsAtom);
  const types = useTypes();
  const notify = useNotify();
  const [picking, setPicking] = useState(false);
  const [moving, setMoving] = useState(false);
  const textShown = useOpenText() !== null;
  const { layer } = useMeeting();
  const openedAt = layer?.openedAt ?? null;
  const card = useRef<HTMLLIElement>(null);
  const [focused, focus] = useAtom(focusedCardAtom);
  const choose = useSetAtom(chosenAtom);
  const goTo = useGoToAnnotation();
  const copyLink = useCopyLink();
  const nameOf = useTypeName();
  const authorName = useAuthorName();
  const used = useUses();
  const takeAway = useDelete();
  const moveTo = useMove();
  const wanted = focused === outcome.id;
  useEffect(() => {
    if (open && !level) card.current?.scrollIntoView({ block: 'nearest' });
  }, [open, level]);
  useEffect(() => {
    if (!wanted) return;
    card.current?.focus({ preventScroll: level });
    focus(null);
  }, [wanted, focus, level]);
  const heard = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    const typing = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    const grades = typeOf(outcome.type);
    if (!open || typing || !grades || grades.grades.length === 0 || !mayChange(asking, 'outcome', outcome)) return;
    if (event.altKey || event.ctrlKey || event.metaKey || !/^[0-9-]$/.test(key)) return;
    event.preventDefault();
    const next = key === '0' ? null : key === '-' ? negative : Number(key);
    if (isGradeOf(grades, next) && next !== outcome.grade)
      items?.do('outcome', outcome.id, { do: 'change', change: { grade: next } });
  });
  useEffect(() => {
    const element = card.current;
    const listener = (event: KeyboardEvent) => heard(event);
    element?.addEventListener('keydown', listener);
    return () => element?.removeEventListener('keydown', listener);
  }, [items]);
  if (!items) return null;
  const { id, type, grade, children, author } = outcome;
  const known = typeOf(type);
  const label = nameOf(type);
  const may = mayChange(asking, 'outcome', outcome);
  const mayRetype = may && known?.readOnly !== true;
  const change = (next: OutcomeChange) => items.do('outcome', id, { do: 'change', change: next });

  const retype = (next: string) => {
    setPicking(false);
    card.current?.focus();
    if (next === type) return;
    change({ type: next });
    // The notice, and so its undo, may outlast a recording that is closed.
    const back = () => {
      if (!change({ type, children, grade })) notify({ message: t('annotations:tooLateHere') });
    };
    const message = children.length > 0 || grade !== null ? 'retypedCleared' : 'retyped';
    notify({
      type: 'info',
      message: [
        t(message, { type: nameOf(next) }),
        ' ',
        { kind: 'clickable', text: t('annotations:undo'), onClick: back },
      ],
    });
  };
  const move = (passage: Anchored) => {
    setMoving(false);
    card.current?.focus();
    moveTo('outcome', outcome, passage);
  };
  const mark = (child: string) => {
    const now = children.find((one) => one.type === child) ?? null;
    const next = nextMark(now);
    // Changes this child alone: others may be editing its siblings.
    change({ mark: { type: child, grade: next?.grade ?? null, on: next !== null } });
  };
  const remove = () => {
    const warning = outcome.private ? null : used(id);
    if (warning) return notify({ message: warning, duration: 15_000 });
    takeAway('outcome', id, t('deleted'));
  };
  const actions: {
    name: 'retype' | 'move' | 'reveal' | 'copyLink' | 'delete';
    icon: ReactNode;
    may: boolean;
    press: () => void;
  }[] = [
    {
      name: 'retype',
      icon: <IconPencil {...icon} />,
      may: mayRetype,
      press: () => {
        choose({ kind: 'outcome', id });
        setMoving(false);
        setPicking(true);
      },
    },
    {
      name: 'move',
      icon: <IconArrowsHorizontal {...icon} />,
      may: mayRetype && textShown,
      press: () => {
        choose({ kind: 'outcome', id });
        setPicking(false);
        setMoving(true);
      },
    },
    {
      name: 'reveal',
      icon: <IconEye {...icon} />,
      may: mayReveal(asking, outcome),
      press: () => items.do('outcome', id, { do: 'reveal' }),
    },
    {
      name: 'copyLink',
      icon: <IconLink {...icon} />,
      may: !outcome.private,
      press: () => copyLink('outcome', id),
    },
    { name: 'delete', icon: <IconTrash {...icon} />, may: mayDelete(asking, 'outcome', outcome), press: remove },
  ];
  const offered = actions.filter((one) => one.may);
  return (
    <li
      ref={card}
      tabIndex={-1}
      className={styles.card}
      data-outcome={id}
      data-chosen={open || undefined}
      aria-label={t('card', { type: label, quote: outcome.quote })}
    >
      <div className={styles.head}>
        <button
          type="button"
          className={styles.name}
          aria-expanded={open}
          onClick={() => choose(open ? null : { kind: 'outcome', id })}
        >
          <span className={styles.typed}>
            <TypeMark type={type} />
            <span className={styles.typeName}>{label}</span>
          </span>
          {grade !== null && <GradeSign type={type} grade={grade} />}
        </button>
        {outcome.automatic && <Sign label={t('automatic')} face={<IconRobot {...icon} />} />}
        {outcome.private && <Sign label={t('annotations:private')} face={<IconLock {...icon} />} />}
        {waiting && <Sign label={t('annotations:waiting')} face={<IconClock {...icon} />} />}
        {offered.length > 0 && (
          <Dropdown label={t('more', { type: label })} face={<IconDots {...icon} />}>
            {offered.map(({ name, icon: face, press }) => (
              <DropdownButton key={name} icon={face} onPress={press}>
                {t(`actions.${name}`)}
              </DropdownButton>
            ))}
          </Dropdown>
        )}
      </div>
      <Quote item={outcome} place={place} onGo={() => goTo('outcome', outcome)} />
      {mayRetype && !moving && (
        <Guesses
          kind="outcome"
          item={outcome}
          place={place}
          open={open}
          onOpen={() => choose({ kind: 'outcome', id })}
          onGuess={move}
        />
      )}
      <SavedVoiceNote item={outcome} />
      {!open && outcome.text !== '' && <p className={styles.text}>{outcome.text}</p>}
      {open && moving && mayRetype && (
        <MovePassage
          kind="outcome"
          place={place}
          onMove={move}
          onCancel={() => {
            setMoving(false);
            card.current?.focus();
          }}
        />
      )}
      {open && picking && mayRetype && (
        <>
          {(children.length > 0 || grade !== null) && <p className={styles.note}>{t('retypeWarns')}</p>}
          <TypePicker types={types} onPick={retype} onCancel={() => setPicking(false)} />
        </>
      )}
      {open && known && (known.grades.length > 0 || grade !== null) && (
        <div role="group" aria-label={t('grade')} className={styles.grades}>
          {gradesFor(known, grade).map((value) => (
            <button
              key={value}
              type="button"
              className={styles.grade}
              aria-pressed={grade === value}
              disabled={!may}
              onClick={() => change({ grade: grade === value ? null : value })}
            >
              {value === negative && <IconMinus {...icon} />}
              {gradeText(t, type, value)}
            </button>
          ))}
        </div>
      )}
      {open && known && known.children.length > 0 && (
        <ul className={styles.children} aria-label={t('children')}>
          {known.children.map((child) => (
            <li key={child}>
              <Child
                label={ownName(child) ?? t(`types.${child}` as 'types.notes')}
                now={children.find((one) => one.type === child) ?? null}
                disabled={!may}
                onPress={() => mark(child)}
              />
            </li>
          ))}
        </ul>
      )}
      {open &&
        (may ? (
          <div className={styles.inner}>
            <Note items={items} id={id} text={outcome.text} />
          </div>
        ) : (
          outcome.text !== '' && <p className={styles.text}>{outcome.text}</p>
        ))}
      {open && layer !== null && author.id === (asking.reviewerId ?? asking.userId) && (
        <Suspense>
          <OthersHere range={place} />
        </Suspense>
      )}
      {isAfterOpening(outcome, openedAt) && <p className={styles.note}>{t('annotations:afterOpening')}</p>}
      {open && (
        <p className={styles.note}>
          {authorName(author)} · <RelativeDate at={new Date(outcome.createdAt)} />
        </p>
      )}
    </li>
  );
}

/** Grades to choose from; a given one that is no longer offered stays among them, so that it can be taken back. */
export const gradesFor = (type: OutcomeType, given: number | null): number[] => [
  ...type.grades.map(({ value }) => value),
  ...(given === null || isGradeOf(type, given) ? [] : [given]),
  negative,
];

type Says = (key: 'outcomes:grades.negative') => string;

/** Name of a grade; those of an own set have names of their own. */
export function gradeText(t: Says, type: string, value: number): string {
  const own = ownGradeName(type, value);
  if (own !== null) return own;
  const label = value === negative ? 'negative' : `shown${value}`;
  return t(`outcomes:grades.${label}` as 'outcomes:grades.negative');
}

export function GradeSign({ type, grade }: { type: string; grade: number }) {
  useKnownSets();
  const { t } = useTranslation(['outcomes', 'annotations']);
  return (
    <span className={styles.sign} role="img" aria-label={gradeText(t, type, grade)}>
      {grade === negative && <IconMinus {...icon} size={14} />}
      <span className={styles.gradeName}>{gradeText(t, type, grade)}</span>
    </span>
  );
}

function Sign({ label, face }: { label: string; face: ReactNode }) {
  return (
    <Hint text={label}>
      <span className={styles.state} tabIndex={0} role="img" aria-label={label}>
        {face}
      </span>
    </Hint>
  );
}

interface ChildProps {
  label: string;
  now: ChildGrade | null;
  disabled: boolean;
  onPress: () => void;
}

/** Three states: off, marked, marked as missing. */
function Child({ label, now, disabled, onPress }: ChildProps) {
  const { t } = useTranslation('outcomes');
  const state = now === null ? 'off' : now.grade === negative ? 'missing' : 'marked';
  return (
    <button
      type="button"
      className={styles.child}
      data-state={state}
      disabled={disabled}
      aria-label={t(`marks.${state}`, { name: label })}
      onClick={onPress}
    >
      <span className={styles.box} aria-hidden="true">
        {state === 'marked' && <IconCheck {...icon} size={14} />}
        {state === 'missing' && <IconMinus {...icon} size={14} />}
      </span>
      {label}
    </button>
  );
}

/**
 * Field of the note: shown as typed from the first letter, sent in pauses, and not overwritten by changes of others.
 */
function Note({ items, id, text }: { items: MeetingAnnotations; id: string; text: string }) {
  const { t } = useTranslation('outcomes');
  const [typed, setTyped] = useState<string | null>(null);
  /** Text of the field when the current change began. */
  const textBefore = useRef<string | null>(null);
  const typing = useMemo(() => items.typing(id), [items, id]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const rest = () => {
    clearTimeout(timer.current);
    typing.rest();
    textBefore.current = null;
  };
  const restLast = useEffectEvent(rest);
  useEffect(() => () => restLast(), [typing]);
  return (
    <TextArea
      label={t('note')}
      rows={2}
      maxLength={longest}
      value={typed ?? text}
      onChange={(next) => {
        textBefore.current ??= (typed ?? text).trim();
        setTyped(next);
        typing.write(next.trim(), textBefore.current);
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
