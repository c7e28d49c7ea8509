import { atom } from 'jotai';

import type { LiveRoom } from '../live/room.ts';

/** The room of one's own notes on the recording that is open; null until its pane is opened. */
export const notesRoomAtom = atom<LiveRoom | null>(null);
