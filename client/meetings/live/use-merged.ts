import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { useNotify, type NoticePart } from '../../store.ts';
import type { Merged, Passage } from './returns.ts';

/** The rest is only counted: a notice is read in passing. */
const mostLinks = 3;
const longestLink = 40;
const duration = 15_000;

/** Says what the return to the room brought, with ways to the passages others changed. */
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
  // Once for each return, whatever language the page speaks later.
  useEffect(() => {
    if (merged) say(merged);
  }, [merged]);
}

const beginningOf = ({ text }: Passage): string =>
  text.length <= longestLink ? text : `${text.slice(0, longestLink).replace(/\s+\S*$/, '')}…`;

/** Where it stands now, with a mark that fades. */
function show({ id }: Passage): void {
  const place = document.querySelector(`[data-id="${CSS.escape(id)}"]`);
  place?.scrollIntoView({ block: 'center' });
  place?.animate({ backgroundColor: ['var(--accent-tint)', 'transparent'] }, 2500);
}
