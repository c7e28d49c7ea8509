import { useMemo } from 'react';
import { readSpeakers } from '#shared/meetings/speakers.ts';
import { segmentsOf, textOf } from '#shared/meetings/transcript.ts';

import { useDocument, useMeeting } from './meeting-context.ts';
import { useLater } from '../base/use-later.ts';
import { useShared } from '../base/use-shared.ts';
import { figuresOf, allSpeakers, type TranscriptSpeaker, type SpeakingTime } from '../text/speakers.ts';

/** Speaking time of each speaker; null until computed. */
export function useFigures(): ReadonlyMap<string, SpeakingTime> | null {
  const { words } = useMeeting();
  const [shared, read] = useMemo(() => {
    const { doc } = words;
    return [
      [textOf(doc), segmentsOf(doc), doc.getMap('timings')],
      () =>
        figuresOf(
          words.reading().segments.map((segment) => ({
            speaker: words.speaker(segment),
            from: segment.from,
            to: segment.to,
          })),
        ),
    ] as const;
  }, [words]);
  return useLater(shared, read);
}

/** Listed speakers in order, then unlisted speakers of segments once they are computed. */
export function useSpeakers(figures: ReadonlyMap<string, SpeakingTime> | null = null): readonly TranscriptSpeaker[] {
  const { doc } = useDocument();
  const listed = useShared(doc.getMap('speakers'), () => readSpeakers(doc));
  return useMemo(() => allSpeakers(listed, figures?.keys() ?? []), [figures, listed]);
}
