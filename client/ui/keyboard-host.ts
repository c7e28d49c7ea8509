import { useLayoutEffect } from 'react';

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
  return null;
}
