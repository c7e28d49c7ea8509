import { useSyncExternalStore } from 'react';

import type { Player, PlayerState } from './player.ts';

export function usePlayerState(player: Player): PlayerState {
  return useSyncExternalStore(player.subscribe, player.now);
}
