import { useRef, type KeyboardEvent, type PointerEvent } from 'react';

import { useTranslation } from '../../use-translation.ts';
import { browserStore } from '../sound/browser-store.ts';
import { fittingWidth, paneWidths, storePaneWidth } from './stored-pane-width.ts';
import styles from './rail.module.css';

const keySteps: Readonly<Record<string, number>> = { ArrowLeft: 1, ArrowRight: -1 };

interface PaneWidthProps {
  /** In rem. */
  width: number;
  onWidth: (rem: number) => void;
}

/** Border between transcript and pane: dragged, moved with the arrow keys, and put back by a double click. */
export default function PaneWidth({ width, onWidth }: PaneWidthProps) {
  const { t } = useTranslation('document');
  /** Start of a drag. */
  const drag = useRef<{ x: number; width: number } | null>(null);
  const put = (rem: number) => {
    onWidth(fittingWidth(rem));
    storePaneWidth(browserStore, rem);
  };
  const press = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width };
  };
  const move = ({ clientX }: PointerEvent) => {
    if (!drag.current) return;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    put(drag.current.width + (drag.current.x - clientX) / rem);
  };
  const keys = (event: KeyboardEvent) => {
    const step = keySteps[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (step !== undefined) put(width + step * (event.shiftKey ? 4 : 1));
    else if (event.key === 'Home') put(paneWidths.least);
    else if (event.key === 'End') put(paneWidths.most);
    else return;
    event.preventDefault();
  };
  const end = () => (drag.current = null);
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t('paneWidth')}
      aria-valuenow={width}
      aria-valuemin={paneWidths.least}
      aria-valuemax={paneWidths.most}
      tabIndex={0}
      className={styles.width}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => put(paneWidths.usual)}
      onKeyDown={keys}
    />
  );
}
