import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

import { placesAtom } from '../../meetings/annotations/base/open-annotations.ts';
import { Others, useOthersAt } from '../../meetings/annotations/outcomes/others-here.tsx';
import { useOpenText } from '../../meetings/open/open-text.ts';
import { toFlat } from '../../meetings/text/flat.ts';
import styles from './ghost.module.css';

/** Milliseconds for which the pointer or the caret rests on a passage. */
const rest = 400;
const gap = 6;

interface Spot {
  /** Position in the flat text. */
  at: number;
  left: number;
  top: number;
  bottom: number;
}

/** How others graded the passage below the pointer or at the caret, while neither moves and nobody types. */
export default function Ghost() {
  const [spot, setSpot] = useSpot();
  return (
    <div role="status" className={styles.ghost}>
      {spot && <Card spot={spot} onHide={() => setSpot(null)} />}
    </div>
  );
}

function Card({ spot, onHide }: { spot: Spot; onHide: () => void }) {
  const others = useOthersAt({ from: spot.at, to: spot.at });
  const card = useRef<HTMLDivElement>(null);
  const shown = others.length > 0;
  const hide = useEffectEvent(onHide);
  useEffect(() => {
    const element = card.current;
    if (!shown || !element) return;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    const isBelow = spot.bottom + gap + height <= window.innerHeight;
    const x = Math.min(Math.max(gap, spot.left), window.innerWidth - width - gap);
    element.style.setProperty('--x', `${Math.round(x)}px`);
    element.style.setProperty('--y', `${Math.round(isBelow ? spot.bottom + gap : spot.top - gap - height)}px`);
    const ending = new AbortController();
    const { signal } = ending;
    window.addEventListener('scroll', () => hide(), { capture: true, passive: true, signal });
    window.addEventListener('keydown', ({ key }) => key === 'Escape' && hide(), { capture: true, signal });
    return () => ending.abort();
  }, [shown, spot]);
  if (!shown) return null;
  return (
    <div ref={card} popover="manual" className={styles.card} data-others>
      <Others outcomes={others} />
    </div>
  );
}

/** Place in the text where the pointer or the caret rests on an annotation; null while they move. */
function useSpot() {
  const open = useOpenText();
  const places = useAtomValue(placesAtom);
  const [spot, setSpot] = useState<Spot | null>(null);
  const look = useEffectEvent((pos: number) => {
    const { view } = open ?? {};
    if (!view || view.isDestroyed) return;
    const at = toFlat(view.state.doc, pos);
    if (!(places?.at(at) ?? []).some((key) => key.startsWith('outcome '))) return;
    const { left, top, bottom } = view.coordsAtPos(pos);
    setSpot({ at, left, top, bottom });
  });
  useEffect(() => {
    const text = open?.view.dom;
    if (!open || !text) return;
    const ending = new AbortController();
    const { signal } = ending;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let byKey = false;
    const later = (posOf: () => number | undefined) => {
      clearTimeout(timer);
      setSpot(null);
      timer = setTimeout(() => {
        const pos = posOf();
        if (pos !== undefined) look(pos);
      }, rest);
    };
    const stop = () => {
      clearTimeout(timer);
      setSpot(null);
    };
    const move = ({ clientX, clientY, pointerType, buttons }: PointerEvent) => {
      if (pointerType === 'touch' || buttons !== 0) return;
      later(() => open.view.posAtCoords({ left: clientX, top: clientY })?.pos);
    };
    text.addEventListener('pointermove', move, { passive: true, signal });
    text.addEventListener('pointerleave', stop, { signal });
    text.addEventListener('pointerdown', () => (byKey = false), { signal });
    const pressed = () => {
      byKey = true;
      stop();
    };
    text.addEventListener('keydown', pressed, { capture: true, signal });
    text.addEventListener('blur', stop, { signal });
    const selected = ({ transaction }: { transaction: { docChanged: boolean } }) => {
      const { selection } = open.editor.state;
      // Others may be typing.
      if (transaction.docChanged || !byKey || !open.view.hasFocus()) return;
      if (selection.empty) later(() => selection.from);
      else stop();
    };
    open.editor.on('selectionUpdate', selected);
    return () => {
      ending.abort();
      clearTimeout(timer);
      open.editor.off('selectionUpdate', selected);
    };
  }, [open]);
  return [spot, setSpot] as const;
}
