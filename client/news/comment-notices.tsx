import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent } from 'react';

import type { CommentNews, PageNews } from '#shared/page-news.ts';

import { useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { useTranslation } from '../use-translation.ts';
import { ownLineAtom } from './own-line.ts';

const noticed = 15_000;

const said = { mention: 'told', reply: 'replied', comment: 'commented' } as const;

const concerns = (news: PageNews): news is CommentNews => news.kind in said;

/** Whether the page shows that recording, where the comment comes by itself; pages of its reviews do not. */
const shows = (meeting: string) => location.pathname === `/meeting/${encodeURIComponent(meeting)}`;

/** Shows a notice to somebody whom a comment concerns, on any page. */
export default function CommentNotices() {
  const ready = useTexts('sharing', { inBackground: true });
  const { t } = useTranslation('commentNews');
  const line = useAtomValue(ownLineAtom);
  const notify = useNotify();
  const told = useEffectEvent(({ kind, meeting, comment, author, title }: CommentNews) => {
    if (kind !== 'mention' && shows(meeting)) return;
    const query = new URLSearchParams({ comment }).toString();
    notify({
      type: 'info',
      duration: noticed,
      message: [
        t(said[kind], { author: author || t('somebody'), title: title || t('untitled') }),
        ' ',
        { kind: 'link', href: `/meeting/${encodeURIComponent(meeting)}?${query}`, text: t('look') },
      ],
    });
  });
  useEffect(() => {
    if (!ready) return undefined;
    return line.subscribe({
      connected: () => {},
      received: (message) => {
        const news = message as PageNews;
        if (concerns(news)) told(news);
      },
    });
  }, [line, ready]);
  return null;
}
