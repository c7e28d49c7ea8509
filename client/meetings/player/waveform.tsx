import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { findDoubts } from '#shared/meetings/doubts.ts';
import type { MediumView } from '#shared/meetings/media.ts';
import { readSpeakers } from '#shared/meetings/speakers.ts';

import { useApi, type Api } from '../../api.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { columnsOf, readPeaks } from '../sound/peaks.ts';
import type { Tick } from './ticks.ts';
import styles from './waveform.module.css';

const peaksQuery = (api: Api, id: string, medium: MediumView) => ({
  queryKey: ['meeting', id, 'peaks', medium.id],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const param = { id, mediaId: medium.id };
    const answer: Response = await api.meetings[':id'].media[':mediaId'].$get({ param }, { init: { signal } });
    return readPeaks(await answer.json());
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Delay in milliseconds: the lanes below the wave are redrawn only after typing pauses. */
const settling = 800;
const lane = 4;
const column = 3;

interface WaveformProps {
  duration: number;
  /** Height in pixels left free for the ticks. */
  above: number;
  /** Height in pixels left free for what people listened to. */
  below: number;
  /** Beginnings of chapters, each a line through the wave. */
  chapters: readonly Tick[];
}

/** Loudness, speakers, chapters and words to check. Decoration: the slider above it has the function. */
export default function Waveform({ duration, above, below, chapters }: WaveformProps) {
  const { about, player, words } = useMeeting();
  const medium = about.media.find(({ tag }) => tag === 'histogram');
  const { data: peaks } = useQuery({
    ...peaksQuery(useApi(), about.id, medium ?? noMedium),
    enabled: medium !== undefined,
  });
  const box = useRef<HTMLDivElement>(null);
  const whole = useRef<HTMLCanvasElement>(null);
  const heard = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    let shown = -1;
    const show = (ms: number) => {
      const at = Math.round((2 * (box.current?.clientWidth ?? 0) * ms) / duration) / 2;
      if (at === shown) return;
      shown = at;
      box.current?.style.setProperty('--heard', `${at}px`);
    };
    show(player.ms);
    return player.onTime(show);
  }, [player, duration]);

  useEffect(() => {
    const frame = box.current;
    if (!frame || !whole.current || !heard.current) return;
    const canvases = [whole.current, heard.current];
    const draw = () => {
      const { clientWidth: width, clientHeight } = frame;
      const height = clientHeight - below;
      if (width === 0 || height <= 0) return;
      const colours = getComputedStyle(frame);
      const colour = (name: string) => colours.getPropertyValue(name).trim();
      const levels = peaks ? columnsOf(peaks, duration, Math.floor(width / column)) : [];
      const room = height - lane - 4 - above;
      for (const [i, canvas] of canvases.entries()) {
        canvas.width = width * devicePixelRatio;
        canvas.height = clientHeight * devicePixelRatio;
        const pen = canvas.getContext('2d');
        if (!pen) continue;
        pen.scale(devicePixelRatio, devicePixelRatio);
        pen.fillStyle = colour(i === 0 ? '--line-strong' : '--accent');
        for (const [at, level] of levels.entries()) {
          const tall = Math.max(1, level * room);
          pen.fillRect(at * column, above + (room - tall) / 2, column - 1, tall);
        }
        for (const { at } of chapters) {
          const x = Math.round(Math.min(width - 1, (width * at) / duration));
          // Space on both sides, so that the line is none of the wave.
          pen.clearRect(x - 2, above, 5, height - above);
          pen.fillStyle = colour('--ink');
          pen.fillRect(x, above, 1, height - above - lane);
        }
        if (i === 0) drawLanes(pen, width, height, colour);
      }
    };
    const drawLanes = (
      pen: CanvasRenderingContext2D,
      width: number,
      height: number,
      colour: (name: string) => string,
    ) => {
      const colors = new Map(readSpeakers(words.doc).map(({ id, color }) => [id, colour(`--voice-${color + 1}`)]));
      const { segments } = words.reading();
      const place = (ms: number) => (width * ms) / duration;
      for (const segment of segments) {
        pen.fillStyle = colors.get(words.speaker(segment)) ?? colour('--line-strong');
        pen.fillRect(place(segment.from), height - lane, Math.max(1, place(segment.to) - place(segment.from)), lane);
      }
      pen.fillStyle = colour('--ink');
      for (const doubt of findDoubts(words.doc, words.reading())) {
        const from = segments[doubt.segment]?.words[doubt.word]?.from;
        if (from !== undefined) pen.fillRect(place(from), height - lane - 4, 1, 3);
      }
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(draw, settling);
    };
    const size = new ResizeObserver(draw);
    size.observe(frame);
    const scheme = new MutationObserver(draw);
    scheme.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    const unsubscribe = words.subscribe(later);
    return () => {
      clearTimeout(timer);
      size.disconnect();
      scheme.disconnect();
      unsubscribe();
    };
  }, [peaks, duration, words, above, below, chapters]);

  return (
    <div ref={box} className={styles.box} aria-hidden="true">
      <canvas ref={whole} className={styles.wave} />
      <canvas ref={heard} className={styles.heard} />
    </div>
  );
}

const noMedium: MediumView = { id: '', tag: 'histogram', src: '', name: '', type: '', bytes: 0, duration: null };
