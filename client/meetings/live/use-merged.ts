import { useEffect, useEffectEvent } from 'react';

import { useNotify, type NoticePart } from '../../store.ts';
import { useTranslation } from '../../use-translation.ts';
import type { Merged, Passage } from './returns.ts';

/** Further passages are only counted, because a notice is read in passing. */
const mostLinks = 3;
const longestLink = 40;
const duration = 15_000;

/** Announces a merge, with links to the passages others changed. */
export function useMerged(merged: Merged | null): void {
  const { t } = useTranslation('document');
  const notify = useNotify();
  const say = useEffectEvent(({ mine, passages }: Merged) => {
    const message: NoticePart[] = [t('merged.title')];
    if (mine > 0) message.push(' ', t('merged.mine', { count: mine }));
    if (passages.length > 0) message.push(' ', t('merged.others', { count: passages.length }));
    for (const passage of passages.filter(({ text }) => text !== '').slice(0, mostLinks))
      message.push(' ', { kind: 'clickable', text: beginningOf(passage), onClick: () => show(passage) });
    notify({ type: 'info', message, duration });
  });
  // Once a merge, even if the page's language changes later.
  useEffect(() => {
    if (merged) say(merged);
  }, [merged]);
}

const beginningOf = ({ text }: Passage): string =>
  text.length <= longestLink ? text : `${text.slice(0, longestLink).replace(/\s+\S*$/, '')}…`;

/** Scrolls to the passage and flashes it. */
function show({ id }: Passage): void {
  const place = document.querySelector(`[data-id="${CSS.escape(id)}"]`);
  place?.scrollIntoView({ block: 'center' });
  place?.animate({ backgroundColor: ['var(--accent-tint)', 'transparent'] }, 2500);
}
