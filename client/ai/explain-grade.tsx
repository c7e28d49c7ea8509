import { IconSparkles } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { VerdictView } from '#shared/ai/verdicts.ts';
import { covers, startingModel } from '#shared/ai/views.ts';
import type { OutcomeType } from '#shared/meetings/outcome-types.ts';

import { ApiError } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { GradeSign, gradeText } from '../meetings/annotations/outcomes/outcome-card.tsx';
import { Button } from '../ui/button.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { CheckedPart } from './checked-part.tsx';
import styles from './suggestions.module.css';
import { Start, Terms } from './terms.tsx';
import { isExplaining, useExplaining, useHasModel } from './use-explaining.ts';
import { usePaying } from './who-pays.tsx';

export interface ExplainGradeProps {
  type: OutcomeType;
  name: string;
  /** Grade of the competency in the open assessment. */
  given: number | null;
}

/** Grade that a model would give for a competency, with words that play; absent where no model is set up. */
export default function ExplainGrade(props: ExplainGradeProps) {
  const { t } = useTranslation('explaining');
  const hasModel = useHasModel();
  const [open, setOpen] = useState(false);
  const id = useId();
  if (!hasModel) return null;
  return (
    <>
      <div className={styles.actions}>
        <Button
          look="quiet"
          icon={<IconSparkles size={18} stroke={1.5} aria-hidden="true" />}
          aria-label={t('openOf', { name: props.name })}
          aria-expanded={open}
          {...(open && { 'aria-controls': id })}
          onClick={() => setOpen(!open)}
        >
          {t('open')}
        </Button>
      </div>
      {open && (
        <div id={id}>
          <Explanation {...props} />
        </div>
      )}
    </>
  );
}

const gone = ['NO_PERM', 'NO_ACCESS', 'NOT_FOUND'];

function Explanation({ type, name, given }: ExplainGradeProps) {
  const { t } = useTranslation(['explaining', 'chat']);
  const explaining = useExplaining(type.id);
  const { explanation, stop } = explaining;
  const [begun, begin] = useState(false);
  const section = useRef<HTMLElement>(null);
  const { data, error, refetch } = explanation;
  // A right that has ended hides what was loaded before.
  if (error instanceof ApiError && gone.includes(error.code)) return <p role="alert">{t('noRight')}</p>;
  if (!data)
    return error ? (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('notLoaded')}
      </Failure>
    ) : (
      <Waiting label={t('loading')}>
        <Bone width="60%" />
      </Waiting>
    );
  const { verdict, run, models } = data;
  const making = isExplaining(data);
  // A button that had the focus goes.
  const toSection = () => section.current?.focus();
  const closeForm = () => {
    begin(false);
    toSection();
  };
  return (
    <section className={styles.suggestions} ref={section} tabIndex={-1} aria-label={t('title', { name })}>
      <div aria-live="polite">{verdict && <Verdict type={type} given={given} verdict={verdict} />}</div>
      <p className={run?.state === 'failed' ? styles.failed : styles.hint} role="status">
        <RunState {...data} />
      </p>
      {models.length === 0 ? (
        <p className={styles.hint}>{t('chat:refused.NO_MODEL')}</p>
      ) : making ? (
        <div className={styles.actions}>
          <Button busy={stop.isPending} onClick={() => stop.mutate(undefined, { onSuccess: toSection })}>
            {t('stop')}
          </Button>
        </div>
      ) : verdict && !begun ? (
        <div className={styles.actions}>
          <Button look="quiet" onClick={() => begin(true)}>
            {t('again')}
          </Button>
        </div>
      ) : (
        <ExplainForm {...explaining} data={data} onStarted={closeForm} onClose={begun ? closeForm : null} />
      )}
    </section>
  );
}

