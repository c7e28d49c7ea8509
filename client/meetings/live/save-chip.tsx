import {
  IconAlertTriangle,
  IconCheck,
  IconCloudOff,
  IconCloudUp,
  IconDeviceFloppy,
  IconHistory,
} from '@tabler/icons-react';
import { useId, useRef, useState, type ToggleEvent } from 'react';

import type { ChipKind } from '#sync/client/status.ts';

import { Button } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import styles from './save-chip.module.css';
import { TakeWords } from './take-words.tsx';
import type { Chip } from './page-rooms.ts';

const icons = { saved: IconCheck, saving: IconCloudUp, offline: IconCloudOff, notKept: IconAlertTriangle };

interface SaveChipProps {
  chip: Chip;
  /** Unsent words as plain text. */
  words: () => string;
  /** Opens the version history; null where there is none for this person. */
  onHistory: (() => void) | null;
}

/** Shows whether the typed words are saved; a press shows details. */
export function SaveChip({ chip, words, onHistory }: SaveChipProps) {
  const { t, i18n } = useTranslation(['document', 'history']);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const { kind, pending, stored, savedAt } = chip;

  const toggled = (event: ToggleEvent<HTMLDivElement>) => {
    setOpen(event.newState === 'open');
    if (event.newState === 'open' && panel.current && button.current)
      place(panel.current, button.current.getBoundingClientRect());
  };
  const time = savedAt?.toLocaleTimeString(i18n.language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const texts: Record<ChipKind, string> = {
    saved: time === undefined ? t('save.saved') : t('save.savedAt', { time }),
    saving: t('save.saving'),
    offline: stored > 0 ? t('save.offlineWith', { count: stored }) : t(pending > 0 ? 'save.saving' : 'save.offline'),
    notKept: t('save.notKept'),
  };
  const Icon = icons[kind];
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.chip}
        data-kind={kind}
        popoverTarget={id}
        aria-expanded={open}
        aria-controls={id}
      >
        <Icon size={16} stroke={1.5} aria-hidden="true" />
        <span className={styles.text}>{texts[kind]}</span>
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="group"
        aria-label={t('save.details')}
        className={styles.panel}
        onToggle={toggled}
      >
        <p>{kind === 'offline' && pending === 0 ? t('save.about.offlineIdle') : t(`save.about.${kind}`)}</p>
        <dl className={styles.facts}>
          <dt>{t('save.pending')}</dt>
          <dd>{pending}</dd>
          <dt>{t('save.confirmed')}</dt>
          <dd>{time ?? t('save.never')}</dd>
        </dl>
        {kind === 'notKept' ? <TakeWords words={words} /> : !chip.keptHere && <CopyOff />}
        {onHistory && (
          <Button
            look="quiet"
            icon={<IconHistory size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => {
              panel.current?.hidePopover();
              onHistory();
            }}
          >
            {t('history:title')}
          </Button>
        )}
      </div>
      <Announcement kind={kind} pending={pending} />
    </>
  );
}

/** Shown while the browser refuses to store a copy. */
export function CopyOff() {
  const { t } = useTranslation('document');
  return (
    <p className={styles.off}>
      <IconDeviceFloppy size={16} stroke={1.5} aria-hidden="true" />
      {t('save.copyOff')}
    </p>
  );
}

/** Announces only exceptions and their end, because saving and saved alternate with every word. */
function Announcement({ kind, pending }: { kind: ChipKind; pending: number }) {
  const { t } = useTranslation('document');
  const [said, setSaid] = useState<Exclude<ChipKind, 'saving'> | null>(null);
  // Saving says nothing new yet.
  if (kind !== 'saving' && kind !== said && !(kind === 'saved' && said === null)) setSaid(kind);
  return (
    <span role="status" className={styles.aloud}>
      {said && (said === 'offline' && pending === 0 ? t('save.about.offlineIdle') : t(`save.about.${said}`))}
    </span>
  );
}

const margin = 8;

/** Below the chip, aligned so that it stays in the window. */
function place(panel: HTMLElement, at: DOMRect): void {
  const { width } = panel.getBoundingClientRect();
  const start = getComputedStyle(panel).direction === 'rtl' ? window.innerWidth - at.right : at.left;
  const x = Math.min(Math.max(margin, start), window.innerWidth - width - margin);
  panel.style.setProperty('--x', `${Math.round(x)}px`);
  panel.style.setProperty('--y', `${Math.round(at.bottom + margin / 2)}px`);
}
