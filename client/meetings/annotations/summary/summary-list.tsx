import { IconDots, IconEye, IconGripVertical, IconTextScan2, IconTrash } from '@tabler/icons-react';
import {
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import * as Y from 'yjs';

import { newId } from '#shared/ids.ts';
import { saidIn } from '#shared/meetings/anchors.ts';
import { privateRoot } from '#shared/meetings/annotations.ts';
import { passageOfPoint } from '#shared/meetings/guesses.ts';
import {
  addSummary,
  lastOrder,
  mostSummary,
  moveSummary,
  putBackSummary,
  readSummary,
  removeSummary,
  type SummaryItem,
} from '#shared/meetings/summary.ts';
import type { Visibility } from '#shared/meetings/visibility.ts';

import { useNotify } from '../../../store.ts';
import { Dropdown, DropdownButton } from '../../../ui/dropdown.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { isOpen } from '../../live/room.ts';
import { InPanes } from '../../base/in-panes.ts';
import { useShared } from '../../base/use-shared.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useShowPlace } from '../../open/use-show-place.ts';
import styles from './summary-pane.module.css';
import { SummaryText } from './summary-text.tsx';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;

export const useSummary = (doc: Y.Doc, visibility: Visibility): SummaryItem[] =>
  useShared(doc.getMap(visibility === 'private' ? privateRoot : 'summary'), () => readSummary(doc, visibility));

/** First words of a point, as its name for screen readers. */
const shortened = (text: string): string => {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 60).trimEnd()}…` : line;
};

/** Leads to the words that a point is most likely about. */
function useToWords(): (text: string) => void {
  const { t } = useTranslation('summary');
  const { words } = useMeeting();
  const notify = useNotify();
  const showPlace = useShowPlace();
  return (text) => {
    const reading = words.reading();
    const found = passageOfPoint(reading, text);
    if (!found) return notify({ type: 'info', message: t('noWords') });
    const { quote, start } = saidIn(reading, found.from, found.to);
    showPlace(start * 1000, () => found.from);
    notify({ type: 'info', message: t('likelyWords', { quote }) });
  };
}

interface SummaryListProps {
  doc: Y.Doc;
  visibility: Visibility;
  editable: boolean;
  /** Id of the point that gets the caret. */
  begun: string | null;
  onBegun: (id: string | null) => void;
  /** Points begun on this page: left empty, they are deleted. */
  mine: Set<string>;
  /** Begins another point after the last one; null to do nothing. */
  onNext: (() => void) | null;
  /** Publishes a point; null without permission. */
  onReveal: ((id: string) => void) | null;
}

/** Points edited in place, and reordered by their handle: by dragging or with the arrow keys. */
export function SummaryList({ doc, visibility, editable, begun, onBegun, mine, onNext, onReveal }: SummaryListProps) {
  const { t } = useTranslation(['summary', 'annotations']);
  const points = useSummary(doc, visibility);
  const { Point } = useContext(InPanes);
  const notify = useNotify();
  const toWords = useToWords();
  const list = useRef<HTMLOListElement>(null);
  const hint = useId();
  const [origin] = useState(() => ({}));
  const undo = useRef<Y.UndoManager | null>(null);
  const [drag, setDrag] = useState<{ id: string; to: number } | null>(null);
  const [moved, setMoved] = useState<{ id: string; place: number } | null>(null);
  useEffect(() => {
    const made = new Y.UndoManager(doc.getMap(visibility === 'private' ? privateRoot : 'summary'), {
      trackedOrigins: new Set([origin]),
    });
    undo.current = made;
    return () => made.destroy();
  }, [doc, visibility, origin]);
  const row = (id: string) => list.current?.querySelector<HTMLElement>(`[data-point="${CSS.escape(id)}"]`);
  // The browser drops the focus when the row moves in the DOM.
  useLayoutEffect(() => {
    if (moved) row(moved.id)?.querySelector<HTMLElement>('[data-handle]')?.focus();
  }, [moved]);
  const isListed = points.some(({ id }) => id === begun);
  useLayoutEffect(() => {
    if (begun === null || !isListed) return;
    row(begun)?.querySelector('textarea')?.focus();
    onBegun(null);
  }, [begun, isListed, onBegun]);

  /** Makes the change an undo step of its own. */
  const step = (write: () => void) => {
    undo.current?.stopCapturing();
    write();
    undo.current?.stopCapturing();
  };
  const move = (id: string, to: number) => {
    let done = false;
    step(() => (done = moveSummary(doc, visibility, id, to, origin)));
    if (done) setMoved({ id, place: to + 1 });
  };
  const remove = (point: SummaryItem) => {
    step(() => removeSummary(doc, visibility, point.id, origin));
    // Undo may have restored the point meanwhile, and others may have edited it.
    const back = () => {
      if (isOpen(doc)) step(() => putBackSummary(doc, visibility, point, origin));
      else notify({ message: t('annotations:tooLateHere') });
    };
    notify({ type: 'info', message: [t('deleted'), ' ', { kind: 'clickable', text: t('undo'), onClick: back }] });
  };
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>, place: number) => {
    const command = event.ctrlKey || event.metaKey;
    if (!command || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === 'z' && !event.shiftKey) undo.current?.undo();
    else if (key === 'y' || (key === 'z' && event.shiftKey)) undo.current?.redo();
    else if (key === 'enter' && onNext) onNext();
    else if (key === 'enter' && points.length < mostSummary) {
      const id = newId();
      mine.add(id);
      step(() => {
        addSummary(doc, visibility, { id, order: lastOrder(doc, visibility), text: '' }, origin);
        moveSummary(doc, visibility, id, place + 1, origin);
      });
      onBegun(id);
    } else return;
    event.preventDefault();
  };
  const arrows = (event: KeyboardEvent, { id }: SummaryItem, place: number) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (event.key === 'Escape' && drag) setDrag(null);
    else if (by !== 0 && !event.altKey && !event.ctrlKey && !event.metaKey) move(id, place + by);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** Number of other points above the pointer. */
  const over = (id: string, y: number): number =>
    [...(list.current?.querySelectorAll<HTMLElement>('[data-point]') ?? [])]
      .filter((one) => one.dataset['point'] !== id)
      .filter((one) => one.getBoundingClientRect().top + one.offsetHeight / 2 < y).length;
  const dragged = (event: PointerEvent<HTMLButtonElement>, id: string) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) setDrag({ id, to: over(id, event.clientY) });
  };
  const rest = points.filter(({ id }) => id !== drag?.id);
  const dropAt = (id: string): string | undefined => {
    if (!drag || points.findIndex((one) => one.id === drag.id) === drag.to) return undefined;
    if (rest[drag.to]?.id === id) return 'before';
    return drag.to === rest.length && rest.at(-1)?.id === id ? 'after' : undefined;
  };
  const title = t(visibility === 'private' ? 'own' : 'title');
  if (!editable)
    return (
      <ol className={styles.list} aria-label={title}>
        {points.map(({ id, text }) => (
          <li key={id} className={styles.read}>
            {text}
            <IconButton
              label={t('toWords', { name: shortened(text) })}
              icon={<IconTextScan2 {...icon} />}
              onClick={() => toWords(text)}
            />
            {Point && <Point id={id} />}
          </li>
        ))}
      </ol>
    );
  return (
    <>
      <ol ref={list} className={styles.list} aria-label={title}>
        {points.map((point, place) => {
          const { id, text } = point;
          const name = shortened(text) || t('point', { number: place + 1 });
          return (
            <li
              key={id}
              className={styles.point}
              data-point={id}
              data-dragged={drag?.id === id || undefined}
              data-drop={dropAt(id)}
            >
              <span className={styles.handle}>
                <IconButton
                  label={t('move', { name })}
                  icon={<IconGripVertical {...icon} />}
                  data-handle=""
                  aria-describedby={hint}
                  onKeyDown={(event) => arrows(event, point, place)}
                  onPointerDown={(event) => {
                    if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
                  }}
                  onPointerMove={(event) => dragged(event, id)}
                  onPointerUp={() => {
                    if (drag) move(drag.id, drag.to);
                    setDrag(null);
                  }}
                  onPointerCancel={() => setDrag(null)}
                />
              </span>
              <SummaryText
                doc={doc}
                visibility={visibility}
                id={id}
                text={text}
                label={t('point', { number: place + 1 })}
                describedBy={hint}
                origin={origin}
                onKeyDown={(event) => keys(event, place)}
                onLeave={(left) => {
                  // Typing in the next point is an undo step of its own.
                  undo.current?.stopCapturing();
                  // Deletes an empty point begun here; one begun by another person may be about to get words.
                  if (left.trim() === '' && mine.has(id)) step(() => removeSummary(doc, visibility, id, origin));
                }}
              />
              <Dropdown label={t('more', { name })} face={<IconDots {...icon} />}>
                <DropdownButton icon={<IconTextScan2 {...icon} />} onPress={() => toWords(text)}>
                  {t('itsWords')}
                </DropdownButton>
                {onReveal && (
                  <DropdownButton icon={<IconEye {...icon} />} onPress={() => onReveal(id)}>
                    {t('reveal')}
                  </DropdownButton>
                )}
                <DropdownButton icon={<IconTrash {...icon} />} onPress={() => remove(point)}>
                  {t('delete')}
                </DropdownButton>
              </Dropdown>
              {Point && <Point id={id} />}
            </li>
          );
        })}
      </ol>
      <p id={hint} className={styles.aloud}>
        {t('hint')}
      </p>
      <p className={styles.aloud} role="status">
        {moved && t('moved', { place: moved.place, number: points.length })}
      </p>
    </>
  );
}
