import { useEffect, useRef } from 'react';

/** A finger that stays is meant, and then goes on. */
const holdAfter = 400;
const holdEvery = 220;

/** Of a button that does its work when pressed, and again and again while it is held. */
export function useHold(work: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Whether the pointer that came down on it is still there. */
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
    // By a key, or by a program that reads the screen aloud, no pointer ever came down; or it went up elsewhere.
    onClick: () => {
      if (pressed.current !== 'here') latest.current();
      pressed.current = null;
    },
  };
}
