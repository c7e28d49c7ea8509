import { useTranslation } from '../../use-translation.ts';
import type { ActionId } from '../base/keymap.ts';
import { useMeeting } from '../open/meeting-context.ts';
import type { JumpKind } from '../sound/stored-jumps.ts';
import { usePlayerState } from '../sound/use-player.ts';

const jumpOf: Partial<Record<ActionId, JumpKind>> = {
  back: 'short',
  forward: 'short',
  backMore: 'long',
  forwardMore: 'long',
};

/** Name of an action; that of a jump tells its size. */
export function useActionLabel(): (id: ActionId) => string {
  const { t } = useTranslation('keys');
  const { jumps } = usePlayerState(useMeeting().player);
  return (id) => t(`actions.${id}`, { count: jumps[jumpOf[id] ?? 'short'] / 1000 });
}
