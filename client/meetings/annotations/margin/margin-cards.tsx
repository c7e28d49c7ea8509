import { IconLock, IconMessage } from '@tabler/icons-react';
import { useAtom, useSetAtom } from 'jotai';
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';

import type { Outcome } from '#shared/meetings/annotations.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';

import { Avatar } from '../../../ui/avatar.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useEscape } from '../../base/actions.ts';
import { usePeople } from '../../live/use-people.ts';
import { chosenAtom, useAnnotationRoom, useAnnotations, usePlaces } from '../base/open-annotations.ts';
import type { Chosen } from '../base/places.ts';
import { threadsOf, threadWith, type Thread } from '../base/threads.ts';
import { useAsking } from '../base/use-asking.ts';
import { useAuthorName } from '../base/use-author-name.ts';
import { ThreadCard } from '../comments/thread-card.tsx';
import { useWritten } from '../comments/use-written.ts';
import { GradeSign, OutcomeCard } from '../outcomes/outcome-card.tsx';
import { focusedCardAtom } from '../outcomes/state.ts';
import { TypeMark } from '../outcomes/type-mark.tsx';
import { useTypeName } from '../outcomes/use-type-name.ts';
import { arrange } from './arrange.ts';
import styles from './margin-cards.module.css';
import { useTops } from './use-tops.ts';

const gap = 6;
/** Height of an open card until it is measured. */
const guess = 200;
/** Letters that fit into a line of a closed card; wide letters count twice. */
const lineLength = 36;
const wide = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/gu;

type Card = { key: string; at: number; text: string } & (
  | { kind: 'comment'; thread: Thread }
  | { kind: 'outcome'; outcome: Outcome }
);

/** Comments and outcomes near the window, level with their words; the chosen one is open. */
export default function MarginCards() {
  const { t } = useTranslation('annotations');
  const host = useRef<HTMLElement>(null);
  const [chosen, choose] = useAtom(chosenAtom);
  const focusCard = useSetAtom(focusedCardAtom);
  const isWritten = useWritten();
  const cards = useCards(useTops(host));
  const [measured, setMeasured] = useState<ReadonlyMap<string, number>>(new Map());
  const [sizes] = useState(sizesNow);
  const isChosen = (card: Card) =>
    chosen?.kind === card.kind &&
    (card.kind === 'comment' ? threadWith([card.thread], chosen.id) !== undefined : card.outcome.id === chosen.id);
  const at = cards.findIndex(isChosen);
  const isOpen = (card: Card) => isChosen(card) || (card.kind === 'comment' && isWritten(card.thread));
  const arranged = arrange(
    cards.map((card) => ({
      at: card.at,
      heights: isOpen(card) ? [measured.get(card.key) ?? guess] : heightsOf(card.text, sizes),
    })),
    at,
    gap,
  );
  const pressed = useRef<string | null>(null);
  /** Card that had the focus as it was closed. */
  const closedWithFocus = useRef<string | null>(null);
  const slotOf = (key: string) => host.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(key)}"]`);
  const close = () => {
    const key = cards[at]?.key ?? '';
    const had = slotOf(key)?.contains(document.activeElement);
    if (had) closedWithFocus.current = key;
    choose(null);
  };
  useEscape(at !== -1, close);
  const openKey = cards[at]?.key;
  useEffect(() => {
    if (openKey === undefined && closedWithFocus.current !== null) {
      const slot = host.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(closedWithFocus.current)}"]`);
      slot?.querySelector('button')?.focus({ preventScroll: true });
    }
    closedWithFocus.current = null;
    if (openKey === undefined || pressed.current !== openKey) return;
    pressed.current = null;
    // An outcome takes the focus by itself.
    const slot = host.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(openKey)}"]`);
    if (!slot?.contains(document.activeElement)) slot?.focus({ preventScroll: true });
  }, [openKey]);
  const open = (chosenCard: Chosen, key: string) => {
    pressed.current = key;
    if (chosenCard.kind === 'outcome') focusCard(chosenCard.id);
    choose(chosenCard);
  };
  const measure = (key: string, height: number) =>
    setMeasured((before) => (before.get(key) === height ? before : new Map(before).set(key, height)));
  return (
    <section ref={host} className={styles.margin} aria-label={t('beside')}>
      {cards.map((card, i) => {
        const { top, height } = arranged[i] ?? { top: card.at, height: 0 };
        const before = arranged[i - 1];
        const { key } = card;
        const shows = isOpen(card);
        const lines = Math.floor((height - sizes.row) / sizes.line);
        return (
          <div
            key={key}
            data-card={key}
            tabIndex={-1}
            className={styles.slot}
            data-open={shows || undefined}
            style={{
              marginBlockStart: `${before ? top - before.top - before.height : top}px`,
              blockSize: `${height}px`,
            }}
          >
            {shows ? (
              <Measured onHeight={(now) => measure(key, now)}>
                <OpenCard card={card} chosen={isChosen(card)} />
              </Measured>
            ) : card.kind === 'comment' ? (
              <ClosedThread thread={card.thread} text={card.text} lines={lines} onOpen={(one) => open(one, key)} />
            ) : (
              <ClosedOutcome outcome={card.outcome} lines={lines} onOpen={(one) => open(one, key)} />
            )}
          </div>
        );
      })}
    </section>
  );
}

