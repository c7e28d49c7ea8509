import { useAtomValue } from 'jotai';
import { useMemo } from 'react';
import type { Doc } from 'yjs';

import type { Chosen } from '#shared/formats/formats.ts';
import { mayHide } from '#shared/formats/redact.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import { readSummary } from '#shared/meetings/summary.ts';
import { textOf } from '#shared/meetings/transcript.ts';

import { annotationsAtom, useAnnotations } from '../../annotations/base/open-annotations.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';

/** Searches any value for hidden passages: the map's content comes from any client. */
const holdsMarks = (value: unknown): boolean =>
  typeof value === 'string'
    ? mayHide(value)
    : typeof value === 'object' &&
      value !== null &&
      Object.entries(value).some(([key, one]) => mayHide(key) || holdsMarks(one));

const useMarkedMap = (doc: Doc, name: 'about' | 'tags' | 'speakers' | 'toc' | 'summary'): boolean =>
  useShared(doc.getMap(name), () => holdsMarks(doc.getMap(name).toJSON()));

/** Whether the content chosen for the file has passages in braces, as far as this page knows. */
export function useMarked({ summary, contents, outcomes, comments }: Chosen): boolean {
  const { doc } = useMeeting().live;
  const inText = useShared(textOf(doc), () => mayHide(textOf(doc).toString()));
  const inAbout = useMarkedMap(doc, 'about');
  const inTags = useMarkedMap(doc, 'tags');
  const inSpeakers = useMarkedMap(doc, 'speakers');
  const inContents = useMarkedMap(doc, 'toc');
  const inSummary = useMarkedMap(doc, 'summary');
  const notes = useAtomValue(annotationsAtom)?.notes ?? null;
  const items = useAnnotations();
  const inAnnotations = useMemo(() => {
    // Not loaded yet: the server may know some.
    if (!items?.ready) return { summary: true, outcomes: true, comments: true };
    return {
      summary: notes !== null && readSummary(notes.read().doc, 'private').some(({ text }) => mayHide(text)),
      outcomes: [...items.outcome.values()].some(({ text }) => mayHide(text)),
      comments: [...items.comment.values()].some(({ text }) => mayHide(plainOf(text))),
    };
  }, [items, notes]);
  return (
    [inText, inAbout, inTags, inSpeakers].includes(true) ||
    (contents && inContents) ||
    (summary && (inSummary || inAnnotations.summary)) ||
    (outcomes && inAnnotations.outcomes) ||
    (comments && inAnnotations.comments)
  );
}
