import { useStore } from 'jotai';

import { unsavedAtom, useConfirm } from '../store.ts';
import { useTranslation } from '../use-translation.ts';

type Store = ReturnType<typeof useStore>;

/** Milliseconds that a reload waits for what was typed last. */
const patience = 5_000;

/** Sends what was typed last, and waits until everything is saved; false if that takes too long. */
export async function flush(store: Store, leaveField: () => void, wait = patience): Promise<boolean> {
  // Fields that send in pauses send when they are left.
  leaveField();
  await Promise.resolve();
  if (store.get(unsavedAtom) === 0) return true;
  return new Promise((resolve) => {
    const end = (saved: boolean) => {
      clearTimeout(timer);
      stop();
      resolve(saved);
    };
    const timer = setTimeout(() => end(false), wait);
    const stop = store.sub(unsavedAtom, () => store.get(unsavedAtom) === 0 && end(true));
  });
}

/** Asks only where something stays unsaved: true if the page may be reloaded. */
export function useReadyToReload(): () => Promise<boolean> {
  const { t } = useTranslation(['common', 'shell']);
  const store = useStore();
  const confirm = useConfirm();
  return async () => {
    const leave = () => document.activeElement instanceof HTMLElement && document.activeElement.blur();
    return (
      (await flush(store, leave)) ||
      confirm({ title: t('shell:version.unsaved'), action: t('common:reload'), danger: true })
    );
  };
}
