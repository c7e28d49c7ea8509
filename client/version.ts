const attemptsKey = 'colloquy-reloads';
const longestRow = 5;

export interface Page {
  /** The version this page was built as; null when it was not served by our server. */
  version: string | null;
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Nothing unsaved, nothing half typed. */
  isClean(): boolean;
  reload(): void;
  offer(version: string): void;
}

/**
 * Judges the X-Version of every answer. A page that is behind reloads, five times in a row at most (a proxy may keep
 * serving the old one), and never over someone's work: then the reload is only offered.
 */
export function createVersionWatch(page: Page): (version: string) => void {
  let decided = false;
  return (version) => {
    if (page.version === null) return;
    if (version === page.version) {
      if (!decided) page.storage.removeItem(attemptsKey);
      return;
    }
    if (decided && !page.isClean()) return;
    const attempts = Number(page.storage.getItem(attemptsKey) ?? 0) || 0;
    decided = true;
    if (attempts >= longestRow || !page.isClean()) return page.offer(version);
    page.storage.setItem(attemptsKey, String(attempts + 1));
    page.reload();
  };
}

/**
 * Knows whether someone is in the middle of typing: a composition is open, or a field was changed on this screen.
 * `settle` is called when the screen changes and its fields are gone.
 */
export function watchTyping(target: Pick<EventTarget, 'addEventListener'>): { isIdle(): boolean; settle(): void } {
  let composing = false;
  let touched = false;
  target.addEventListener('compositionstart', () => (composing = true), true);
  target.addEventListener('compositionend', () => (composing = false), true);
  target.addEventListener('input', () => (touched = true), true);
  return {
    isIdle: () => !composing && !touched,
    settle: () => (touched = false),
  };
}
