import { IconEraser, IconMessage2Plus, IconMicrophone, IconTargetArrow } from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { highlightColors } from '#shared/meetings/entries.ts';

import { useHighlighting } from './highlights/use-highlights.ts';
import { actionsAtom } from '../base/actions.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { useOpenText } from '../open/open-text.ts';
import styles from './base/annotations.module.css';

const gap = 8;
const icons = { outcome: IconTargetArrow, comment: IconMessage2Plus, voice: IconMicrophone } as const;

/** Annotation tools at words selected with the pointer; hidden with the selection. */
export function SelectionBar() {
  const { t } = useTranslation('annotations');
  const actions = useAtomValue(actionsAtom);
  const ids = useSyncExternalStore(actions.subscribe, actions.read);
  const { listening } = useMeeting();
  const open = useOpenText();
  const bar = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(false);
  // Read only when asked: a transcript begun anew has its listening before its editor.
  const hasPlayed = useEffectEvent(() => listening.playedByDoubleClick);
  useEffect(() => {
    const text = open?.editor.view.dom;
    if (!text) return;
    const ending = new AbortController();
    const { signal } = ending;
    let pressed = false;
    const look = (event: MouseEvent) => {
      if (!pressed) return;
      pressed = false;
      // A double click that plays is no selection.
      if (event.detail === 2 && hasPlayed()) return;
      // The editor updates its selection a moment later.
      setTimeout(() => !signal.aborted && setShown(!open.editor.state.selection.empty));
    };
    text.addEventListener('mousedown', () => (pressed = true), { signal });
    window.addEventListener('mouseup', look, { signal });
    const hide = () => setShown(false);
    text.addEventListener('keydown', hide, { capture: true, signal });
    window.addEventListener('scroll', hide, { capture: true, passive: true, signal });
    const gone = () => open.editor.state.selection.empty && hide();
    open.editor.on('selectionUpdate', gone);
    return () => {
      ending.abort();
      open.editor.off('selectionUpdate', gone);
    };
  }, [open]);

  const offered = (['outcome', 'comment', 'voice'] as const).filter((id) => ids.includes(id));
  const highlighting = useHighlighting();
  const here = shown && (offered.length > 0 || highlighting.may);
  useEffect(() => {
    const element = bar.current;
    const native = document.getSelection();
    if (!here || !element || !native || native.rangeCount === 0) return;
    const at = native.getRangeAt(0).getBoundingClientRect();
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    const above = at.top - height - gap;
    const x = Math.min(Math.max(gap, at.left), window.innerWidth - width - gap);
    element.style.setProperty('--x', `${Math.round(x)}px`);
    element.style.setProperty('--y', `${Math.round(above > gap ? above : at.bottom + gap)}px`);
  }, [here]);
  if (!here) return null;
  return (
    <div ref={bar} popover="manual" role="toolbar" aria-label={t('selection')} className={styles.bar}>
      {offered.map((id) => {
        const Icon = icons[id];
        return (
          <button
            key={id}
            type="button"
            className={styles.way}
            // Prevents the press from changing the selection.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              setShown(false);
              actions.run(id);
            }}
          >
            <Icon size={18} stroke={1.5} aria-hidden="true" />
            {t(`say.${id}`)}
          </button>
        );
      })}
      {highlighting.may && (
        <span role="group" aria-label={t('highlight.name')} className={styles.colours}>
          {highlightColors.map((color) => (
            <button
              key={color}
              type="button"
              className={styles.colour}
              data-color={color}
              aria-label={t('highlight.in', { colour: t(`highlight.colours.${color}`) })}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                setShown(false);
                highlighting.mark(color);
              }}
            />
          ))}
          {highlighting.touched() && (
            <button
              type="button"
              className={styles.colour}
              aria-label={t('highlight.remove')}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                setShown(false);
                highlighting.mark(null);
              }}
            >
              <IconEraser size={18} stroke={1.5} aria-hidden="true" />
            </button>
          )}
        </span>
      )}
    </div>
  );
}
