import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useTranslation } from 'react-i18next';

import type { ItemKind } from '#shared/meetings/items.ts';

import { Button } from '../../ui/button.tsx';
import { wordsOf, type Command } from '../items/commands.ts';
import { useMeeting } from '../meeting-context.ts';
import { itemsAtom } from '../items/open-items.ts';
import { VoicePlayer } from './voice-player.tsx';
import styles from './voice.module.css';
import { lostVoicesAtom, voiceOf } from './voices.ts';

/** What was spoken and not taken: nobody has to say it again. */
export function LostVoices({ kind }: { kind: ItemKind }) {
  const { id } = useMeeting().about;
  const lost = useAtomValue(lostVoicesAtom).filter(({ meeting, command }) => meeting === id && command.kind === kind);
  return lost.map(({ command }) => <Lost key={command.id} command={command} />);
}

const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;

function Lost({ command }: { command: Command }) {
  const { t } = useTranslation('voice');
  const items = useAtomValue(itemsAtom);
  const setLost = useSetAtom(lostVoicesAtom);
  const voice = voiceOf(command);
  const leave = () => setLost((lost) => lost.filter((one) => one.command !== command));
  const words = wordsOf(command);
  return (
    <div className={styles.lost} role="group" aria-label={t(`notAdded.${command.kind}`)}>
      <p className={styles.error}>{t(`notAdded.${command.kind}`)}</p>
      <p className={styles.note}>{t('lost')}</p>
      {words !== '' && <p className={styles.words}>{words}</p>}
      {voice && <VoicePlayer src={voice} what={t('own')} />}
      <div className={styles.field}>
        <Button
          look="primary"
          icon={<IconRefresh {...icon} />}
          onClick={() => {
            leave();
            items?.again(command);
          }}
        >
          {t('again')}
        </Button>
        <Button look="quiet" icon={<IconTrash {...icon} />} onClick={leave}>
          {t('discard')}
        </Button>
      </div>
    </div>
  );
}
