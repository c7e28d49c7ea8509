import {
  IconArrowLeft,
  IconFileOff,
  IconFileTypeDocx,
  IconFileTypePdf,
  IconLock,
  IconPrinter,
  IconTrendingUp,
} from '@tabler/icons-react';
import { useId, type ReactNode } from 'react';
import { useParams } from 'react-router-dom';

import { marksOf } from '#shared/i18n/marks.ts';
import type { ReportView } from '#shared/reviews/report.ts';

import { ApiError } from '../../api.ts';
import { Failure } from '../../errors/failure.tsx';
import { PlaceBar, usePlacePlayer } from '../../finding/place-player.tsx';
import { GradeSign, gradeText } from '../../meetings/annotations/outcomes/outcome-card.tsx';
import { useTypeName } from '../../meetings/annotations/outcomes/use-type-name.ts';
import { growthPath, paths, peerPath } from '../../paths.ts';
import { useTexts } from '../../texts.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { GradeFigure } from './grade-figure.tsx';
import styles from './report.module.css';
import { SaidLine, type Around } from './said-line.tsx';
import { usePrinting } from './use-printing.ts';
import { useReport } from './use-report.ts';
import { useReportFile } from './use-report-file.ts';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** The report of a review, to be read with the person assessed, and printed. */
export default function Report() {
  const { t } = useTranslation('report');
  const ready = [useTexts('reviews'), useTexts('document'), useTexts('finding')].every(Boolean);
  const { docId = '', reviewId = '' } = useParams();
  const { data, error, refetch } = useReport(docId, reviewId);
  usePrinting();
  if (!ready) return <Bones />;
  if (data) return <Shown key={reviewId} report={data} meetingId={docId} reviewId={reviewId} />;
  const refused = error instanceof ApiError && [403, 404].includes(error.status);
  return (
    <>
      <PageTitle>{t('title')}</PageTitle>
      {data === null ? (
        <Empty
          title={t('closed')}
          icon={<IconFileOff size={32} stroke={1.5} />}
          action={<ButtonLink to={peerPath(docId, reviewId)}>{t('back')}</ButtonLink>}
        >
          {t('closedText')}
        </Empty>
      ) : refused ? (
        <Empty
          title={t('refused')}
          icon={<IconLock size={32} stroke={1.5} />}
          action={<ButtonLink to={paths.home}>{t('toLibrary')}</ButtonLink>}
        >
          {t('refusedText')}
        </Empty>
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
  report: ReportView;
  meetingId: string;
  reviewId: string;
}

function Shown({ report, meetingId, reviewId }: ShownProps) {
  const { t, i18n } = useTranslation(['report', 'assessment', 'library']);
  const { title, openedAt, published, leader, student, reviewers, competencies, comments, src } = report;
  const player = usePlacePlayer();
  const nameOf = useNames(report);
  const shownTitle = title || t('library:untitled');
  const page = peerPath(meetingId, reviewId);
  const file = useReportFile(meetingId, reviewId, t('titleOf', { title: shownTitle }));
  const saves = (type: 'docx' | 'pdf') => ({
    look: 'quiet' as const,
    busy: file.isPending && file.variables === type,
    onClick: () => file.mutate(type),
  });
  const around: Around = { src, title: shownTitle, page, player, nameOf };
  const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long' }).format(new Date(openedAt));
  const facts: [string, string][] = [
    [t('student'), student?.name ?? ''],
    [t('reviewers'), reviewers.map(({ id }) => nameOf(id)).join(marksOf(i18n.language).list)],
    [t('leader'), leader],
    [t('openedAt'), date],
  ];
  const overall = reviewers.filter(({ comment }) => comment !== '');
  return (
    <div className={styles.page}>
      <PageTitle>{t('titleOf', { title: shownTitle })}</PageTitle>
      <div className={styles.tools}>
        <ButtonLink look="quiet" to={page} icon={<IconArrowLeft {...icon} />}>
          {t('back')}
        </ButtonLink>
        {student !== null && (
          <ButtonLink look="quiet" to={growthPath(student.id)} icon={<IconTrendingUp {...icon} />}>
            {t('growth')}
          </ButtonLink>
        )}
        <span className={styles.files}>
          <Button icon={<IconFileTypeDocx {...icon} />} {...saves('docx')}>
            {t('word')}
          </Button>
          <Button icon={<IconFileTypePdf {...icon} />} {...saves('pdf')}>
            {t('pdf')}
          </Button>
          <Button look="quiet" icon={<IconPrinter {...icon} />} onClick={() => window.print()}>
            {t('print')}
          </Button>
        </span>
      </div>
      {student !== null && !published && <p className={styles.note}>{t('unpublished')}</p>}
      <dl className={styles.facts}>
        {facts.map(
          ([name, value]) =>
            value !== '' && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {overall.length > 0 && (
        <Section title={t('overall')}>
          {overall.map(({ id, comment }) => (
            <figure key={id} className={styles.overall}>
              <blockquote>{comment}</blockquote>
              <figcaption>{nameOf(id)}</figcaption>
            </figure>
          ))}
        </Section>
      )}
      {competencies.length > 0 && (
        <Section title={t('competencies')} lead={reviewers.length > 0 ? t('legend') : undefined}>
          {competencies.map((one) => (
            <Competency key={one.type} competency={one} around={around} />
          ))}
        </Section>
      )}
      {comments.length > 0 && (
        <Section title={t('comments')}>
          <ul className={styles.said}>
            {comments.map((one) => (
              <SaidLine key={one.id} said={one} around={around} reply={one.reply} />
            ))}
          </ul>
        </Section>
      )}
      <PlaceBar player={player} />
    </div>
  );
}

/** Names of reviewers and of the person assessed. */
function useNames({ reviewers, student }: ReportView): (id: string) => string {
  const { t } = useTranslation(['report', 'agreement']);
  return (id) => {
    if (id === student?.id) return student.name || t('report:student');
    const at = reviewers.findIndex((one) => one.id === id);
    return reviewers[at]?.name || t('agreement:reviewer', { number: at + 1 });
  };
}

function Section({ title, lead, children }: { title: string; lead?: string | undefined; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p className={styles.note}>{lead}</p>}
      {children}
    </section>
  );
}

interface CompetencyProps {
  competency: ReportView['competencies'][number];
  around: Around;
}

function Competency({ competency, around }: CompetencyProps) {
  const { t, i18n } = useTranslation(['report', 'outcomes', 'agreement']);
  const { type, agreed, median, spread, grades, self, passages } = competency;
  const id = useId();
  const name = useTypeName()(type);
  const result = agreed ?? median;
  const says = (grade: number) => gradeText(t, type, grade);
  const own = self?.grade ?? null;
  const label = [
    result !== null && t(agreed === null ? 'medianIs' : 'agreedIs', { grade: says(result) }),
    spread &&
      spread.lowest < spread.highest &&
      t('range', { lowest: says(spread.lowest), highest: says(spread.highest) }),
    own !== null && t('selfIs', { grade: says(own) }),
  ].filter((one) => typeof one === 'string');
  const graded = grades.filter(({ grade, words }) => grade !== null || words !== '');
  return (
    <article className={styles.competency} aria-labelledby={id}>
      <div className={styles.head}>
        <h3 id={id}>{name}</h3>
        {result === null ? (
          (graded.length > 0 || passages.length === 0) && <span className={styles.note}>{t('noGrade')}</span>
        ) : (
          <>
            <GradeSign type={type} grade={result} />
            <span className={styles.note}>{t(agreed === null ? 'median' : 'agreed')}</span>
          </>
        )}
      </div>
      {label.length > 0 && <GradeFigure competency={competency} label={label.join(marksOf(i18n.language).clause)} />}
      {(graded.length > 0 || own !== null) && (
        <ul className={styles.grades}>
          {graded.map(({ reviewerId, grade, words }) => (
            <Given key={reviewerId} type={type} name={around.nameOf(reviewerId)} grade={grade} words={words} />
          ))}
          {self && (own !== null || self.words !== '') && (
            <Given type={type} name={t('self')} grade={own} words={self.words} />
          )}
        </ul>
      )}
      {passages.length > 0 && (
        <ul className={styles.said} aria-label={t('passages')}>
          {passages.map((one) => (
            <SaidLine key={one.id} said={one} around={around} type={type} grade={one.grade} details={one.children} />
          ))}
        </ul>
      )}
    </article>
  );
}

interface GivenProps {
  type: string;
  name: string;
  grade: number | null;
  words: string;
}

function Given({ type, name, grade, words }: GivenProps) {
  const { t } = useTranslation('report');
  return (
    <li>
      <span>{name}</span>{' '}
      {grade === null ? <span className={styles.note}>{t('noGrade')}</span> : <GradeSign type={type} grade={grade} />}
      {words !== '' && <span className={styles.words}>{words}</span>}
    </li>
  );
}

function Bones() {
  return (
    <Waiting>
      <div className={styles.page}>
        {[40, 90, 90, 60].map((width, nth) => (
          <Bone key={nth} width={`${width}%`} height="2.5rem" />
        ))}
      </div>
    </Waiting>
  );
}