/** Cards whose passages are near the window, in the order of the passages. */
function useCards(tops: ReadonlyMap<string, number>): readonly Card[] {
  const view = useAnnotations();
  const comments = view?.comment;
  const threads = useMemo(
    () => new Map(comments && threadsOf(comments).map((thread) => [thread.root.id, thread])),
    [comments],
  );
  return useMemo(() => {
    if (!view || tops.size === 0) return [];
    const cards = [...tops].flatMap(([key, at]): Card[] => {
      const [kind, id = ''] = key.split(' ');
      if (kind === 'comment') {
        const thread = threads.get(id);
        return thread ? [{ key, at, kind, thread, text: plainOf(thread.root.text).trim() }] : [];
      }
      const outcome = view.outcome.get(id);
      return outcome ? [{ key, at, kind: 'outcome', outcome, text: outcome.text }] : [];
    });
    return cards.sort((one, other) => one.at - other.at || (one.key < other.key ? -1 : 1));
  }, [view, threads, tops]);
}

interface Sizes {
  row: number;
  line: number;
}

/** Heights of a closed card's parts in pixels, at the browser's text size. */
function sizesNow(): Sizes {
  const root = getComputedStyle(document.documentElement);
  const rem = Number.parseFloat(root.fontSize);
  return { row: Number.parseFloat(root.getPropertyValue('--target')) * rem, line: 1.125 * rem };
}

function heightsOf(text: string, { row, line }: Sizes): number[] {
  if (text === '') return [row];
  const length = text.length + (text.match(wide)?.length ?? 0);
  const lines = Math.min(3, Math.ceil(length / lineLength));
  return [row, ...Array.from({ length: lines }, (_, i) => Math.round(row + (i + 1) * line + line / 2))];
}

/** Tells its height before it is painted, and each time it changes. */
function Measured({ onHeight, children }: { onHeight: (height: number) => void; children: ReactNode }) {
  const box = useRef<HTMLUListElement>(null);
  const told = useRef(onHeight);
  useLayoutEffect(() => {
    told.current = onHeight;
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const tell = () => told.current(element.offsetHeight);
    tell();
    const size = new ResizeObserver(tell);
    size.observe(element);
    return () => size.disconnect();
  }, []);
  return (
    <ul ref={box} className={styles.one}>
      {children}
    </ul>
  );
}

/** The card of the pane. */
function OpenCard({ card, chosen }: { card: Card; chosen: boolean }) {
  const asking = useAsking();
  const view = useAnnotations();
  const place = usePlaces().get(card.key);
  const people = usePeople(useAnnotationRoom('comment')?.awareness);
  const waiting = view?.waiting ?? new Set<string>();
  if (card.kind === 'outcome') {
    const { outcome } = card;
    return (
      <OutcomeCard
        outcome={outcome}
        place={place}
        asking={asking}
        waiting={waiting.has(outcome.id)}
        open={chosen}
        level
      />
    );
  }
  const { thread } = card;
  return (
    <ThreadCard
      thread={thread}
      place={place}
      asking={asking}
      waiting={waiting}
      chosen={chosen}
      writing={people.filter(({ typing, pane }) => typing && pane === `comments:${thread.root.id}`)}
      level
    />
  );
}

/** Text below the row of a card's name. */
const Lines = ({ text, lines }: { text: string; lines: number }) => (
  <span className={styles.text} style={{ WebkitLineClamp: lines }}>
    {text}
  </span>
);

interface ClosedThreadProps {
  thread: Thread;
  text: string;
  /** Lines of text below the row of its name; 0: the text is in this row. */
  lines: number;
  onOpen: (chosen: Chosen) => void;
}

const ClosedThread = memo(
  function ClosedThread({ thread: { root, answers }, text, lines, onOpen }: ClosedThreadProps) {
    const { t } = useTranslation('annotations');
    const name = useAuthorName()(root.author);
    return (
      <button
        type="button"
        className={styles.closed}
        aria-expanded={false}
        onClick={() => onOpen({ kind: 'comment', id: root.id })}
      >
        <span className={styles.head}>
          <Avatar name={name} id={root.author.id} size={24} />
          <span className={styles.name}>{name}</span>
          {root.private && <Lock />}
          {answers.length > 0 && (
            <span className={styles.replies} role="img" aria-label={t('replies', { count: answers.length })}>
              <IconMessage size={14} stroke={1.5} aria-hidden="true" />
              {answers.length}
            </span>
          )}
          {lines === 0 && <span className={styles.lead}>{text}</span>}
        </span>
        {lines > 0 && <Lines text={text} lines={lines} />}
      </button>
    );
  },
  (one, other) => one.thread === other.thread && one.text === other.text && one.lines === other.lines,
);

interface ClosedOutcomeProps {
  outcome: Outcome;
  lines: number;
  onOpen: (chosen: Chosen) => void;
}

const ClosedOutcome = memo(
  function ClosedOutcome({ outcome, lines, onOpen }: ClosedOutcomeProps) {
    const nameOf = useTypeName();
    return (
      <button
        type="button"
        className={styles.closed}
        data-graded={outcome.grade !== null || undefined}
        aria-expanded={false}
        onClick={() => onOpen({ kind: 'outcome', id: outcome.id })}
      >
        <span className={styles.head}>
          <TypeMark type={outcome.type} />
          <span className={styles.name}>{nameOf(outcome.type)}</span>
          {outcome.grade !== null && <GradeSign type={outcome.type} grade={outcome.grade} />}
          {outcome.private && <Lock />}
          {lines === 0 && outcome.text !== '' && <span className={styles.lead}>{outcome.text}</span>}
        </span>
        {lines > 0 && <Lines text={outcome.text} lines={lines} />}
      </button>
    );
  },
  (one, other) => one.outcome === other.outcome && one.lines === other.lines,
);

function Lock() {
  const { t } = useTranslation('annotations');
  return (
    <span className={styles.lock} role="img" aria-label={t('private')}>
      <IconLock size={14} stroke={1.5} aria-hidden="true" />
    </span>
  );
}
