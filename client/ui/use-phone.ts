import { useSyncExternalStore } from 'react';

// 600 px as in the style sheets: 37.5 em of the browser's text size.
const query = '(max-width: 37.5em)';

const phone = mediaOf(query);

export const usePhone = (): boolean => useSyncExternalStore(phone.watch, phone.matches);

const touch = mediaOf('(hover: none) and (pointer: coarse)');

/** Whether this device is used with a finger: without a mouse that hovers, and with a keyboard that covers the screen. */
export const useTouch = (): boolean => useSyncExternalStore(touch.watch, touch.matches);

function mediaOf(condition: string) {
  return {
    matches: () => window.matchMedia(condition).matches,
    watch(changed: () => void): () => void {
      const media = window.matchMedia(condition);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
  };
}
