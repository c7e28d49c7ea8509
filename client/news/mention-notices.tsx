import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';

import type { PageNews } from '#shared/page-news.ts';

import { useNotify } from '../store.ts';
import { ownLineAtom } from './own-line.ts';

type Mention = Extract<PageNews, { kind: 'mention' }>;

const noticed = 15_000;

/** Shows a notice to somebody mentioned in a comment, on any page. */
export default function MentionNotices() {
  const { t } = useTranslation('shell');
  const line = useAtomValue(ownLineAtom);
  const notify = useNotify();
  const told = useEffectEvent(({ meeting, comment, author, title }: Mention) => {
    const query = new URLSearchParams({ comment }).toString();
    notify({
      type: 'info',
      duration: noticed,
      message: [
        t('mention.told', { author: author || t('mention.somebody'), title: title || t('mention.untitled') }),
        ' ',
        { kind: 'link', href: `/meeting/${encodeURIComponent(meeting)}?${query}`, text: t('mention.look') },
      ],
    });
  });
  useEffect(
    () =>
      line.subscribe({
        connected: () => {},
        received: (said) => {
          const news = said as PageNews;
          if (news.kind === 'mention') told(news);
        },
      }),
    [line],
  );
  return null;
}
