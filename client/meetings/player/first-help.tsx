import { IconX } from '@tabler/icons-react';
import { useState } from 'react';

import type { HabitKey } from '../../device-keys.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { usePhone } from '../../ui/use-phone.ts';
import { useTranslation } from '../../use-translation.ts';
import { useMeeting } from '../open/meeting-context.ts';
import styles from './first-help.module.css';
import { browserStore } from '../sound/browser-store.ts';

const key: HabitKey = 'colloquy-player-known';

function isKnown(): boolean {
  try {
    return browserStore.getItem(key) !== null;
  } catch {
    // Without storage the hint would return on every visit, so it is never shown.
    return true;
  }
}

/** One-sentence hint for a person's first visit to a recording with sound and words. */
export function FirstHelp() {
  const { t } = useTranslation('player');
  const { player, about } = useMeeting();
  const phone = usePhone();
  const [known, setKnown] = useState(isKnown);
  if (known || !player.medium || about.progress?.untranscribed) return null;
  const close = () => {
    setKnown(true);
    try {
      browserStore.setItem(key, '1');
    } catch {
      // Closing still works for this visit.
    }
  };
  return (
    <p className={styles.help}>
      {t(phone ? 'firstHelpTouch' : 'firstHelp')}
      <IconButton
        label={t('firstHelpDone')}
        icon={<IconX size={16} stroke={1.5} aria-hidden="true" />}
        onClick={close}
      />
    </p>
  );
}
