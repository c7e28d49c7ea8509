import { useEffect, useState } from 'react';

import { readAbout } from '#shared/meetings/about.ts';

import { usePreferences } from '../../preferences.ts';
import { useDocument } from './meeting-context.ts';
import type { AskSentences, Sentences } from '../text/sentence-keys.ts';

/** Person's preferences and the recording's language, read at each key press. */
export function useSentences(): AskSentences {
  const { doc } = useDocument();
  const [{ disableAutoPeriod = false, disableAutoCapitalize = false, disableAutoDecapitalize = false }] =
    usePreferences();
  const [now] = useState(() => {
    let read = (): Sentences => ({ preferences: {}, lang: '' });
    return { ask: () => read(), say: (next: () => Sentences) => void (read = next) };
  });
  useEffect(() => {
    const preferences = { disableAutoPeriod, disableAutoCapitalize, disableAutoDecapitalize };
    now.say(() => ({ preferences, lang: readAbout(doc).lang }));
  }, [now, doc, disableAutoPeriod, disableAutoCapitalize, disableAutoDecapitalize]);
  return now.ask;
}
