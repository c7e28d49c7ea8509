import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';

import { anchorAt, saidIn, type Place } from '#shared/meetings/anchors.ts';
import { mayChange } from '#shared/meetings/annotation-rules.ts';
import type { Outcome } from '#shared/meetings/annotations.ts';
import { typeOf } from '#shared/meetings/outcome-types.ts';

import { useAction, useEscape } from '../../base/actions.ts';
import { undoKeyOf } from '../../base/undo-key.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText, type OpenText } from '../../open/open-text.ts';
import { carry } from '../../text/carry.ts';
import { fromFlat, toFlat } from '../../text/flat.ts';
import { boxAt, drawnText, reveal } from '../../text/paint.ts';
import { elementOf } from '../../text/place.ts';
import { scrollerOf } from '../../../ui/scroller.ts';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';
import { chosenAtom, placesAtom, useAnnotations, usePlaces } from '../base/open-annotations.ts';
import { keyOf, type AnnotationPlaces } from '../base/places.ts';
import { useMove } from '../base/use-move.ts';
import { useAsking } from '../base/use-asking.ts';
import { endAt, isSameRange, moved, segmentAt, stepped, type Range, type Side } from './range.ts';
import styles from './range-handles.module.css';
import { focusedCardAtom } from './state.ts';

const sides = ['start', 'end'] as const;
/** Pixels that a pointer moves before it drags. */
const slack = 3;
/** Distance in pixels from the edge of the text at which a drag scrolls it, and how far each frame. */
const belt = 40;
const scrollStep = 8;
/** Milliseconds after the last key until the range is saved. */
const pause = 700;

/** Handles at both ends of the chosen outcome, for everyone who may change it. */
export default function RangeHandles() {
  const open = useOpenText();
  const chosen = useAtomValue(chosenAtom);
  const places = useAtomValue(placesAtom);
  const view = useAnnotations();
  const asking = useAsking();
  const outcome = chosen?.kind === 'outcome' ? view?.outcome.get(chosen.id) : undefined;
  const place = usePlaces().get(outcome ? keyOf({ kind: 'outcome', id: outcome.id }) : '');
  if (!open || !places || !outcome || !place || place.by === 'time') return null;
  if (!mayChange(asking, 'outcome', outcome) || typeOf(outcome.type)?.readOnly === true) return null;
  return <Handles key={outcome.id} open={open} places={places} outcome={outcome} place={place} />;
}

interface HandlesProps {
  open: OpenText;
  places: AnnotationPlaces;
  outcome: Outcome;
  place: Place;
}

/** Range that is being moved. After it was saved it stays until the outcome has it, so that no handle jumps back. */
interface Draft {
  range: Range;
  savedOver: Place | null;
}

