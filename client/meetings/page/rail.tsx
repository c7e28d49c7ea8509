import { IconAlignLeft, IconDots, IconX } from '@tabler/icons-react';
import { useAtom } from 'jotai';
import { createContext, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';

import { part } from '../../errors/part.tsx';
import { usePreferences } from '../../preferences.ts';
import { Dropdown, DropdownButton } from '../../ui/dropdown.tsx';
import { Hint } from '../../ui/hint.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { usePhone } from '../../ui/use-phone.ts';
import { useTranslation } from '../../use-translation.ts';
import { useAction, useEscape } from '../base/actions.ts';
import { openPaneAtom } from '../base/open-pane.ts';
import type { Pane } from '../base/pane.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { browserStore } from '../sound/browser-store.ts';
import { movedTo, ordered } from './panes.ts';
import styles from './rail.module.css';
import { storedPaneWidth } from './stored-pane-width.ts';
import { useDragged } from './use-dragged.ts';

/** Hook that makes the panes of the page; `client/meeting-panes.tsx` gives it. */
export const PanesOf = createContext<() => readonly Pane[]>(() => []);

/** Media query for a pane beside the transcript: from 1100 px at the browser's default text size. */
const beside = '(min-width: 68.76em)';
/** Id of a phone's sheet that lists the panes without a tab. */
const moreId = 'more';

/** Whether an open pane lies beside the transcript. */
export function useBeside(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(beside);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => window.matchMedia(beside).matches,
  );
}

const PaneWidth = part(() => import('./pane-width.tsx'), { waiting: null, inBackground: true });

/** Puts the focus on the button of a pane, or on More, which has it. */
const focusButton = (id: string) =>
  (
    document.querySelector<HTMLElement>(`#pane-${id}`) ?? document.querySelector<HTMLElement>(`[data-more] button`)
  )?.focus();

/**
 * Icons at the right of the transcript in the person's own order, and the one open pane: beside the text, on narrow
 * pages as a drawer over it, on phones as a sheet above the tabs. The open pane keeps its DOM node, so that turning a
 * device loses nothing typed there.
 */
export function Rail({ panes = [] }: { panes?: readonly Pane[] }) {
  const { t } = useTranslation('document');
  const [{ docPanesOrder = [] }, prefer] = usePreferences();
  const [openId, setOpenId] = useAtom(openPaneAtom);
  const phone = usePhone();
  const isBeside = useBeside();
  const all = ordered(panes, docPanesOrder);
  const buttons = all.filter(({ button }) => (phone ? button === 'tab' : button !== 'more'));
  const rest = all.filter((pane) => !buttons.includes(pane));
  const open = all.find(({ id }) => id === openId) ?? null;
  const listsMore = phone && openId === moreId;
  const isOpen = open !== null || listsMore;
  const section = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(() => storedPaneWidth(browserStore));
  const close = () => {
    const had = section.current?.contains(document.activeElement);
    setOpenId(null);
    if (had && open) focusButton(open.id);
  };
  useEscape(isOpen, close);
  const byDigit = [...all.filter(({ button }) => button !== 'more'), ...all.filter(({ button }) => button === 'more')];
  useAction(
    'pane',
    all.length === 0
      ? null
      : (digit) => {
          const id = byDigit[digit - 1]?.id;
          if (id === undefined) return false;
          setOpenId(open?.id === id ? null : id);
          focusButton(id);
          return true;
        },
  );
  // A drawer or sheet may cover the passage being played: scrolls it back into sight.
  const { listening } = useMeeting();
  useEffect(() => {
    if (!isOpen || isBeside) return;
    const frame = requestAnimationFrame(() => listening.showPlace());
    return () => cancelAnimationFrame(frame);
  }, [isOpen, isBeside, listening]);
  const move = (id: string, to: number) => {
    const ids = buttons.map((pane) => pane.id);
    prefer({ docPanesOrder: movedTo(docPanesOrder, ids, id, to) });
  };
  if (all.length === 0) return null;
  const pick = (id: string) => setOpenId(openId === id ? null : id);
  const heading = open?.label ?? t('more');
  return (
    <aside className={styles.dock} aria-label={t('dock')} data-pane={isOpen ? (open?.id ?? moreId) : undefined}>
      <div
        className={styles.rail}
        data-rail
        role="toolbar"
        aria-label={t('panes')}
        aria-orientation={phone ? 'horizontal' : 'vertical'}
      >
        {phone && (
          <button type="button" className={styles.button} aria-pressed={!isOpen} onClick={() => setOpenId(null)}>
            <IconAlignLeft size={20} stroke={1.5} aria-hidden="true" />
            <span className={styles.label}>{t('text')}</span>
          </button>
        )}
        <Buttons panes={buttons} open={open?.id ?? null} phone={phone} onPick={pick} onMove={move} />
        {rest.length > 0 &&
          (phone ? (
            <button
              type="button"
              className={styles.button}
              aria-pressed={listsMore || (open !== null && rest.includes(open))}
              onClick={() => setOpenId(listsMore ? null : moreId)}
            >
              <IconDots size={20} stroke={1.5} aria-hidden="true" />
              <span className={styles.label}>{t('more')}</span>
            </button>
          ) : (
            <More panes={rest} open={open} onPick={pick} />
          ))}
      </div>
      {isOpen && (
        <section
          ref={section}
          key={open?.id ?? moreId}
          className={styles.pane}
          data-open
          style={isBeside ? { inlineSize: `min(${width}rem, 60vw)` } : undefined}
          aria-labelledby="open-pane"
          tabIndex={-1}
        >
          <div className={styles.bar}>
            <h2 id="open-pane" className={styles.name}>
              {heading}
            </h2>
            <IconButton
              label={t('closePane', { name: heading })}
              icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
              onClick={close}
            />
          </div>
          <div className={styles.content}>{open ? <open.Content /> : <MoreList panes={rest} onPick={setOpenId} />}</div>
        </section>
      )}
      {isOpen && isBeside && <PaneWidth width={width} onWidth={setWidth} />}
    </aside>
  );
}

