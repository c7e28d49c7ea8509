import { useAtom } from 'jotai';
import { useEffect, useEffectEvent, useState, type ComponentType } from 'react';

import { loadChunk } from '../load.ts';
import { questionAtom, useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';

const load = () => import('./confirm.tsx');

/** Preloads the dialog for pages that may have to ask while offline. */
export const bringConfirm = (): void => void load().catch(() => {});

/**
 * Shows the questions of `useConfirm`; loads the dialog with the first one. Where it does not load, the answer is no: the
 * page and what is typed in it must not suffer.
 */
export function ConfirmHost() {
  const { t } = useTranslation('shell');
  const notify = useNotify();
  const [question, ask] = useAtom(questionAtom);
  const [Dialog, setDialog] = useState<ComponentType | null>(null);
  const decline = useEffectEvent(() => {
    question?.answer(false);
    ask(null);
    notify({ message: t('error.partAway') });
  });
  const asked = question !== null;
  useEffect(() => {
    if (!asked || Dialog) return;
    let here = true;
    loadChunk(load).then(
      (loaded) => here && setDialog(() => loaded.default),
      () => here && decline(),
    );
    return () => {
      here = false;
    };
  }, [asked, Dialog]);
  return Dialog && <Dialog />;
}
