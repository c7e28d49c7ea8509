import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

import { useApi } from '../api.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { noteUnsent } from '../unsent-sound.ts';
import { useTranslation } from '../use-translation.ts';
import { Leftovers, type Leftover } from './leftovers.ts';
import styles from './recorder-bar.module.css';
import { spanText } from './spans.ts';
import { useFoot } from './use-foot.ts';
import { recorderWorld } from './world.ts';

/** Sends what earlier visits of this person left in this browser, and shows it. */
export default function LeftoversStrip({ user }: { user: string }) {
  const api = useApi();
  const queries = useQueryClient();
  const ready = useTexts('recorder', { inBackground: true });
  const [leftovers] = useState(() => new Leftovers(user, api, recorderWorld(api)));
  const shown = useSyncExternalStore(leftovers.subscribe, leftovers.now);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    let here = true;
    leftovers.send().then(
      (left) => {
        if (!left) noteUnsent(user, false);
        if (here) void queries.invalidateQueries({ queryKey: ['meeting'] });
      },
      // The browser refuses its storage: there is nothing to send.
      () => {},
    );
    window.addEventListener('online', leftovers.wake);
    return () => {
      here = false;
      window.removeEventListener('online', leftovers.wake);
      leftovers.stop();
    };
  }, [leftovers, queries, user]);
  const lines = ready ? shown.filter(({ meeting, state }) => !closed.has(`${meeting} ${state}`)) : [];
  return lines.length === 0 ? null : (
    <Strip
      lines={lines}
      onClose={({ meeting, state }) => setClosed(new Set([...closed, `${meeting} ${state}`]))}
      onDiscard={({ meeting }) => void leftovers.discard(meeting)}
    />
  );
}

interface StripProps {
  lines: readonly Leftover[];
  onClose: (line: Leftover) => void;
  onDiscard: (line: Leftover) => void;
}

/** States in which sound can no longer be added, so that its person may delete it. */
const lost: readonly Leftover['state'][] = ['late', 'refused', 'access'];

function Strip({ lines, onClose, onDiscard }: StripProps) {
  const { t, i18n } = useTranslation('recorder');
  const strip = useRef<HTMLElement>(null);
  useFoot(strip);
  const text = ({ state, ms, title }: Leftover) => {
    const words = { title, span: spanText(ms, i18n.language) };
    switch (state) {
      case 'sending':
      case 'waiting':
      case 'late':
      case 'access':
        return t(`left.${state}`, words);
      case 'sent':
        return t('left.sent', { title });
      default:
        return t('left.other', words);
    }
  };
  return (
    <section ref={strip} className={styles.bar} aria-label={t('label')} role="status">
      {lines.map((line) => (
        <p key={line.meeting} className={styles.message}>
          <span>{text(line)}</span>
          {line.state !== 'sending' && <Button onClick={() => onClose(line)}>{t('close')}</Button>}
          {lost.includes(line.state) && (
            <Button look="quiet" onClick={() => onDiscard(line)}>
              {t('left.discard')}
            </Button>
          )}
        </p>
      ))}
    </section>
  );
}
