import { IconAlignLeft, IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { useAtom } from 'jotai';
import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '../../preferences.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import styles from './dock.module.css';
import { useAction, useEscape } from '../base/actions.ts';
import { useMeeting } from '../open/meeting-context.ts';
import type { Pane } from '../base/pane.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import { moved, ordered } from './panes.ts';

/** From here on the dock stands beside the text: 1100 px of the browser's own text size. */
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
 * One pane open, the others as headings below each other, in the order the person keeps. On a narrower page the same
 * headings are a rail and the open pane a drawer; on a phone they are tabs, and it is a sheet below the text. What is
 * open stays where it is in the page, so that nothing typed there is lost when a device is turned.
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
  // What is heard stays in sight above a pane that takes half of the page.
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
