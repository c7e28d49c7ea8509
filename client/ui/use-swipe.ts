import { useRef, type TouchEvent } from 'react';

/** Pixels that a finger moves across, at least, and how much more than along. */
const least = 48;
const steep = 2;

interface SwipeHandlers {
  onTouchStart: (event: TouchEvent) => void;
  onTouchEnd: (event: TouchEvent) => void;
  onTouchCancel: () => void;
}

/** Calls back for a swipe across: 1 to the next one, as the finger moves left, -1 to the one before. */
export function useSwipe(onStep: (by: 1 | -1) => void): SwipeHandlers {
  const began = useRef<{ x: number; y: number } | null>(null);
  return {
    onTouchStart: ({ touches }) => {
      const touch = touches.item(0);
      began.current = touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
    },
    onTouchEnd: ({ changedTouches }) => {
      const from = began.current;
      began.current = null;
      if (!from) return;
      const touch = changedTouches.item(0);
      const [across, along] = [touch.clientX - from.x, touch.clientY - from.y];
      if (Math.abs(across) < least || Math.abs(across) < Math.abs(along) * steep) return;
      onStep(across < 0 ? 1 : -1);
    },
    onTouchCancel: () => {
      began.current = null;
    },
  };
}