interface ButtonsProps {
  panes: readonly Pane[];
  open: string | null;
  phone: boolean;
  onPick: (id: string) => void;
  /** Puts a pane at a place among the others. */
  onMove: (id: string, to: number) => void;
}

/** Buttons of the panes; dragged, or moved with Alt and the arrows. */
function Buttons({ panes, open, phone, onPick, onMove }: ButtonsProps) {
  const { t } = useTranslation('document');
  const ids = panes.map(({ id }) => id);
  const { dragged, press, shift, guard } = useDragged(ids, onMove);
  const [told, tell] = useState('');
  // An element loses the focus when it moves in the DOM.
  const refocused = useRef<string | null>(null);
  const order = ids.join(' ');
  useLayoutEffect(() => {
    if (refocused.current !== null) document.querySelector<HTMLElement>(`#pane-${refocused.current}`)?.focus();
    refocused.current = null;
  }, [order]);
  const step = (pane: Pane, by: 1 | -1) => {
    const to = ids.indexOf(pane.id) + by;
    if (to < 0 || to >= ids.length) return;
    refocused.current = pane.id;
    tell(t('movedPane', { name: pane.label, place: to + 1, number: ids.length }));
    onMove(pane.id, to);
  };
  return (
    <>
      {panes.map((pane) => {
        const { id, label, short, icon: Icon, Count } = pane;
        const button = (
          <button
            type="button"
            id={`pane-${id}`}
            data-pane-button={id}
            className={styles.button}
            style={shift(id)}
            data-dragged={dragged === id || undefined}
            aria-expanded={open === id}
            {...(!phone && {
              'aria-keyshortcuts': 'Alt+ArrowUp Alt+ArrowDown',
              onPointerDown: (event) => press(event, id),
              onClickCapture: guard,
              onKeyDown: (event) => {
                if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
                event.preventDefault();
                step(pane, event.key === 'ArrowUp' ? -1 : 1);
              },
            })}
            onClick={() => onPick(id)}
          >
            <Icon size={20} stroke={1.5} aria-hidden="true" />
            <span className={styles.label}>{phone ? (short ?? label) : label}</span>
            {Count && (
              <span className={styles.count}>
                <Count />
              </span>
            )}
          </button>
        );
        return phone ? (
          <span key={id} className={styles.place}>
            {button}
          </span>
        ) : (
          <Hint key={id} text={label} describes={false} side="start">
            {button}
          </Hint>
        );
      })}
      <span className={styles.told} role="status">
        {told}
      </span>
    </>
  );
}

/** Menu of the panes without an icon. */
function More({ panes, open, onPick }: { panes: readonly Pane[]; open: Pane | null; onPick: (id: string) => void }) {
  const { t } = useTranslation('document');
  return (
    <span className={styles.more} data-more data-holds={(open !== null && panes.includes(open)) || undefined}>
      <Dropdown
        label={t('morePanes')}
        face={
          <>
            <IconDots size={20} stroke={1.5} aria-hidden="true" />
            <span className={styles.label} aria-hidden="true">
              {t('more')}
            </span>
          </>
        }
      >
        {panes.map(({ id, label, icon: Icon, Count }) => (
          <DropdownButton
            key={id}
            icon={<Icon size={18} stroke={1.5} aria-hidden="true" />}
            current={open?.id === id}
            onPress={() => onPick(id)}
          >
            <span className={styles.line}>{label}</span>
            {Count && (
              <span className={styles.number}>
                <Count />
              </span>
            )}
          </DropdownButton>
        ))}
      </Dropdown>
    </span>
  );
}

/** The same list as a phone's sheet. */
function MoreList({ panes, onPick }: { panes: readonly Pane[]; onPick: (id: string) => void }) {
  return (
    <ul className={styles.list}>
      {panes.map(({ id, label, icon: Icon, Count }) => (
        <li key={id}>
          <button type="button" className={styles.entry} onClick={() => onPick(id)}>
            <Icon size={20} stroke={1.5} aria-hidden="true" />
            <span className={styles.line}>{label}</span>
            {Count && (
              <span className={styles.number}>
                <Count />
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
