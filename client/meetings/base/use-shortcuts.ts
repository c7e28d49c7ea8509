import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent } from 'react';

import { actionsAtom } from './actions.ts';
import { listen } from './listen.ts';
import { keymapAtom } from './stored-shortcuts.ts';

/** Makes shortcuts run the actions of the page while the component is mounted; `before` runs before each of them. */
export function useShortcuts(before?: () => void): void {
  const actions = useAtomValue(actionsAtom);
  const keymap = useAtomValue(keymapAtom);
  const now = useEffectEvent(() => keymap);
  const first = useEffectEvent(() => before?.());
  useEffect(
    () =>
      listen(
        actions,
        () => now(),
        () => first(),
      ),
    [actions],
  );
}
