import {
  IconArrowBackUp,
  IconDots,
  IconFlag,
  IconLockOpen,
  IconPlayerSkipForward,
  IconTrash,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';

import type { ReviewerView, ReviewView } from '#shared/reviews.ts';
import { canComplete, isBlind } from '#shared/reviews/review.ts';

import { dialogPart, useDialogPart } from '../../errors/part-dialog.tsx';
import { part } from '../../errors/part.tsx';
import { peerPath, reportPath } from '../../paths.ts';
import { useSession } from '../../session.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { personKey } from '../../ui/person-key.ts';
import { revealStart } from '../../ui/reveal-start.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dropdown, DropdownButton } from '../../ui/dropdown.tsx';
import { useTranslation } from '../../use-translation.ts';
import { hasReport } from '../report/has-report.ts';
import styles from '../reviews.module.css';
import { PhaseMark, StatusMark } from '../state-mark.tsx';
import { today } from '../../today.ts';
import { isOverNow } from '../is-over-now.ts';
import { columnsOf } from './results-table.ts';
import { usePassageCounts } from './use-layers.ts';
import { useReviewCalls } from './use-review-calls.ts';

const Agreement = part(() => import('../agreement/agreement.tsx'));
const Results = part(() => import('./results.tsx'));
const ChangeDialog = dialogPart(() => import('./change-dialog.tsx'));

interface ReviewCardProps {
  review: ReviewView;
  /** Shown on the page of the review, which has its assessments beside it. */
  here?: boolean;
}

/** A review, as the person may know it. */
export function ReviewCard({ review, here = false }: ReviewCardProps) {
  const { t } = useTranslation('leading');
  const id = useId();
  const me = useSession().data?.principal.id;
  const { phase, policy, leader, mine, student, reviewers } = review;
  // An owner without a part does not learn how far it is.
  const follows = leader.id === String(me) || mine !== null;
  const opened = phase === 'open' || phase === 'published';
  const columns = columnsOf(review);
  const counts = usePassageCounts(review, here ? columns.filter(({ name }) => name !== null) : []);
  return (
    <article className={styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <h3 id={id} className={styles.heading}>
          {t(`policy.${policy}.label`)}
        </h3>
        {follows && <PhaseMark phase={phase} />}
      </div>
      <About review={review} />
      {student && (
        <div className={styles.row}>
          <Avatar name={student.name} id={personKey(student.userId, student.name)} size={32} />
          <span className={styles.who}>{t('list.assessed', { name: student.name })}</span>
          <Marked of={counts.get(student.cloneId ?? '')} />
          {policy === 'student' && student.status && <StatusMark status={student.status} />}
        </div>
      )}
      <ul className={styles.list} aria-label={t('list.people')}>
        {reviewers.map((one) => (
          <Row key={one.id} reviewer={one} marked={counts.get(one.cloneId ?? '')} />
        ))}
      </ul>
      <Actions review={review} follows={follows} here={here} />
      {!here && columns.length > 0 && opened && <Assessments review={review} />}
    </article>
  );
}

function About({ review }: { review: ReviewView }) {
  const { t, i18n } = useTranslation('leading');
  const { leader, due, phase, reviewers, coverage, observers, anonymous, isSecondPass } = review;
  const completing = reviewers.filter((one) => canComplete(one) && one.status !== null);
  const done = completing.filter(({ status }) => status === 'complete').length;
  const late = due !== null && due < today() && (phase === 'self' || phase === 'closed');
  const date =
    due !== null &&
    new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(due));
  return (
    <p className={styles.hint}>
      {[
        isSecondPass && t('list.secondPass'),
        t('list.askedBy', { name: leader.name }),
        date && t(late ? 'list.overdue' : 'list.due', { date }),
        completing.length > 0 && t('list.progress', { done, count: completing.length }),
        coverage !== null && t('list.coverage', { coverage }),
        observers && isBlind(review) && t('list.observers'),
        anonymous && t('list.anonymous'),
      ]
        .filter(Boolean)
        .join(' · ')}
    </p>
  );
}

interface Marked {
  count: number;
  graded: number;
}

/** How much a person has marked and graded. */
function Marked({ of }: { of: Marked | undefined }) {
  const { t } = useTranslation('leading');
  return of && <span className={styles.hint}>{t('list.marked', { ...of })}</span>;
}

interface RowProps {
  reviewer: ReviewerView;
  marked: Marked | undefined;
}

function Row({ reviewer, marked }: RowProps) {
  const { id, name, userId, email, role, status, comment, isMe, heardEnough } = reviewer;
  const { t } = useTranslation('leading');
  const known = name ?? email ?? t('list.invited');
  return (
    <li className={styles.row}>
      <Avatar name={known} id={personKey(userId, email) || id} size={32} />
      <span className={styles.who}>
        <span>{isMe ? t('you', { name: known }) : known}</span>
        <span className={styles.hint}>{t(`role.${role}`)}</span>
        <Marked of={marked} />
        {heardEnough === false && <span className={styles.hint}>{t('list.unheard')}</span>}
        {comment !== '' && <q className={styles.said}>{comment}</q>}
      </span>
      {status && canComplete({ role }) && <StatusMark status={status} />}
    </li>
  );
}

function Actions({ review, follows, here }: { review: ReviewView; follows: boolean; here: boolean }) {
  const { t } = useTranslation(['leading', 'report']);
  const calls = useReviewCalls(review);
  const changing = useDialogPart((props) => <ChangeDialog review={review} {...props} />);
  const { id, meetingId, cloneId, can, phase, mine, leader, student, anonymous } = review;
  const me = String(useSession().data?.principal.id);
  const running = phase === 'self' || phase === 'closed';
  const leads = leader.id === me;
  const more = [
    // Owners who do not lead add nobody else to an anonymous review.
    can.includes('add') &&
      (can.includes('change') || !anonymous) &&
      phase !== 'published' && { key: 'change' as const, Icon: IconUsers, press: changing.open },
    can.includes('reopen') && { key: 'reopen' as const, Icon: IconLockOpen, press: calls.reopen },
    leads && running && { key: 'end' as const, Icon: IconFlag, press: calls.end },
    leads &&
      phase === 'self' &&
      isOverNow(review) &&
      !student?.isMe && { key: 'skipSelf' as const, Icon: IconPlayerSkipForward, press: calls.skipSelf },
    !here && can.includes('take-back') && { key: 'takeBack' as const, Icon: IconArrowBackUp, press: calls.takeBack },
    can.includes('add') && mine === null && running && { key: 'join' as const, Icon: IconUserPlus, press: calls.join },
    can.includes('delete') && { key: 'delete' as const, Icon: IconTrash, press: calls.remove },
  ].filter((one) => one !== false);
  return (
    <div className={styles.actions}>
      {!here && cloneId !== null && (
        <ButtonLink look="quiet" to={peerPath(meetingId, id)}>
          {t('list.open')}
        </ButtonLink>
      )}
      {!here && follows && hasReport(review) && (
        <ButtonLink look="quiet" to={reportPath(meetingId, id)}>
          {t('report:title')}
        </ButtonLink>
      )}
      {can.includes('publish') && (
        <Button look="primary" busy={calls.busy} onClick={calls.publish}>
          {t('list.publish')}
        </Button>
      )}
      {more.length > 0 && (
        <Dropdown label={t('list.actions')} face={<IconDots size={20} stroke={1.5} aria-hidden="true" />}>
          {more.map(({ key, Icon, press }) => (
            <DropdownButton key={key} icon={<Icon size={18} stroke={1.5} aria-hidden="true" />} onPress={press}>
              {t(key === 'change' && !follows ? 'list.add' : `list.${key}`)}
            </DropdownButton>
          ))}
        </Dropdown>
      )}
      {changing.dialog}
    </div>
  );
}

/** Assessments that the person may read now, folded until they want them. */
function Assessments({ review }: { review: ReviewView }) {
  const { t } = useTranslation('leading');
  const { t: tOf } = useTranslation('agreement');
  const id = useId();
  const [shown, setShown] = useState(false);
  const answer = useRef<HTMLDivElement>(null);
  return (
    <>
      <Button look="quiet" aria-expanded={shown} aria-controls={id} onClick={() => setShown(!shown)}>
        {t(shown ? 'results.hide' : 'results.show')}
      </Button>
      <div id={id} ref={answer} className={styles.answer}>
        {shown && (
          <>
            {/* On a phone, the answer would come below what is seen, as if the button did nothing. */}
            <Results review={review} onDrawn={() => answer.current && revealStart(answer.current)} />
            <h4 className={styles.heading}>{tOf('title')}</h4>
            <Agreement review={review} />
          </>
        )}
      </div>
    </>
  );
}
