import { useEffect, useState } from 'react';

import { needTexts, type TextPart } from './i18n.ts';
import { loadWhenPossible } from './load.ts';
import { useTranslation } from './use-translation.ts';

/**
 * True once the texts of a part are loaded; the first screen of the part loads them. Throws where they do not load, except
 * in the background, where nobody asked for the part: there they come once they can be loaded.
 */
export function useTexts(part: TextPart, { inBackground = false } = {}): boolean {
  const { i18n } = useTranslation();
  const { language } = i18n;
  /** The language loaded last: its texts stay on screen while another one is loaded. */
  const [loaded, setLoaded] = useState(() => (i18n.hasResourceBundle(language, part) ? language : null));
  const [failure, setFailure] = useState<Error | null>(null);
  // Also when the language changes: its loading may have begun before this part was needed.
  useEffect(() => {
    let here = true;
    const need = () => needTexts(i18n, part);
    (inBackground ? loadWhenPossible(need) : need()).then(
      () => here && setLoaded(language),
      (error: Error) => here && setFailure(error),
    );
    return () => {
      here = false;
    };
  }, [i18n, language, part, inBackground]);
  if (failure) throw failure;
  return loaded !== null;
}
