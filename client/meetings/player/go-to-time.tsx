import { useId, useRef, useState, type ReactNode, type SubmitEvent, type ToggleEvent } from 'react';

import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useAction } from '../base/actions.ts';
import styles from './go-to-time.module.css';
import type { Player } from '../sound/player.ts';
import { parseTime } from '../../ui/times.ts';
import { useTranslation } from '../../use-translation.ts';

/** Current time as a button; pressing it asks for a time to jump to. */
export function GoToTime({ player, children }: { player: Player; children: ReactNode }) {
  const { t } = useTranslation('player');
  const id = useId();
  const panel = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState(false);
  useAction('goToTime', () => panel.current?.showPopover());

  const toggled = (event: ToggleEvent<HTMLFormElement>) => {
    if (event.newState !== 'open' || !panel.current || !button.current) return;
    const at = button.current.getBoundingClientRect();
    panel.current.style.setProperty('--x', `${Math.round(at.left)}px`);
    panel.current.style.setProperty('--y', `${Math.round(window.innerHeight - at.top + 4)}px`);
    setText('');
    setWrong(false);
    panel.current.querySelector('input')?.focus();
  };
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    const ms = parseTime(text);
    setWrong(ms === null);
    if (ms === null) return;
    player.seek(ms);
    panel.current?.hidePopover();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.button}
        popoverTarget={id}
        aria-label={t('goTo')}
        title={t('goTo')}
      >
        {children}
      </button>
      <form
        ref={panel}
        id={id}
        popover="auto"
        aria-label={t('goTo')}
        className={styles.panel}
        onToggle={toggled}
        onSubmit={go}
        noValidate
      >
        <TextField
          label={t('goTo')}
          hint={t('goToHint')}
          error={wrong ? t('goToWrong') : undefined}
          value={text}
          onChange={setText}
          autoComplete="off"
        />
        <Button type="submit" look="primary">
          {t('goToDo')}
        </Button>
      </form>
    </>
  );
}
