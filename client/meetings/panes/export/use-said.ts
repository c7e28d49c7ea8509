import { useAtomValue } from 'jotai';
import { useMemo } from 'react';

import type { Chosen } from '#shared/formats/formats.ts';
import type { Said } from '#shared/formats/said.ts';
import { inOrder, type Annotation } from '#shared/meetings/annotations.ts';
import { readTimed } from '#shared/meetings/entries.ts';
import { quoteNow } from '#shared/meetings/quoted.ts';
import { readSummary } from '#shared/meetings/summary.ts';

import { useTranslation } from '../../../use-translation.ts';
import { annotationsAtom, useAnnotations, usePlaces } from '../../annotations/base/open-annotations.ts';
import { keyOf } from '../../annotations/base/places.ts';
import { useShared } from '../../base/use-shared.ts';
import { useMeeting } from '../../open/meeting-context.ts';

/** The annotations chosen for the file, as far as this page knows them; undefined for none. */
export function useSaid({ summary, contents, outcomes, comments, private: mine }: Chosen): Said | undefined {
  const { t } = useTranslation(['annotations', 'comments', 'contents', 'export', 'outcomes', 'summary']);
  const { live, words } = useMeeting();
  const { doc } = live;
  const points = useShared(doc.getMap('summary'), () => readSummary(doc, 'shared'));
  const chapters = useShared(doc.getMap('toc'), () => readTimed(doc, 'toc'));
  const notes = useAtomValue(annotationsAtom)?.notes ?? null;
  const items = useAnnotations();
  const places = usePlaces();
  return useMemo(() => {
    if (!summary && !contents && !outcomes && !comments) return undefined;
    const own = mine && notes ? readSummary(notes.read().doc, 'private') : [];
    const forFile = <One extends Annotation>(all: ReadonlyMap<string, One> | undefined): One[] =>
      [...(all?.values() ?? [])].filter((one) => mine || !one.private).toSorted(inOrder);
    const said = {
      outcomes: outcomes ? forFile(items?.outcome) : [],
      comments: comments ? forFile(items?.comment) : [],
    };
    const quoted = (['outcome', 'comment'] as const).flatMap((kind) =>
      said[`${kind}s`].map((item) => {
        const place = places.get(keyOf({ kind, id: item.id }));
        return [item.id, quoteNow(() => words.reading(), item, place)] as const;
      }),
    );
    return {
      ...(summary && { summary: [...points, ...own.map((point) => ({ ...point, private: true }))] }),
      ...(contents && { contents: chapters }),
      ...(outcomes && { outcomes: said.outcomes }),
      ...(comments && { comments: said.comments }),
      quotes: new Map(quoted),
      origin: window.location.origin,
      words: {
        summary: t('summary:title'),
        contents: t('contents:lists.toc.title'),
        // The sheet of an assessment is not shown in the preview.
        grades: '',
        outcomes: t('outcomes:title'),
        comments: t('comments:title'),
        deleted: t('comments:blanked'),
        private: t('export:kept'),
        was: t('export:was'),
        types: { ...t('outcomes:types', { returnObjects: true }), ...t('outcomes:one', { returnObjects: true }) },
      },
    };
  }, [summary, contents, outcomes, comments, mine, points, chapters, notes, items, places, words, t]);
}
