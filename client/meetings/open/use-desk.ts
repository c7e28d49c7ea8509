import { useSyncExternalStore } from 'react';

import { useMeeting } from './meeting-context.ts';
import type { DeskState } from '../text/desk.ts';

export function useDesk(): DeskState {
  const { speakers } = useMeeting();
  return useSyncExternalStore(speakers.subscribe, speakers.now);
}
