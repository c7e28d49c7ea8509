import { createContext, useContext } from 'react';
import type { Doc } from 'yjs';

import type { ModelId } from '#shared/account-choices.ts';
import type { MeetingAbout } from '#shared/meetings/meeting.ts';

import type { LiveDocument } from '../live/use-room.ts';
import type { Listening } from '../text/listening.ts';
import type { Player } from '../sound/player.ts';
import type { SpeakerDesk } from '../text/desk.ts';
import type { SegmentMarks } from '../text/marks.ts';
import type { OpenTextHolder } from './open-text.ts';
import type { Words } from '../text/words.ts';

/** Details of a recording; `fromDevice` if they come from this browser's copy. */
export type OpenedAbout = MeetingAbout & { fromDevice?: true };

/** An assessment that a recording was opened by: its annotations are those of a layer, and none is private. */
export interface LayerPlace {
  reviewId: string;
  /** Types of outcomes that the review asks for; null: those of the recording. */
  outcomeModel: ModelId | null;
  /** Types of this model that the review asked for, once it is open. */
  askedTypes: readonly string[] | null;
  /** The review is blind or anonymous: of the transcript nothing but the words can be changed. */
  wordsOnly: boolean;
  /** The person reads what language models suggest in the review. */
  machine: boolean;
  /** Time of the first opening, of which annotations say whether they came later; null: they do not say. */
  openedAt: string | null;
  /** Row by which this person writes in an anonymous review; null: by their account. */
  reviewerId: string | null;
  /** Names of reviewers by their rows. */
  reviewerNames: ReadonlyMap<string, string>;
}

/** Open meeting, as its panes use it. */
export interface OpenMeeting {
  about: OpenedAbout;
  /** Null on the page of the recording itself. */
  layer: LayerPlace | null;
  /**
   * Transcript's document: text, speakers, timings, title, tags. Its state is current only as far as the page draws it.
   */
  live: LiveDocument;
  player: Player;
  /** Words, their times and their positions on the screen. */
  words: Words;
  /** Highlighting and scrolling with playback. */
  listening: Listening;
  /** Holder of the editor; `useOpenText` reads it. */
  text: OpenTextHolder;
  /** Hidden speakers, and the open list of speakers. */
  speakers: SpeakerDesk;
  /** Annotation counts beside the text. */
  marks: SegmentMarks;
}

export const MeetingContext = createContext<OpenMeeting | null>(null);

export function useMeeting(): OpenMeeting {
  const meeting = useContext(MeetingContext);
  if (!meeting) throw new Error('outside of a meeting');
  return meeting;
}

/** Document, and whether this person may change it now. */
export function useDocument(): { doc: Doc; editable: boolean } {
  const { live } = useMeeting();
  return { doc: live.doc, editable: live.editable };
}

/** Whether this person may change what is beside the words, such as highlights and chapters. */
export function useMarking(): boolean {
  const { live, layer } = useMeeting();
  return live.editable && layer?.wordsOnly !== true;
}
