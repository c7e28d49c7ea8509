import { useEffect, useRef } from 'react';

/** A press this long counts as held and then repeats. */
const holdAfter = 400;
const holdEvery = 220;

/** Handlers of a button that runs its work when pressed, and repeatedly while held. */
export function useHold(work: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Whether the pointer pressed on the button is still over it. */
  const pressed = useRef<'here' | 'away' | null>(null);
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  const stop = () => clearTimeout(timer.current);
  useEffect(() => stop, []);
  const away = () => {
    stop();
    if (pressed.current) pressed.current = 'away';
  };
  const again = (wait: number) => {
    timer.current = setTimeout(() => {
      latest.current();
      again(holdEvery);
    }, wait);
  };
  return {
    onPointerDown: ({ button }: { button: number }) => {
      if (button !== 0) return;
      pressed.current = 'here';
      latest.current();
      stop();
      again(holdAfter);
    },
    onPointerUp: stop,
    onPointerLeave: away,
    onPointerCancel: away,
    onPointerEnter: ({ buttons }: { buttons: number }) => {
      if (pressed.current === 'away' && buttons > 0) pressed.current = 'here';
    },
    // Keyboards and screen readers click without a pointer; a pointer may also be released elsewhere.
    onClick: () => {
      if (pressed.current !== 'here') latest.current();
      pressed.current = null;
    },
  };
}
