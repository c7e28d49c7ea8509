const attemptsKey = 'colloquy-reloads';
const mostAttempts = 5;
const forgetAfter = 10 * 60_000;

interface Page {
  /** The version this page was built as; null when it was not served by our server. */
  version: string | null;
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Nothing is unsaved or half typed. */
  isClean(): boolean;
  now(): number;
  reload(): void;
  offer(version: string): void;
}

/**
 * Compares the X-Version of every answer with the page's. An older page reloads, at most five times; over unsaved work
 * the reload is only offered. The count starts again once both agree, but not within ten minutes: during a deployment
 * old and new servers answer in turn, and a proxy may keep serving the old page.
 */
export function createVersionWatch(page: Page): (version: string) => void {
  let reloading = false;
  let offered: string | null = null;
  return (version) => {
    if (page.version === null || reloading) return;
    const [attempts, since] = readAttempts(page);
    if (version === page.version) {
      if (attempts > 0 && page.now() - since > forgetAfter) page.storage.removeItem(attemptsKey);
      return;
    }
    if (attempts < mostAttempts && page.isClean()) {
      reloading = true;
      page.storage.setItem(attemptsKey, `${attempts + 1} ${attempts === 0 ? page.now() : since}`);
      page.reload();
    } else if (offered !== version) {
      offered = version;
      page.offer(version);
    }
  };
}

function readAttempts({ storage, now }: Page): [attempts: number, since: number] {
  const [attempts, since] = (storage.getItem(attemptsKey) ?? '').split(' ').map(Number);
  return attempts && since ? [attempts, since] : [0, now()];
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
