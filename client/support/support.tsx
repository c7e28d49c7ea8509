import { IconMessageCircleQuestion } from '@tabler/icons-react';
import { useStore } from 'jotai';
import { useEffect, useEffectEvent, useRef, useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';

import { loadChunk } from '../load.ts';
import { useNotify } from '../store.ts';
import { usePhone } from '../ui/use-phone.ts';
import { askSupportAtom } from './asking.ts';
import type { PanelProps } from './panel.tsx';
import styles from './support.module.css';

const panelId = 'support';

/** 'Ask support': on a desktop in the corner of every page, signed in or not; on a phone only when a screen opens it. */
export function Support() {
  const { t } = useTranslation(['support', 'shell']);
  const notify = useNotify();
  const phone = usePhone();
  const [opened, setOpened] = useState(false);
  const [Panel, setPanel] = useState<ComponentType<PanelProps> | null>(null);
  // Kept outside the panel: a click beside it closes the panel and keeps the text.
  const [draft, setDraft] = useState(emptyDraft);
  const widget = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!opened) return;
    const away = (event: MouseEvent) => {
      const { target } = event;
      // The clicked element may have left the page by now; then it was not beside the widget.
      if (!(target instanceof Node) || !target.isConnected || widget.current?.contains(target)) return;
      if (!isSelecting()) setOpened(false);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !widget.current?.contains(document.activeElement)) return;
      setOpened(false);
      button.current?.focus();
    };
    document.addEventListener('click', away);
    document.addEventListener('keydown', escape);
    return () => {
      document.removeEventListener('click', away);
      document.removeEventListener('keydown', escape);
    };
  }, [opened]);

  const open = async () => {
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
    setDraft((before) => ({ ...before, text }));
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

  if (phone && !opened) return null;
  return (
    <aside ref={widget} className={styles.widget} aria-label={t('support:title')}>
      {opened && Panel && (
        <Panel
          id={panelId}
          draft={draft}
          onChange={setDraft}
          onClose={phone ? () => setOpened(false) : undefined}
          onSent={() => {
            setDraft(emptyDraft);
            setOpened(false);
            button.current?.focus();
          }}
        />
      )}
      {!phone && (
        <button
          ref={button}
          type="button"
          className={styles.button}
          aria-haspopup="dialog"
          aria-expanded={opened}
          aria-controls={opened ? panelId : undefined}
          onClick={() => (opened ? setOpened(false) : void open())}
        >
          <IconMessageCircleQuestion size={20} stroke={1.5} aria-hidden="true" />
          {t('support:title')}
        </button>
      )}
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
