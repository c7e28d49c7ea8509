import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { joinSentences } from '#shared/i18n/sentences.ts';

import { ApiError, useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { CopyButton } from '../ui/copy.tsx';
import { TextField } from '../ui/field.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Bone, PageBones, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './billing.module.css';

/** The person's link for inviting others, and what it brings. */
export default function Invite() {
  const ready = useTexts('billing');
  return ready ? <Page /> : <PageBones />;
}

const steps = ['accept', 'signIn', 'verify'] as const;

function Page() {
  const { t } = useTranslation('billing');
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['referral-link'],
    queryFn: ({ signal }) => parseResponse(api.referrals.$post(undefined, { init: { signal } })),
    staleTime: Infinity,
    retry: false,
  });
  const unconfirmed = error instanceof ApiError && error.code === 'NO_PERM';
  return (
    <>
      <PageTitle lead={t('invite.lead')}>{t('invite.title')}</PageTitle>
      {data ? (
        <div className={styles.parts}>
          <div className={styles.link}>
            <TextField
              label={t('invite.link')}
              value={data.url}
              readOnly
              dir="ltr"
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
            <CopyButton value={data.url} label={t('invite.copy')} />
          </div>
          <section>
            <h2>{t('invite.stepsTitle')}</h2>
            <ol className={styles.steps}>
              {steps.map((step) => (
                <li key={step}>{t(`invite.steps.${step}`)}</li>
              ))}
            </ol>
          </section>
          <p className={styles.small}>{joinSentences(t('invite.sharing'), t('invite.most'))}</p>
        </div>
      ) : unconfirmed ? (
        <p role="note">{t('invite.unconfirmed')}</p>
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Waiting label={t('invite.waiting')}>
          <Bone width="70%" height="3rem" />
        </Waiting>
      )}
    </>
  );
}
