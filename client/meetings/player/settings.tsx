import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useId, useRef, useState, type ToggleEvent } from 'react';

import { usePreferences } from '../../preferences.ts';
import { Choices } from '../../ui/choices.tsx';
import { SelectField, SwitchField } from '../../ui/field.tsx';
import { useTouch } from '../../ui/use-phone.ts';
import { useTranslation } from '../../use-translation.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { browserStore } from '../sound/browser-store.ts';
import { jumpSizes, type JumpKind } from '../sound/stored-jumps.ts';
import { usePlayerState } from '../sound/use-player.ts';
import styles from './settings.module.css';
import { storeTypingChoice, typingChoices, type TypingChoice } from '../sound/typing-pause.ts';

const margin = 8;
const marks = ['word', 'sentence'] as const;
const places = ['title', 'pane', 'pip'] as const;
const jumpKinds = ['short', 'long'] as const satisfies readonly JumpKind[];

/** Settings of playback and of how the transcript follows it. */
export function PlayerSettings() {
  const { t } = useTranslation('player');
  const { player, listening } = useMeeting();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [typing, setTyping] = useState(listening.typing.choice);
  const [preferences, prefer] = usePreferences();
  const touch = useTouch();
  const { jumps } = usePlayerState(player);

  const toggled = (event: ToggleEvent<HTMLDivElement>) => {
    setOpen(event.newState === 'open');
    if (event.newState === 'open' && panel.current && button.current)
      place(panel.current, button.current.getBoundingClientRect());
  };
  const chooseTyping = (choice: TypingChoice) => {
    listening.typing.choose(choice);
    storeTypingChoice(browserStore, choice);
    setTyping(choice);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.button}
        popoverTarget={id}
        aria-label={t('settings')}
        title={t('settings')}
        aria-expanded={open}
        aria-controls={id}
      >
        <IconAdjustmentsHorizontal size={20} stroke={1.5} aria-hidden="true" />
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="group"
        aria-label={t('settings')}
        className={styles.panel}
        onToggle={toggled}
      >
        <div className={styles.pair}>
          {jumpKinds.map((kind) => (
            <SelectField
              key={kind}
              label={t(`jump.${kind}`)}
              value={String(jumps[kind])}
              onChange={(value) => player.chooseJump(kind, Number(value))}
              options={jumpSizes[kind].map((count) => ({
                value: String(count * 1000),
                label: t('jump.seconds', { count }),
              }))}
            />
          ))}
        </div>
        <Choices
          label={t('typing.label')}
          choices={typingChoices.map((value) => ({ value, label: t(`typing.${value}`) }))}
          value={typing}
          onChange={(value) => chooseTyping(value as TypingChoice)}
        />
        <Choices
          label={t('mark.label')}
          choices={marks.map((value) => ({ value, label: t(`mark.${value}`) }))}
          value={preferences.transcriptHighlightingMode ?? 'sentence'}
          onChange={(value) => prefer({ transcriptHighlightingMode: value as (typeof marks)[number] })}
        />
        {player.element instanceof HTMLVideoElement && (
          <Choices
            label={t('place.label')}
            choices={places.map((value) => ({ value, label: t(`place.${value}`) }))}
            value={preferences.videoPlayerMode ?? 'title'}
            onChange={(value) => prefer({ videoPlayerMode: value as (typeof places)[number] })}
          />
        )}
        {!touch && (
          <SwitchField
            label={t('doubleClick')}
            checked={preferences.doc?.disablePlayOnDoubleClick !== true}
            onChange={(checked) => prefer({ doc: { ...preferences.doc, disablePlayOnDoubleClick: !checked } })}
          />
        )}
      </div>
    </>
  );
}

/** Opens above its button, aligned so that it stays inside the window. */
function place(panel: HTMLElement, at: DOMRect): void {
  const { width } = panel.getBoundingClientRect();
  const x = Math.min(Math.max(margin, at.right - width), window.innerWidth - width - margin);
  panel.style.setProperty('--x', `${Math.round(x)}px`);
  panel.style.setProperty('--y', `${Math.round(window.innerHeight - at.top + margin / 2)}px`);
}
