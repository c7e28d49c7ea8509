import { IconAlertCircle, IconInfoCircle, IconX } from '@tabler/icons-react';
import { useAtom } from 'jotai';
import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
} from 'react';
import { createPortal } from 'react-dom';

import { noticeAtom, type NoticePart, type ShownNotice } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { Countdown } from './countdown.ts';
import { noticeHost } from './notice-host.ts';
import styles from './notice.module.css';
import { SafeLink } from './safe-link.tsx';

/**
 * Single notice of the page. Both live regions are always present, because a region inserted together with its text is
 * not announced. They are beside the root, above dialogs; the topmost dialog owns them, as everything outside it is
 * nothing to a screen reader.
 */
export function NoticeHost() {
  const [notice, show] = useAtom(noticeAtom);
  const card = notice && <NoticeCard key={notice.id} notice={notice} onClose={() => show(null)} />;
  return createPortal(
    <div id={noticeHost} className={styles.host}>
      <div role="alert">{notice?.type === 'error' && card}</div>
      <div role="status">{notice?.type === 'info' && card}</div>
    </div>,
    document.body,
  );
}

function NoticeCard({ notice, onClose }: { notice: ShownNotice; onClose: () => void }) {
  const { t } = useTranslation('common');
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const cameFrom = useRef<HTMLElement | null>(null);

  const held = hovered || focused;
  const { duration } = notice;
  const left = useRef<Countdown | null>(null);
  const runOut = useEffectEvent(onClose);
  useEffect(() => {
    if (held) return;
    const countdown = (left.current ??= new Countdown(duration, () => runOut()));
    countdown.run();
    return () => countdown.pause();
  }, [duration, held]);

  const card = useRef<HTMLDivElement>(null);
  // A dialog keeps clear of it (kit.module.css).
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    const { style } = document.documentElement;
    const measure = () => style.setProperty('--notice', `${element.offsetHeight}px`);
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => {
      resized.disconnect();
      style.removeProperty('--notice');
    };
  }, []);

  const dismiss = () => {
    if (focused) cameFrom.current?.focus();
    notice.onDismiss?.();
    onClose();
  };
  const enter = (event: FocusEvent<HTMLElement>) => {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    if (event.relatedTarget instanceof HTMLElement) cameFrom.current = event.relatedTarget;
    setFocused(true);
  };
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setFocused(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    dismiss();
  };

  const Icon = notice.type === 'error' ? IconAlertCircle : IconInfoCircle;
  return (
    <div
      ref={card}
      className={styles.card}
      data-type={notice.type}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={enter}
      onBlur={leave}
      onKeyDown={onKeyDown}
    >
      <Icon className={styles.icon} size={20} stroke={1.5} aria-hidden="true" />
      <p className={styles.message}>
        {typeof notice.message === 'string'
          ? notice.message
          : // Parts never move, so their index identifies them.
            notice.message.map((part, place) => <Part key={place} part={part} onFollow={dismiss} />)}
      </p>
      <button type="button" className={styles.close} aria-label={t('close')} onClick={dismiss} {...ownEscape}>
        <IconX size={18} stroke={1.5} aria-hidden="true" />
      </button>
    </div>
  );
}

/** Keeps the kit from closing a dialog by an Escape that was meant for the notice. */
const ownEscape = { 'data-mantine-stop-propagation': 'true' };

function Part({ part, onFollow }: { part: NoticePart; onFollow: () => void }) {
  if (typeof part === 'string') return part;
  switch (part.kind) {
    case 'br':
      return <br />;
    case 'link':
      return <SafeLink href={part.href}>{part.text}</SafeLink>;
    case 'docLink':
      return <SafeLink href={`/meeting/${encodeURIComponent(part.id)}`}>{part.text}</SafeLink>;
    case 'clickable':
      return (
        <button
          type="button"
          className={styles.clickable}
          {...ownEscape}
          onClick={() => {
            onFollow();
            part.onClick();
          }}
        >
          {part.text}
        </button>
      );
  }
}
