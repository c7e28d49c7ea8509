import { useMemo, useState } from 'react';
import type { Doc } from 'yjs';

import { firstOf } from '#shared/meetings/first-text.ts';
import { readSpeakers } from '#shared/meetings/speakers.ts';
import { readSegments, textOf } from '#shared/meetings/transcript.ts';

import { useMeeting } from '../open/meeting-context.ts';
import { useShared, type Shared } from '../base/use-shared.ts';
import editor from '../text/editor.module.css';
import styles from '../text/segment-view.module.css';

/** Length in characters up to which an editor is built without a noticeable delay. */
const longText = 20_000;
/** Limit of segments, more than any window shows. */
const mostSegments = 60;
const mostText = 20_000;
/** Segments shown above the reader's last position. */
const before = 3;

/** Whether building the editor would noticeably delay reading. */
export const isLong = (doc: Doc): boolean => textOf(doc).length > longText;

const wholeOf = (doc: Doc): Shared => ({
  observeDeep: (heard) => void doc.on('update', heard),
  unobserveDeep: (heard) => doc.off('update', heard),
});

/**
 * Visible part of the transcript, readable while the editor is being built. It has the same position as in the editor
 * and follows live changes; the times beside it come with the editor.
 */
export function FirstText({ label, unknown }: { label: string; unknown: string }) {
  const { live, player, words } = useMeeting();
  const { doc } = live;
  const whole = useMemo(() => wholeOf(doc), [doc]);
  const [from] = useState(() => {
    // Starts at the reader's last position.
    const place = player.ms > 0 ? words.wordAt(player.ms) : null;
    return Math.max(0, (place?.segment ?? 0) - before);
  });
  const segments = useShared(whole, () => firstOf(readSegments(doc).slice(from), mostSegments, mostText));
  const speakers = useShared(whole, () => new Map(readSpeakers(doc).map((speaker) => [speaker.id, speaker])));
  return (
    <div className={editor.editor}>
      <div className={editor.text} role="document" aria-label={label} aria-busy="true" translate="no">
        {segments.map(({ id, speaker, text }, index) => {
          const known = speakers.get(speaker);
          const name = known?.name || (speaker === '' ? '' : unknown);
          const turn = name !== '' && speaker !== segments[index - 1]?.speaker;
          return (
            <div key={id ?? ''} className={styles.segment} data-turn={turn ? '' : undefined}>
              <div className={styles.gutter} data-near="" data-voice={known ? known.color + 1 : 0}>
                <span className={styles.time} hidden />
                <span className={styles.name} data-text={name} hidden={!turn} />
              </div>
              <div className={styles.text}>{text}</div>
            </div>
          );
        })}
      </div>
    </div>
  );
}
