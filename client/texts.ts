import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { needTexts, type TextPart } from './i18n.ts';

/** Whether the texts of a part are here; asked for when the first screen of it appears. Throws where they cannot come. */
export function useTexts(part: TextPart): boolean {
  const { i18n } = useTranslation();
  const [ready, setReady] = useState(() => i18n.hasResourceBundle(i18n.language, part));
  const [failure, setFailure] = useState<Error | null>(null);
  useEffect(() => {
    let here = true;
    needTexts(i18n, part).then(
      () => here && setReady(true),
      (error: Error) => here && setFailure(error),
    );
    return () => {
      here = false;
    };
  }, [i18n, part]);
  if (failure) throw failure;
  return ready;
}
