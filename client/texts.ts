import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { needTexts, type TextPart } from './i18n.ts';

/** Whether the texts of a part are here; asked for when the first screen of it appears. Throws where they cannot come. */
export function useTexts(part: TextPart): boolean {
  const { i18n } = useTranslation();
  const { language } = i18n;
  /** Of the language they came in last: what stands on the screen stays there while another one is on its way. */
  const [loaded, setLoaded] = useState(() => (i18n.hasResourceBundle(language, part) ? language : null));
  const [failure, setFailure] = useState<Error | null>(null);
  // Also when the language changes: it may have been on its way before anybody knew that this part is needed.
  useEffect(() => {
    let here = true;
    needTexts(i18n, part).then(
      () => here && setLoaded(language),
      (error: Error) => here && setFailure(error),
    );
    return () => {
      here = false;
    };
  }, [i18n, language, part]);
  if (failure) throw failure;
  return loaded !== null;
}
