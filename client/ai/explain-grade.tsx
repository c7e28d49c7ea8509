import { IconSparkles } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';

import type { VerdictView } from '#shared/ai/verdicts.ts';
import { joinSentences } from '#shared/i18n/sentences.ts';
import type { OutcomeType } from '#shared/meetings/outcome-types.ts';

import { ApiError } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { GradeSign, gradeText } from '../meetings/annotations/outcomes/outcome-card.tsx';
import { Button } from '../ui/button.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { CheckedPart } from './checked-part.tsx';
import { ModelWork } from './model-work.tsx';
import styles from './suggestions.module.css';
import { useExplaining, useHasModel } from './use-explaining.ts';

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
  const { t } = useTranslation(['explaining', 'chat', 'modelWork']);
  const { explanation, explain, stop } = useExplaining(type.id);
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
  const { verdict } = data;
  const doneOf = ({ run }: VerdictView) => {
    if (!run) return '';
    const { enough, dropped, read, lines } = run;
    const said: string[] = [
      ...(enough === false ? [t('none')] : verdict === null ? [t('gone')] : []),
      ...(dropped ? [t('modelWork:dropped', { count: dropped })] : []),
      ...(read !== null && lines !== null && read < lines ? [t('chat:partly', { read, lines })] : []),
    ];
    return joinSentences(...said);
  };
  return (
    <section className={styles.suggestions} ref={section} tabIndex={-1} aria-label={t('title', { name })}>
      <div aria-live="polite">{verdict && <Verdict type={type} given={given} verdict={verdict} />}</div>
      <ModelWork
        view={data}
        failure={error}
        onAgain={() => void refetch()}
        start={explain}
        onStart={explain.mutate}
        stop={stop}
        isMade={verdict !== null}
        onFreed={() => section.current?.focus()}
        words={{
          ...{ open: t('open'), again: t('again'), about: t('about'), sends: t('sent'), stop: t('stop') },
          price: (price) => t('price', { price }),
          done: doneOf(data),
        }}
      />
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
