import { useAtom } from 'jotai';
import { useState } from 'react';

import { Button } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { storedShortcutsAtom } from '../base/stored-shortcuts.ts';
import styles from './key-sheet.module.css';
import { assign, keymapOf, refusal, type Chord } from '../base/keymap.ts';
import { useNextKey } from './listen-for-key.tsx';

const steps = ['left', 'middle', 'right'] as const;
const actionAt = { left: 'back', middle: 'play', right: 'forward' } as const;

/** Sets up a foot pedal, which is a keyboard with three keys: each is pressed once. */
export function PedalSteps({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('keys');
  const [kept, keep] = useAtom(storedShortcutsAtom);
  const [heard, setHeard] = useState<readonly (Chord | null)[]>([]);
  const [wrong, setWrong] = useState<'types' | 'needed' | 'same' | null>(null);
  const step = steps[heard.length];

  const answer = (chord: Chord | null) => {
    const next = [...heard, chord];
    setHeard(next);
    setWrong(null);
    if (next.length < steps.length) return;
    let own = kept.own.pedal ?? {};
    for (const [i, one] of steps.entries()) {
      const got = next[i];
      const id = actionAt[one];
      if (got === null || got === undefined) continue;
      const keymap = keymapOf('pedal', own);
      own = assign(keymap, own, id, [got, ...keymap[id].filter((held) => held !== got)]);
    }
    if (next.some((one) => one !== null)) keep({ profile: 'pedal', own: { ...kept.own, pedal: own } });
  };
  useNextKey(
    step !== undefined,
    ([chord = '']) => {
      const why = heard.includes(chord) ? 'same' : refusal(chord);
      if (why) setWrong(why);
      else answer(chord);
    },
    onDone,
  );
  return (
    <div className={styles.sheet}>
      <h3>{t('pedal.title')}</h3>
      <p role="status" className={styles.step}>
        {step ? t(`pedal.${step}`) : heard.some((one) => one !== null) ? t('pedal.done') : t('pedal.none')}
      </p>
      {wrong && (
        <p role="alert" className={styles.hint}>
          {wrong === 'same' ? t('pedal.same') : wrong === 'types' ? t('pedal.types') : t('refused.needed')}
        </p>
      )}
      <div className={styles.ways}>
        {step && <Button onClick={() => answer(null)}>{t('pedal.skip')}</Button>}
        <Button look={step ? 'quiet' : 'primary'} onClick={onDone}>
          {step ? t('leave') : t('pedal.back')}
        </Button>
      </div>
    </div>
  );
}
