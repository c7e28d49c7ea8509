import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { Doc } from 'yjs';

import { changeBetween, longestSummary, openText } from '#shared/meetings/summary.ts';
import type { Visibility } from '#shared/meetings/visibility.ts';

import { carry } from '../../text/carry.ts';
import styles from './summary-pane.module.css';

interface SummaryTextProps {
  doc: Doc;
  visibility: Visibility;
  id: string;
  text: string;
  label: string;
  describedBy: string;
  /** Origin of the changes, for undo. */
  origin: unknown;
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  onLeave: (text: string) => void;
}

/** Field that several people edit at once: each letter goes to the document, and remote changes move no caret. */
export function SummaryText({
  doc,
  visibility,
  id,
  text,
  label,
  describedBy,
  origin,
  onKeyDown,
  onLeave,
}: SummaryTextProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  /** Text of the field before the current input; an input method's text is written when composition ends. */
  const shown = useRef(text);
  const composing = useRef(false);
  // Uncontrolled after the first render: only `show` writes the field.
  const [first] = useState(text);
  const show = (wanted: string) => {
    const element = field.current;
    if (!element || composing.current) return;
    shown.current = wanted;
    if (element.value === wanted) return;
    const place = carry(element.value, wanted);
    const caret = [element.selectionStart, element.selectionEnd].map(place) as [number, number];
    element.value = wanted;
    if (document.activeElement === element) element.setSelectionRange(...caret);
  };
  useLayoutEffect(() => show(text));
  const write = () => {
    const element = field.current;
    const stored = openText(doc, visibility, id, origin);
    if (!element || !stored) return;
    const { at, remove, insert } = changeBetween(shown.current, element.value);
    const place = carry(shown.current, stored.toString());
    const [from, to] = [place(at), place(at + remove)];
    doc.transact(() => {
      if (to > from) stored.delete(from, to - from);
      if (insert !== '') stored.insert(from, insert);
    }, origin);
    shown.current = element.value;
    show(stored.toString());
  };
  return (
    <textarea
      ref={field}
      className={styles.text}
      aria-label={label}
      aria-describedby={describedBy}
      rows={text.split('\n').length}
      maxLength={longestSummary}
      defaultValue={first}
      onInput={() => {
        if (!composing.current) write();
      }}
      onCompositionStart={() => (composing.current = true)}
      onCompositionEnd={() => {
        composing.current = false;
        write();
      }}
      onKeyDown={(event) => {
        if (!event.nativeEvent.isComposing) onKeyDown(event);
      }}
      onBlur={(event) => onLeave(event.currentTarget.value)}
    />
  );
}
