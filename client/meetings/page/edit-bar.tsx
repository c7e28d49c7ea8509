import {
  IconCornerDownLeft,
  IconHelpSquareRounded,
  IconKeyboardHide,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackPrev,
  IconUserEdit,
} from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useSyncExternalStore, type ReactNode } from 'react';

import { useTranslation } from '../../use-translation.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { usePlayerState } from '../sound/use-player.ts';
import { useOpenText } from '../open/open-text.ts';
import { actionsAtom } from '../base/actions.ts';
import styles from './edit-bar.module.css';
import type { ActionId } from '../base/keymap.ts';
import { UndoButtons } from './undo-buttons.tsx';
import { useActionLabel } from './use-action-label.ts';

/** Tools for correcting by touch, above the on-screen keyboard; pressing one never closes the keyboard. */
export function EditBar() {
  const { t } = useTranslation('document');
  const { player } = useMeeting();
  const { playing } = usePlayerState(player);
  const open = useOpenText();
  const actions = useAtomValue(actionsAtom);
  const can = useSyncExternalStore(actions.subscribe, actions.read);
  const labelOf = useActionLabel();
  const icon = { size: 22, stroke: 1.5, 'aria-hidden': 'true' } as const;
  const buttons: [ActionId, ReactNode][] = [
    ['back', <IconPlayerTrackPrev key="back" {...icon} />],
    ['play', playing ? <IconPlayerPause key="play" {...icon} /> : <IconPlayerPlay key="play" {...icon} />],
    ['speakers', <IconUserEdit key="speakers" {...icon} />],
    ['split', <IconCornerDownLeft key="split" {...icon} />],
    ['nextDoubt', <IconHelpSquareRounded key="nextDoubt" {...icon} />],
  ];
  return (
    <div className={styles.bar} role="toolbar" aria-label={t('editing')}>
      <UndoButtons />
      {buttons
        .filter(([id]) => can.includes(id))
        .map(([id, face]) => (
          <button
            key={id}
            type="button"
            className={styles.button}
            aria-label={labelOf(id)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => actions.run(id)}
          >
            {face}
          </button>
        ))}
      <button
        type="button"
        className={styles.button}
        aria-label={t('done')}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => open?.editor.commands.blur()}
      >
        <IconKeyboardHide {...icon} />
      </button>
    </div>
  );
}