function Handles({ open, places, outcome, place }: HandlesProps) {
  const { t } = useTranslation('outcomes');
  const { words, live } = useMeeting();
  const { editor, view, binding } = open;
  const host = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [focused, setFocused] = useState(false);
  const focusCard = useSetAtom(focusedCardAtom);
  const move = useMove();
  const undo = useRef<(() => void)[]>([]);
  const drag = useRef<AbortController | null>(null);
  /** Range of the draft, also before it is rendered: a pointer is let go right after its last move. */
  const latest = useRef<Range | null>(null);
  const over = draft !== null && draft.savedOver !== null && draft.savedOver !== place;
  if (over) setDraft(null);
  const range: Range = draft && !over ? draft.range : place;

  const show = (next: Range) => {
    places.preview({ kind: 'outcome', id: outcome.id }, next);
    setDraft({ range: next, savedOver: null });
    latest.current = next;
  };
  const cancel = () => {
    latest.current = null;
    drag.current?.abort();
    places.preview({ kind: 'outcome', id: outcome.id }, null);
    setDraft(null);
  };
  const save = (next: Range) => {
    if (isSameRange(next, place)) return cancel();
    latest.current = null;
    const { generation } = live;
    const anchor = generation === null ? null : anchorAt(binding.doc, generation, next.from, next.to);
    setDraft({ range: next, savedOver: place });
    undo.current.push(move('outcome', outcome, { ...saidIn(words.reading(), next.from, next.to), anchor }));
  };
  const unsaved = draft !== null && draft.savedOver === null ? draft.range : null;
  const saveNow = () => {
    if (unsaved && !drag.current) save(unsaved);
  };
  // A range moved by keys is saved once they rest, a dragged one when it is dropped.
  const rested = useEffectEvent(saveNow);
  useEffect(() => {
    if (!draft) return;
    const timer = setTimeout(() => rested(), pause);
    return () => clearTimeout(timer);
  }, [draft]);

  // ---- Drawing ---------------------------------------------------------------------------------

  const handleOf = (side: Side) => host.current?.querySelector<HTMLElement>(`[data-side="${side}"]`);
  const ends = useRef<Record<Side, ReturnType<typeof endAt>>>(null);
  const edgeOf = (side: Side) => {
    const end = ends.current?.[side];
    const element = end && elementOf(view, end.segment);
    if (!element) return null;
    const at = carry(end.text, drawnText(element))(end.at);
    const box = boxAt(element, at, side === 'start' ? 'behind' : 'before');
    return box && { x: side === 'start' ? box.left : box.right, top: box.top, bottom: box.bottom };
  };
  const draw = useEffectEvent(() => {
    const zero = host.current?.getBoundingClientRect();
    if (!zero || view.isDestroyed) return;
    for (const side of sides) {
      const handle = handleOf(side);
      const edge = edgeOf(side);
      if (!handle) continue;
      handle.hidden = edge === null;
      if (!edge) continue;
      handle.style.setProperty('--x', `${Math.round(edge.x - zero.left)}px`);
      handle.style.setProperty('--y', `${Math.round(edge.top - zero.top)}px`);
      handle.style.setProperty('--line-height', `${Math.round(edge.bottom - edge.top)}px`);
    }
  });
  const { from, to } = range;
  useLayoutEffect(() => {
    const reading = words.reading();
    ends.current = { start: endAt(reading, from), end: endAt(reading, to) };
    draw();
  }, [words, from, to, place]);
  useEffect(() => {
    let frame = 0;
    const later = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        draw();
      });
    };
    const size = new ResizeObserver(later);
    size.observe(view.dom);
    editor.on('transaction', later);
    return () => {
      cancelAnimationFrame(frame);
      size.disconnect();
      editor.off('transaction', later);
    };
  }, [editor, view]);

  // ---- Pointers --------------------------------------------------------------------------------

  const dragTo = useEffectEvent((side: Side, x: number, y: number) => {
    const at = view.posAtCoords({ left: x, top: y });
    if (at) show(moved(words.reading(), range, side, toFlat(view.state.doc, at.pos)));
  });
  const ended = useEffectEvent((dropped: boolean) => {
    drag.current = null;
    delete host.current?.dataset['dragging'];
    if (dropped && latest.current) save(latest.current);
    else if (latest.current) cancel();
  });
  const grab = useEffectEvent((side: Side, event: PointerEvent) => {
    const edge = edgeOf(side);
    if (event.button !== 0 || !edge) return;
    event.preventDefault();
    // The text below would take the press for the beginning of a selection.
    event.stopPropagation();
    handleOf(side)?.focus({ preventScroll: true });
    const [dx, dy] = [event.clientX - edge.x, event.clientY - (edge.top + edge.bottom) / 2];
    const begun = { x: event.clientX, y: event.clientY };
    const dragging = new AbortController();
    drag.current?.abort();
    drag.current = dragging;
    const { signal } = dragging;
    let now = begun;
    let moves = false;
    let frame = 0;
    const port = scrollerOf(view.dom);
    const follow = () => {
      const { top, bottom } = port.getBoundingClientRect();
      const way = now.y < top + belt ? -1 : now.y > bottom - belt ? 1 : 0;
      if (way !== 0) {
        port.scrollTop += way * scrollStep;
        dragTo(side, now.x - dx, Math.min(Math.max(top + 1, now.y - dy), bottom - 1));
      }
      frame = requestAnimationFrame(follow);
    };
    const move = ({ pointerId, clientX, clientY }: PointerEvent) => {
      if (pointerId !== event.pointerId) return;
      now = { x: clientX, y: clientY };
      if (!moves && Math.hypot(clientX - begun.x, clientY - begun.y) <= slack) return;
      if (!moves) {
        moves = true;
        if (host.current) host.current.dataset['dragging'] = '';
        frame = requestAnimationFrame(follow);
      }
      dragTo(side, clientX - dx, clientY - dy);
    };
    signal.addEventListener('abort', () => {
      cancelAnimationFrame(frame);
      if (drag.current === dragging) ended(false);
    });
    const end = (dropped: boolean) => () => {
      if (signal.aborted) return;
      cancelAnimationFrame(frame);
      ended(dropped && moves);
      dragging.abort();
    };
    window.addEventListener('pointermove', move, { signal });
    window.addEventListener('pointerup', end(true), { signal });
    window.addEventListener('pointercancel', end(false), { signal });
  });
  useEffect(() => {
    const ending = new AbortController();
    for (const side of sides)
      host.current
        ?.querySelector<HTMLElement>(`[data-side="${side}"]`)
        ?.addEventListener('pointerdown', (event) => grab(side, event), { signal: ending.signal });
    return () => ending.abort();
  }, []);

  // ---- Keys ------------------------------------------------------------------------------------

  /** Same place one line higher or lower. */
  const lineAway = (side: Side, way: 1 | -1): Range => {
    const edge = edgeOf(side);
    if (!edge) return range;
    const height = edge.bottom - edge.top;
    const at = view.posAtCoords({ left: edge.x, top: (edge.top + edge.bottom) / 2 + way * height * 1.3 });
    return at ? moved(words.reading(), range, side, toFlat(view.state.doc, at.pos)) : range;
  };
  const pressed = (side: Side, event: KeyboardEvent) => {
    if (undoKeyOf(event.nativeEvent) === 'undo') {
      event.preventDefault();
      if (unsaved) cancel();
      else undo.current.pop()?.();
      return;
    }
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter' && unsaved) {
      event.preventDefault();
      return save(unsaved);
    }
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined;
    if (!way) return;
    event.preventDefault();
    const isLine = event.key === 'ArrowUp' || event.key === 'ArrowDown';
    const next = isLine ? lineAway(side, way) : stepped(words.reading(), range, side, way);
    if (isSameRange(next, range)) return;
    show(next);
  };
  useEffect(() => () => drag.current?.abort(), []);
  useAction('range', () => {
    reveal(view, fromFlat(view.state.doc, range.from));
    handleOf('start')?.focus({ preventScroll: true });
  });
  useEscape(unsaved !== null, cancel);
  useEscape(unsaved === null && focused, () => focusCard(outcome.id));

  const told = (side: Side): string => {
    const reading = words.reading();
    const at = side === 'start' ? range.from : range.to - 1;
    const index = segmentAt(reading, at);
    const offset = at - (reading.starts[index] ?? 0);
    const word = reading.segments[index]?.words.findLast((one) => one.at <= offset);
    if (!word) return '';
    return words.timed
      ? t('handles.at', { word: word.text, time: clockTime(side === 'start' ? word.from : word.to) })
      : word.text;
  };
  return (
    <div ref={host} className={styles.host} role="group" aria-label={t('handles.label')}>
      {sides.map((side) => (
        <div
          key={side}
          data-side={side}
          className={styles.handle}
          role="slider"
          tabIndex={0}
          aria-label={t(`handles.${side}`)}
          aria-valuemin={0}
          aria-valuemax={words.reading().length}
          aria-valuenow={side === 'start' ? range.from : range.to}
          aria-valuetext={told(side)}
          onKeyDown={(event) => pressed(side, event)}
          onFocus={() => setFocused(true)}
          onBlur={() => {
            setFocused(false);
            saveNow();
          }}
        />
      ))}
    </div>
  );
}
