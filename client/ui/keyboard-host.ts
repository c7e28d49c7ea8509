import { useEffect, useLayoutEffect } from 'react';

import { revealFocus } from './reveal-focus.ts';
import { useKeyboard } from './use-keyboard.ts';

/** Says in styles how much of the page an on-screen keyboard leaves visible, so that it covers no line and no button. */
export default function KeyboardHost() {
  const keyboard = useKeyboard();
  const [height, top] = [keyboard?.height ?? null, keyboard?.top ?? 0];
  useLayoutEffect(() => {
    if (height === null) return;
    const { style, dataset } = document.documentElement;
    style.setProperty('--seen', `${height}px`);
    style.setProperty('--seen-top', `${top}px`);
    dataset['keyboard'] = '';
    return () => {
      style.removeProperty('--seen');
      style.removeProperty('--seen-top');
      delete dataset['keyboard'];
    };
  }, [height, top]);
  useEffect(() => {
    if (height === null) return;
    // The page takes its new height with the next frame.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(revealFocus);
    });
    return () => cancelAnimationFrame(frame);
  }, [height]);
  return null;
}
