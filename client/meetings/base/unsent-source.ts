import type { Atom, WritableAtom } from 'jotai';

/** A capability's unsent words in this page's memory. `client/meetings/unsent` lists all sources. */
export interface UnsentSource {
  /** Kind under which the page of a closed recording shows them. */
  of: 'said' | 'point';
  inMeeting: Atom<(meeting: string) => readonly UnsentEntry[]>;
  discard: WritableAtom<null, [meeting: string], void>;
}

interface UnsentEntry {
  /** Plain text; empty for a voice note alone. */
  text: string;
  voiceNote?: Blob | null;
}
