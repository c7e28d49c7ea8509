import { useStore } from 'jotai';
import { useEffect, useEffectEvent, useRef, useState, type ComponentType } from 'react';

import { loadChunk } from '../load.ts';
import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { askSupportAtom } from './asking.ts';
import type { PanelProps } from './panel.tsx';
import styles from './support.module.css';

const panelId = 'support';

/** 'Ask support': a panel that the account menu, the menu of a recording and failed screens open; signed in or not. */
export function Support() {
  const { t } = useTranslation(['support', 'shell']);
  const notify = useNotify();
  const [opened, setOpened] = useState(false);
  const [Panel, setPanel] = useState<ComponentType<PanelProps> | null>(null);
  // Kept outside the panel: a click beside it closes the panel and keeps the text.
  const [draft, setDraft] = useState(emptyDraft);
  const widget = useRef<HTMLElement>(null);
  /** Element that gets the focus back, as a rule the button of a menu. */
  const opener = useRef<Element | null>(null);
  const close = () => {
    setOpened(false);
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  const closeByKey = useEffectEvent(close);

  useEffect(() => {
    if (!opened) return;
    const since = performance.now();
    const away = (event: MouseEvent) => {
      const { target, timeStamp } = event;
      // The clicked element may have left the page by now; then it was not beside the widget.
      if (!(target instanceof Node) || !target.isConnected || widget.current?.contains(target)) return;
      // The click that opened the panel is still on its way.
      if (timeStamp > since && !isSelecting()) setOpened(false);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && widget.current?.contains(document.activeElement)) closeByKey();
    };
    document.addEventListener('click', away);
    document.addEventListener('keydown', escape);
    return () => {
      document.removeEventListener('click', away);
      document.removeEventListener('keydown', escape);
    };
  }, [opened]);

  const open = async () => {
    opener.current = document.activeElement;
    try {
      const loaded = Panel ?? (await loadChunk(() => import('./panel.tsx'))).default;
      setPanel(() => loaded);
      setOpened(true);
    } catch {
      // Only a notice: the page and what is typed in it must not suffer.
      notify({ message: t('shell:error.chunk') });
    }
  };
  const store = useStore();
  const takeUp = useEffectEvent((text: string) => {
    if (text !== '') setDraft((before) => ({ ...before, text }));
    void open();
  });
  useEffect(
    () =>
      store.sub(askSupportAtom, () => {
        const text = store.get(askSupportAtom);
        if (text === null) return;
        store.set(askSupportAtom, null);
        takeUp(text);
      }),
    [store],
  );

  if (!opened || !Panel) return null;
  return (
    <aside ref={widget} className={styles.widget} aria-label={t('support:title')}>
      <Panel
        id={panelId}
        draft={draft}
        onChange={setDraft}
        onClose={close}
        onSent={() => {
          setDraft(emptyDraft);
          close();
        }}
      />
    </aside>
  );
}

const emptyDraft = { contact: '', text: '' };

/** The click ended a selection of text, in the page or in a field (two different selections in some browsers). */
function isSelecting(): boolean {
  const field = document.activeElement;
  if (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) {
    if (field.selectionStart !== null && field.selectionStart !== field.selectionEnd) return true;
  }
  return !(window.getSelection()?.isCollapsed ?? true);
}
