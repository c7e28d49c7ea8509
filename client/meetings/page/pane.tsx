import { IconArrowDown } from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Doc } from 'yjs';

import { readAbout } from '#shared/meetings/about.ts';

import { usePreferences } from '../../preferences.ts';
import { Margin } from '../annotations/margin/margin.tsx';
import { RangeOfOutcome } from '../annotations/outcomes/range-handles-part.tsx';
import { marginAtom } from '../annotations/base/open-annotations.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import { useShared } from '../base/use-shared.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { FirstHelp } from '../player/first-help.tsx';
import { clockTime } from '../../ui/times.ts';
import { useTouch } from '../../ui/use-phone.ts';
import { useTranslation } from '../../use-translation.ts';
import { usePlayerState } from '../sound/use-player.ts';
import { useVideoPlace, VideoWindow } from '../player/video.tsx';
import { TranscriptEditor } from '../text/editor.tsx';
import { FirstText, isLong } from './first-text.tsx';
import { Gutter } from '../text/gutter.ts';
import styles from './pane.module.css';
import { TapPlay } from './tap-play.tsx';
import { useAskBeforeReplacing } from '../open/use-ask-before-replacing.ts';
import { useSentences } from '../open/use-sentences.ts';
import { useTagLinks } from './use-tag-links.ts';

/** Live transcript; an editor for everyone with permission to edit. */
export function TranscriptPane() {
  const { t, i18n } = useTranslation(['document', 'player', 'comments', 'outcomes']);
  const { live, player, words, listening, speakers, marks, text } = useMeeting();
  const [{ transcriptHighlightingMode: mark = 'sentence', doc: choices }] = usePreferences();
  const gutter = useMemo(
    () =>
      new Gutter(words, marks, {
        onTime: (id) => {
          const segment = words.reading().segments.find((one) => one.id === id);
          if (segment) player.play(segment.from);
        },
        onSpeaker: speakers.ask,
      }),
    [words, marks, player, speakers],
  );
  const sentences = useSentences();
  const guard = useAskBeforeReplacing();
  const { lang } = useShared(live.doc.getMap('about'), () => readAbout(live.doc));
  const extensions = useMemo(() => [gutter.extension(), listening.extension()], [gutter, listening]);

  const video = useVideoPlace() === 'text';
  const margin = useMargin(video);
  const reading = useReadingFirst(live.doc);
  useTagLinks();
  // Keeps the scroll position when the editor replaces the first text.
  useLayoutEffect(() => {
    if (!reading) listening.showPlace();
  }, [reading, listening]);

  const touch = useTouch();
  // Two taps select a word, and no setting about double clicks is offered to a finger.
  const playOnDoubleClick = !touch && choices?.disablePlayOnDoubleClick !== true;
  useEffect(() => listening.prefer({ mark, playOnDoubleClick }), [listening, mark, playOnDoubleClick]);
  const { language } = i18n;
  useEffect(() => {
    gutter.say({
      time: (time) => t('player:playFrom', { time }),
      here: t('player:playHere'),
      paragraph: (name, time) => t('player:paragraph', { name, time }),
      speaker: t('player:speaker'),
      ghost: (name) => t('player:changeSpeaker', { name }),
      unknown: t('player:unknownSpeaker'),
      nobody: t('player:noSpeaker'),
      counts: {
        comment: (count) => t('comments:count', { count }),
        outcome: (count) => t('outcomes:count', { count }),
      },
    });
  }, [gutter, t, language]);
  return (
    <div className={styles.pane} data-video={video || undefined} data-margin={margin || undefined} data-tour="text">
      <VideoWindow in="text" />
      <FirstHelp />
      {reading ? (
        <FirstText label={t('document:transcript')} unknown={t('player:unknownSpeaker')} />
      ) : (
        <TranscriptEditor
          doc={live.doc}
          awareness={live.awareness}
          readOnly={!live.editable}
          label={t('document:transcript')}
          lang={lang}
          extensions={extensions}
          sentences={sentences}
          guard={guard}
          onReady={(editor, binding) => {
            text.put(editor, binding);
            // Scrolls to the reader's last position.
            requestAnimationFrame(() => listening.showPlace());
          }}
        />
      )}
      <BackToSound />
      <TapPlay />
      <RangeOfOutcome />
      {margin && <Margin />}
    </div>
  );
}

/** Media query for cards beside the text: from 1280 px at the browser's default text size. */
const wide = '(min-width: 80em)';

/** Whether the margin is free for cards: the window is wide, no pane is open and no picture is there. */
function useMargin(video: boolean): boolean {
  const isWide = useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(wide);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => window.matchMedia(wide).matches,
  );
  const margin = useAtomValue(openPaneAtom) === null && isWide && !video;
  const setMargin = useSetAtom(marginAtom);
  useEffect(() => {
    setMargin(margin);
    return () => setMargin(false);
  }, [margin, setMargin]);
  return margin;
}

/** Whether a long transcript is read-only as yet: until its first paint. Pages in the background never paint. */
function useReadingFirst(doc: Doc): boolean {
  const [reading, setReading] = useState(() => isLong(doc) && document.visibilityState === 'visible');
  useEffect(() => {
    if (!reading) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setReading(false));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [reading]);
  return reading;
}

/** Button to return to the passage being played, after scrolling away. */
function BackToSound() {
  const { t } = useTranslation('player');
  const { player, listening } = useMeeting();
  const { follow } = listening;
  const following = useSyncExternalStore(follow.subscribe, follow.following);
  const { duration } = usePlayerState(player);
  const text = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (following) return;
    let shown = '';
    const show = (ms: number) => {
      const time = clockTime(ms, duration ?? ms);
      if (time === shown || !text.current) return;
      shown = time;
      text.current.textContent = t('backTo', { time });
    };
    show(player.ms);
    return player.onTime(show);
  }, [following, player, duration, t]);
  if (following) return null;
  const back = () => {
    follow.happened('back');
    listening.showPlace();
  };
  return (
    <button type="button" className={styles.pill} onClick={back}>
      <IconArrowDown size={16} stroke={1.5} aria-hidden="true" />
      <span ref={text} />
    </button>
  );
}
