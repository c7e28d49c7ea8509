import { useSearchParams } from 'react-router-dom';

import { paths } from '../paths.ts';

/** Query of a recording's page on which the person continues after buying credits: its id, and what was chosen. */
const names = { id: 'pay', model: 'model', language: 'language', speakers: 'speakers' } as const;
/** Query that the payment page adds. */
const added = ['purchase', 'success'] as const;

interface Chosen {
  model: string;
  language: string;
  speakers: number;
}

/** Page that opens the dialog of a recording again, with the same choices. */
export function payingPage(id: string, chosen?: Chosen): string {
  const query = new URLSearchParams({ [names.id]: id });
  if (chosen) {
    query.set(names.model, chosen.model);
    query.set(names.language, chosen.language);
    query.set(names.speakers, String(chosen.speakers));
  }
  return `${paths.meeting.replace(':docId', encodeURIComponent(id))}?${query}`;
}

/** Whether the person came back to pay for this recording; `close` removes that from the address. */
export function useBackToPay(id: string): { isBack: boolean; chosen: Partial<Chosen>; close: () => void } {
  const [query, setQuery] = useSearchParams();
  const isBack = query.get(names.id) === id;
  const [model, language] = [query.get(names.model), query.get(names.language)];
  const speakers = Number(query.get(names.speakers) ?? Number.NaN);
  return {
    isBack,
    chosen: isBack
      ? {
          ...(model !== null && { model }),
          ...(language !== null && { language }),
          ...(Number.isInteger(speakers) && { speakers }),
        }
      : {},
    close: () => {
      if (!isBack) return;
      setQuery(
        (before) => {
          for (const name of [...Object.values(names), ...added]) before.delete(name);
          return before;
        },
        { replace: true },
      );
    },
  };
}
