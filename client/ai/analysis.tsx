import { useId } from 'react';

import { writtenByHand, type AnalysisView, type AssistantView } from '#shared/ai/views.ts';

import { ApiError } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { Button } from '../ui/button.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './chat-pane.module.css';
import { CheckedPart } from './checked-part.tsx';
import { refusalOf } from './refusals.ts';
import { isUnderWay } from './use-ai-news.ts';
import { useAnalysis } from './use-analysis.ts';
import { usePaying, WhoPays } from './who-pays.tsx';

/**
 * Analysis of the recording, for all of its readers; editors have it made by the model, where there is one that the
 * owner allows.
 */
export function Analysis({ model }: { model: AssistantView | null }) {
  const { t, i18n } = useTranslation('chat');
  const { permissions } = useMeeting().about;
  const { analysis, make, stop } = useAnalysis();
  const heading = useId();
  const paying = usePaying(analysis.data?.costs ?? []);
  const { data, error, refetch } = analysis;
  if (!data)
    return error ? (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('analysis.notLoaded')}
      </Failure>
    ) : (
      <Waiting label={t('analysis.loading')}>
        <Bone width="60%" />
      </Waiting>
    );
  const { analysis: stored, run } = data;
  const mayAsk = permissions.includes('write') && model !== null;
  if (!stored && !run && !mayAsk) return null;
  const making = isUnderWay(data);
  const date = (at: string) =>
    new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
  return (
    <section className={styles.analysis} aria-labelledby={heading}>
      <h3 id={heading}>{t('analysis.title')}</h3>
      {stored ? (
        <>
          {stored.parts.map((part, nth) => (
            <CheckedPart key={nth} part={part} />
          ))}
          <p className={styles.hint}>
            {stored.model === writtenByHand
              ? t('analysis.byHand')
              : t('analysis.byModel', { model: stored.model, date: date(stored.at) })}
            {stored.older && <> · {t('analysis.older')}</>}
          </p>
          <p className={styles.hint}>{t('checked')}</p>
        </>
      ) : (
        <p className={styles.hint}>{t('analysis.text')}</p>
      )}
      <p className={run?.state === 'failed' ? styles.failed : styles.state} role="status">
        {run && <RunState run={run} />}
      </p>
      {make.error && (
        <p className={styles.failed} role="alert">
          {t(refusedOf(make.error))}
        </p>
      )}
      {mayAsk && (
        <>
          {!making && (
            <WhoPays
              {...paying}
              className={styles.hint}
              said={(price) => t('analysis.price', { price })}
              onAgain={() => void refetch()}
            />
          )}
          <div className={styles.actions}>
            {making ? (
              <Button busy={stop.isPending} onClick={() => stop.mutate()}>
                {t('analysis.stop')}
              </Button>
            ) : (
              <Button
                busy={make.isPending}
                disabled={!paying.isPossible}
                onClick={() => make.mutate({ model: model.id, cost: paying.cost })}
              >
                {t(stored ? 'analysis.again' : 'analysis.make')}
              </Button>
            )}
          </div>
        </>
      )}
    </section>
  );
}

function RunState({ run }: { run: NonNullable<AnalysisView['run']> }) {
  const { t } = useTranslation('chat');
  const { state, failure, enough, read, lines } = run;
  if (state === 'failed') return t(failure === 'slow' ? 'analysis.slow' : `failure.${failure ?? 'unexpected'}`);
  if (state === 'stopped') return t('stopped');
  if (state === 'waiting') return t('waiting');
  if (state === 'done') return enough === false ? t('doesNotSay') : null;
  return read !== null && lines !== null && read < lines ? t('analysis.readingOf', { read, lines }) : t('reading');
}

const refusedOf = (error: Error): `analysis.${'NETWORK' | 'CONFLICT' | 'other'}` | ReturnType<typeof refusalOf> => {
  const code = error instanceof ApiError ? error.code : null;
  if (code === 'NETWORK' || code === 'CONFLICT') return `analysis.${code}`;
  const refusal = refusalOf(error);
  return refusal === 'refused.other' ? 'analysis.other' : refusal;
};