function Verdict({
  type,
  given,
  verdict,
}: Pick<ExplainGradeProps, 'type' | 'given'> & { verdict: NonNullable<VerdictView['verdict']> }) {
  const { t, i18n } = useTranslation(['explaining', 'chat', 'assessment', 'outcomes']);
  const { grade, parts, why, model, at } = verdict;
  const next = type.grades.map(({ value }) => value).filter((value) => value > grade);
  const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
  return (
    <div className={styles.card}>
      <p className={styles.name}>
        {t('gives')} <GradeSign type={type.id} grade={grade} />
      </p>
      {parts.map((part, nth) => (
        <CheckedPart key={nth} part={part} />
      ))}
      {next.length > 0 && why !== '' && (
        <>
          <p className={styles.hint}>{t('next', { grade: gradeText(t, type.id, Math.min(...next)) })}</p>
          <p>{why}</p>
        </>
      )}
      {given !== null && given !== grade && (
        <p className={styles.hint}>
          {t('differs')} <GradeSign type={type.id} grade={given} />
        </p>
      )}
      <p className={styles.hint}>
        {t('by', { model, date })} · {t('chat:checked')}
      </p>
    </div>
  );
}

interface ExplainFormProps extends Pick<ReturnType<typeof useExplaining>, 'explain' | 'explanation'> {
  data: VerdictView;
  onStarted: () => void;
  /** Way back to what the form hides; null for none. */
  onClose: (() => void) | null;
}

/** Says what is sent where and what it costs, before it begins. */
function ExplainForm({ data, explain, explanation, onStarted, onClose }: ExplainFormProps) {
  const { t } = useTranslation('explaining');
  const paying = usePaying(data.costs);
  const form = useRef<HTMLFormElement>(null);
  const asked = onClose !== null;
  // Opened on request in the place of a button that had the focus.
  useEffect(() => {
    if (asked) form.current?.focus();
  }, [asked]);
  const model = startingModel(data.models, data.model);
  if (!model) return null;
  const allowed = covers(data.consent, model);
  return (
    <form
      ref={form}
      tabIndex={-1}
      aria-label={t('open')}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        explain.mutate({ model: model.id, cost: paying.cost }, { onSuccess: onStarted });
      }}
    >
      <p className={styles.hint}>{t('about')}</p>
      <p className={styles.hint}>{t('sent')}</p>
      <Terms
        model={model}
        allowed={allowed}
        paying={paying}
        said={(price) => t('price', { price })}
        onAgain={() => void explanation.refetch()}
      />
      {explain.error && (
        <p className={styles.failed} role="alert">
          <Refusal error={explain.error} />
        </p>
      )}
      <Start allowed={allowed} paying={paying} busy={explain.isPending} onClose={onClose} />
    </form>
  );
}

const ours = ['RATE', 'CONFLICT'] as const;
const usual = ['NETWORK', 'CONSENT', 'NO_MODEL', 'FUNDS', 'PRICE', 'QUOTA'] as const;

function Refusal({ error }: { error: Error }) {
  const { t } = useTranslation(['explaining', 'suggestions']);
  const code = error instanceof ApiError ? error.code : '';
  const known = usual.find((one) => one === code);
  if (known) return t(`suggestions:refused.${known}`);
  return gone.includes(code) ? t('noRight') : t(`refused.${ours.find((one) => one === code) ?? 'other'}`);
}

function RunState({ run, verdict }: Pick<VerdictView, 'run' | 'verdict'>) {
  const { t } = useTranslation(['explaining', 'suggestions', 'chat']);
  if (!run) return null;
  const { state, failure, enough, read, lines, dropped } = run;
  if (state === 'failed') return failure === 'slow' ? t('slow') : t(`suggestions:failure.${failure ?? 'unexpected'}`);
  if (state === 'stopped') return t('suggestions:stopped');
  if (state === 'waiting') return t('suggestions:waiting');
  const partly = read !== null && lines !== null && read < lines;
  if (state === 'running') return partly ? t('suggestions:readingOf', { read, lines }) : t('suggestions:reading');
  const said = [
    ...(enough === false ? [t('none')] : verdict === null ? [t('gone')] : []),
    ...(dropped ? [t('suggestions:dropped', { count: dropped })] : []),
    ...(partly ? [t('chat:partly', { read, lines })] : []),
  ];
  return said.join(' ');
}
