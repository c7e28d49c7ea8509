import { IconAlignLeft, IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { useAtom } from 'jotai';
import { createContext, useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '../../preferences.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import styles from './dock.module.css';
import { useAction, useEscape } from '../base/actions.ts';
import { useMeeting } from '../open/meeting-context.ts';
import type { Pane } from '../base/pane.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import { moved, ordered } from './panes.ts';

/** Hook that makes the panes of the page; `client/meeting-panes.tsx` gives it. */
export const PanesOf = createContext<() => readonly Pane[]>(() => []);

/** Media query for the dock beside the transcript: from 1100 px at the browser's default text size. */
const beside = '(min-width: 68.76em)';

function useBeside(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(beside);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => window.matchMedia(beside).matches,
  );
}

/**
 * One open pane, the others as headings in the person's own order. Narrow pages show a rail and a drawer, phones show
 * tabs and a sheet. The open pane keeps its DOM node, so that turning a device loses nothing typed there.
 */
export function Dock({ panes = [] }: { panes?: readonly Pane[] }) {
  const { t } = useTranslation('document');
  const [preferences, prefer] = usePreferences();
  const [openId, setOpenId] = useAtom(openPaneAtom);
  const shown = ordered(panes, preferences.docPanesOrder ?? []);
  const ids = shown.map(({ id }) => id);
  const open = ids.find((id) => id === openId) ?? null;
  const isBeside = useBeside();
  const close = () => {
    setOpenId(null);
    document.querySelector<HTMLElement>(`#pane-${open}`)?.focus();
  };
  useEscape(open !== null && !isBeside, close);
  useAction(
    'pane',
    shown.length === 0
      ? null
      : (digit) => {
          const id = ids[digit - 1];
          if (id === undefined) return false;
          setOpenId(open === id ? null : id);
          document.querySelector<HTMLElement>(`#pane-${id}`)?.focus();
          return true;
        },
  );
  // A drawer or sheet may cover the passage being played: scrolls it back into sight.
  const { listening } = useMeeting();
  useEffect(() => {
    if (open === null || isBeside) return;
    const frame = requestAnimationFrame(() => listening.showPlace());
    return () => cancelAnimationFrame(frame);
  }, [open, isBeside, listening]);
  if (shown.length === 0) return null;
  return (
    <aside className={styles.dock} aria-label={t('dock')} data-pane={open ?? undefined}>
      <button type="button" className={styles.text} aria-pressed={open === null} onClick={() => setOpenId(null)}>
        <IconAlignLeft size={20} stroke={1.5} aria-hidden="true" />
        {t('text')}
      </button>
      {shown.map(({ id, label, short, icon: Icon, Count, Content }) => {
        const isOpen = open === id;
        return (
          <section key={id} className={styles.pane} data-open={isOpen || undefined} aria-labelledby={`pane-${id}`}>
            <div className={styles.head}>
              <h2 className={styles.name}>
                <button
                  type="button"
                  id={`pane-${id}`}
                  title={isBeside ? undefined : label}
                  aria-expanded={isOpen}
                  onClick={() => setOpenId(isOpen ? null : id)}
                >
                  <Icon size={18} stroke={1.5} aria-hidden="true" />
                  <span className={styles.label} data-long={short !== undefined || undefined}>
                    {label}
                  </span>
                  {short !== undefined && (
                    <span className={styles.short} aria-hidden="true">
                      {short}
                    </span>
                  )}
                  {Count && (
                    <span className={styles.count}>
                      <Count />
                    </span>
                  )}
                </button>
              </h2>
              <span className={styles.moves}>
                {([-1, 1] as const).map((by) => (
                  <IconButton
                    key={by}
                    label={t(by === -1 ? 'moveUp' : 'moveDown', { name: label })}
                    icon={
                      by === -1 ? <IconChevronUp size={16} stroke={1.5} /> : <IconChevronDown size={16} stroke={1.5} />
                    }
                    disabled={by === -1 ? ids[0] === id : ids.at(-1) === id}
                    onClick={() => prefer({ docPanesOrder: moved(preferences.docPanesOrder ?? [], ids, id, by) })}
                  />
                ))}
              </span>
            </div>
            {isOpen && (
              <div className={styles.content}>
                <div className={styles.bar}>
                  <span className={styles.barName} aria-hidden="true">
                    {label}
                  </span>
                  <IconButton
                    label={t('closePane', { name: label })}
                    icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
                    onClick={close}
                  />
                </div>
                <Content />
              </div>
            )}
          </section>
        );
      })}
    </aside>
  );
}
