import { createContext, useContext } from 'react';
import type { Doc } from 'yjs';

import type { MeetingAbout } from '#shared/meetings/meeting.ts';

import type { LiveDocument } from '../live/use-room.ts';
import type { Listening } from '../text/listening.ts';
import type { Player } from '../sound/player.ts';
import type { SpeakerDesk } from '../text/desk.ts';
import type { SegmentMarks } from '../text/marks.ts';
import type { TextPlace } from './open-text.ts';
import type { Words } from '../text/words.ts';

/** What is known of a recording, and whether only this browser says so. */
export type OpenedAbout = MeetingAbout & { fromDevice?: true };

/** The meeting this page is open on: what each of its panes works with. */
export interface OpenMeeting {
  about: OpenedAbout;
  /** The transcript's document: text, speakers, timings, title, tags. Of its state, only what the page draws is as of now. */
  live: LiveDocument;
  player: Player;
  /** Words, their times, and where they stand on the screen. */
  words: Words;
  /** What is marked and followed as it is heard. */
  listening: Listening;
  /** Where its editor is found; `useOpenText` reads it. */
  text: TextPlace;
  /** Who is hidden here, and what is asked about a segment's speaker. */
  speakers: SpeakerDesk;
  /** The numbers beside the text of what is said about it. */
  marks: SegmentMarks;
}

export const MeetingContext = createContext<OpenMeeting | null>(null);

export function useMeeting(): OpenMeeting {
  const meeting = useContext(MeetingContext);
  if (!meeting) throw new Error('outside of a meeting');
  return meeting;
}

/** The document and whether this person may change it now. */
export function useDocument(): { doc: Doc; editable: boolean } {
  const { live } = useMeeting();
  return { doc: live.doc, editable: live.editable };
}
