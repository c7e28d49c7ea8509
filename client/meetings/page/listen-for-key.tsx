import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';

import { Button } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { actionsAtom } from '../base/actions.ts';
import styles from './key-sheet.module.css';
import { chordsOf, holderOf, profiles, refusal, type ActionId, type Chord, type Keymap } from '../base/keymap.ts';
import { onMac, pressOf } from '../base/listen.ts';
import { useActionLabel } from './use-action-label.ts';

/** Captures the next key press. Escape cancels, so it cannot become a shortcut. */
export function useNextKey(listening: boolean, heard: (chords: Chord[]) => void, left: () => void): void {
  const actions = useAtomValue(actionsAtom);
  const hear = useEffectEvent((event: KeyboardEvent) => {
    if (event.repeat) return;
    if (event.key === 'Escape') return left();
    const chords = chordsOf(pressOf(event), onMac());
    if (chords.length > 0) heard(chords);
  });
  useEffect(() => {
    if (listening) return actions.capture((event) => hear(event));
  }, [actions, listening]);
}

interface ListenForKeyProps {
  id: ActionId;
  keymap: Keymap;
  say: (chord: Chord) => string;
  onKey: (chord: Chord) => void;
  onLeave: () => void;
  onRemove?: () => void;
}

/** Asks for a shortcut, explains a refusal, and confirms before taking one from another action. */
export function ListenForKey({ id, keymap, say, onKey, onLeave, onRemove }: ListenForKeyProps) {
  const { t } = useTranslation('keys');
  const labelOf = useActionLabel();
  const [answer, setAnswer] = useState<{ chord: Chord; holder: ActionId } | null>(null);
  const [refused, setRefused] = useState<'types' | 'needed' | 'digits' | null>(null);
  // Actions on a digit are bound to all digits at once.
  const digits = profiles.ours[id].some((chord) => chord.endsWith('Digits'));
  useNextKey(
    answer === null,
    (chords) => {
      const chord = digits ? chords.find((one) => one.endsWith('Digits')) : chords[0];
      const why = chord === undefined ? 'digits' : refusal(chord);
      setRefused(why);
      if (chord === undefined || why) return;
      const holder = holderOf(keymap, chord, id);
      if (holder) setAnswer({ chord, holder });
      else onKey(chord);
    },
    onLeave,
  );
  return (
    <div className={styles.listening}>
      <p role="status">
        {answer
          ? t('taken', { chord: say(answer.chord), name: labelOf(answer.holder) })
          : refused
            ? t(`refused.${refused}`)
            : t('press')}
      </p>
      {answer && <Button onClick={() => onKey(answer.chord)}>{t('take')}</Button>}
      {!answer && onRemove && <Button onClick={onRemove}>{t('remove')}</Button>}
      <Button look="quiet" onClick={onLeave}>
        {t('leave')}
      </Button>
    </div>
  );
}
