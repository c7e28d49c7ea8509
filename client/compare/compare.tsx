import { IconArrowLeft, IconColumns, IconLock, IconNotebook } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'react-router-dom';

import { comparedBy, type CompareAnswer, type ComparedBy } from '#shared/compare.ts';

import { ApiError } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { part } from '../errors/part.tsx';
import { PlaceBar, usePlacePlayer } from '../finding/place-player.tsx';
import { paths } from '../paths.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { SelectField } from '../ui/field.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './compare.module.css';
import { Comparison, useColumnNames } from './comparison.tsx';
import { useComparison } from './use-comparison.ts';

const NotesChip = part(async () => ({ default: (await import('../meetings/live/page-save-chip.tsx')).PageSaveChip }), {
  inBackground: true,
});

const OwnNotes = part(() => import('./own-notes.tsx'), {
  waiting: (
    <Waiting>
      <Bone height="9rem" />
    </Waiting>
  ),
});

/** Recordings, or assessments of one, side by side. */
export default function Compare() {
  const { t } = useTranslation(['compare', 'common']);
  const ready = [useTexts('reviews'), useTexts('document'), useTexts('finding')].every(Boolean);
  const { ids = '' } = useParams();
  const [params, setParams] = useSearchParams();
  const { state } = useLocation() as { state: { from?: string } | null };
  const rows = comparedBy.find((one) => one === params.get('rows')) ?? null;
  const { answer, error, refetch, busy } = useComparison(ids, rows);
  if (!ready) return <Bones />;
  return (
    <>
      <PageTitle>{t('title')}</PageTitle>
      <div className={styles.tools}>
        <ButtonLink
          look="quiet"
          to={state?.from ?? paths.home}
          icon={<IconArrowLeft size={18} stroke={1.5} aria-hidden="true" />}
        >
          {t('back')}
        </ButtonLink>
      </div>
      {answer && error && (
        <div role="alert" className={styles.tools}>
          <p className={styles.failed}>{t('failed')}</p>
          <Button look="quiet" onClick={() => void refetch()}>
            {t('common:tryAgain')}
          </Button>
        </div>
      )}
      {answer ? (
        <Shown
          key={ids}
          {...{ ids, rows, busy }}
          data={answer}
          onRows={(by) => setParams({ rows: by }, { replace: true, state })}
        />
      ) : error instanceof ApiError && error.code === 'INVALID' ? (
        <TooFew />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()}>
          {t('failed')}
        </Failure>
      ) : (
        <Bones />
      )}
    </>
  );
}

interface ShownProps {
  ids: string;
  /** Rows that are chosen; null: those of the answer. */
  rows: ComparedBy | null;
  data: CompareAnswer;
  busy: boolean;
  onRows: (by: ComparedBy) => void;
}

function Shown({ ids, rows: chosenRows, data, busy, onRows }: ShownProps) {
  const { t } = useTranslation(['compare', 'notes']);
  const { by, columns, rows, missing, cut, most, moreRows } = data;
  const phone = usePhone();
  const nameOf = useColumnNames(columns);
  const player = usePlacePlayer();
  const [chosen, setChosen] = useState(0);
  const notes = useId();
  /** Null until they are opened for the first time. */
  const [notesOpen, setNotesOpen] = useState<boolean | null>(null);
  const assesses = columns.some(({ review }) => review !== null);
  const shown = comparedBy.filter((one) => one !== 'overlaps' || assesses);
  const enough = columns.length >= 2;
  const only = phone && enough ? Math.min(chosen, columns.length - 1) : null;
  return (
    <div className={styles.page} aria-busy={busy || undefined}>
      <div role="status" className={styles.notes}>
        {missing.length > 0 && <p>{t('missing', { count: missing.length })}</p>}
        {cut.length > 0 && <p>{t('cut', { count: cut.length, most })}</p>}
      </div>
      {(enough || notesOpen !== null) && (
        <div className={styles.tools}>
          {enough && (
            <SelectField
              label={t('rows')}
              value={chosenRows ?? by}
              onChange={(value) => onRows(comparedBy.find((one) => one === value) ?? by)}
              options={shown.map((value) => ({ value, label: t(`by.${value}`) }))}
            />
          )}
          {only !== null && (
            <SelectField
              label={t('column')}
              value={String(only)}
              onChange={(value) => setChosen(Number(value))}
              options={columns.map((_, nth) => ({ value: String(nth), label: nameOf(nth) }))}
            />
          )}
          <Button
            look="quiet"
            icon={<IconNotebook size={18} stroke={1.5} aria-hidden="true" />}
            aria-expanded={notesOpen === true}
            aria-controls={notes}
            onClick={() => setNotesOpen(notesOpen !== true)}
          >
            {t('notes:title')}
          </Button>
          {notesOpen !== null && <NotesChip />}
        </div>
      )}
      <div className={styles.beside}>
        <div className={styles.compared}>
          {!enough ? (
            <TooFew lost={missing.length > 0} />
          ) : rows.length === 0 ? (
            <Empty title={t('empty')} icon={<IconColumns size={32} stroke={1.5} />}>
              {assesses ? t('emptyAssessments') : t('emptyText')}
            </Empty>
          ) : (
            <Comparison
              key={by}
              {...{ ids, data, only, player }}
              onStep={(step) => setChosen(Math.min(columns.length - 1, Math.max(0, (only ?? 0) + step)))}
            />
          )}
          {enough && moreRows > 0 && <p className={styles.notes}>{t('moreRows', { count: moreRows })}</p>}
        </div>
        <section
          id={notes}
          className={styles.column}
          aria-label={notesOpen ? t('notes:title') : undefined}
          data-open={notesOpen === true || undefined}
          hidden={notesOpen === null}
        >
          {notesOpen !== null && (
            <OwnNotes
              columns={columns}
              open={notesOpen}
              meeting={only === null ? null : (columns[only]?.meeting ?? null)}
            />
          )}
        </section>
      </div>
      <PlaceBar player={player} />
    </div>
  );
}

function TooFew({ lost = false }: { lost?: boolean }) {
  const { t } = useTranslation('compare');
  const Icon = lost ? IconLock : IconColumns;
  return (
    <Empty title={t('tooFew')} icon={<Icon size={32} stroke={1.5} />}>
      {t('tooFewText')}
    </Empty>
  );
}

function Bones() {
  return (
    <Waiting>
      <div className={styles.page}>
        {[40, 90, 90, 90].map((width, nth) => (
          <Bone key={nth} width={`${width}%`} height="2.5rem" />
        ))}
      </div>
    </Waiting>
  );
}
