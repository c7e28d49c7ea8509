import { IconMailOff, IconMailOpened } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { Link, useSearchParams } from 'react-router-dom';

import { ApiError, useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { relativeDate } from '../ui/dates.tsx';
import { Empty } from '../ui/empty.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { Letter } from './letter.tsx';
import styles from './outbox.module.css';

const refresh = 3_000;

/** Mails kept on this machine because no mail server is configured: a list, and the open one. */
export default function Outbox() {
  const { t, i18n } = useTranslation('outbox');
  const api = useApi();
  const phone = usePhone();
  const [search] = useSearchParams();
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['outbox'],
    queryFn: ({ signal }) => parseResponse(api.outbox.$get({ query: {} }, { init: { signal } })),
    staleTime: 0,
    // Polls for a mail that was just requested; stops after a failure, so that it is shown once.
    refetchInterval: (query) => query.state.status !== 'error' && refresh,
  });

  if (error instanceof ApiError && error.status === 404) {
    return (
      <>
        <PageTitle>{t('title')}</PageTitle>
        <Empty title={t('closedTitle')} icon={<IconMailOff size={32} stroke={1.5} />}>
          {t('closedText')}
        </Empty>
      </>
    );
  }
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} page /> : <PageBones />;

  const wanted = data.find(({ id }) => id === search.get('mail'));
  const shown = wanted ?? (phone ? undefined : data[0]);
  const now = new Date(dataUpdatedAt);
  const list = (
    <nav aria-label={t('list')}>
      <ul className={styles.list}>
        {data.map(({ id, to, subject, at }) => (
          <li key={id}>
            <Link to={{ search: `?mail=${id}` }} className={styles.entry} aria-current={id === shown?.id || undefined}>
              <span className={styles.to}>{to}</span>
              <time dateTime={at}>{relativeDate(new Date(at), now, i18n.language)}</time>
              <span className={styles.subject}>{subject}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );

  return (
    <>
      <PageTitle lead={t('lead')}>{t('title')}</PageTitle>
      {data.length === 0 ? (
        <Empty title={t('emptyTitle')} icon={<IconMailOpened size={32} stroke={1.5} />}>
          {t('emptyText')}
        </Empty>
      ) : (
        <div className={styles.panes}>
          {phone && shown ? <Link to={{ search: '' }}>{t('back')}</Link> : list}
          {shown && <Letter mail={shown} />}
        </div>
      )}
    </>
  );
}
