import { IconX } from '@tabler/icons-react';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { isModelId, outcomeModelIds } from '#shared/account-choices.ts';
import type { ReviewChange, ReviewerView, ReviewView } from '#shared/reviews.ts';
import { isCounted, reviewerRoles, type ReviewerRole } from '#shared/reviews/review.ts';

import { ApiError, useApi } from '../../api.ts';
import { useSetOptions } from '../../own-sets.ts';
import { useSession } from '../../session.ts';
import { FindPeople } from '../../sharing/find-people.tsx';
import { useConfirm, useNotify } from '../../store.ts';
import { useTexts } from '../../texts.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { personKey } from '../../ui/person-key.ts';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Actions, Form } from '../../ui/form.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { SaidError, useSending } from '../../ui/sending.ts';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { addressKey, colorKeyOf, draftPerson, isPercent, type DraftReviewer } from '../request/draft.ts';
import { useOfferedPolicies, useRefreshReviews, useReviewFaults, useReviews } from '../reviews-query.ts';
import styles from '../reviews.module.css';
import { RoleSelect } from '../role-select.tsx';
import { useMe } from '../use-me.ts';

interface ChangeDialogProps {
  review: ReviewView;
  opened: boolean;
  onClose: () => void;
}

/** Changes people and settings of a review; who only owns the recording adds people. */
export default function ChangeDialog({ review, opened, onClose }: ChangeDialogProps) {
  const { t } = useTranslation('leading');
  const ready = useTexts('sharing');
  const me = useSession().data?.principal.id;
  const leads = review.leader.id === String(me);
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" keepOnBackdrop title={t(leads ? 'change.title' : 'list.add')}>
      {ready ? (
        <Changing review={review} leads={leads} onClose={onClose} />
      ) : (
        <Waiting>
          <Bone height="2.25rem" />
        </Waiting>
      )}
    </Dialog>
  );
}

/** Differences from the review as it is. */
interface Changes {
  policy?: ReviewView['policy'];
  outcomeModel?: ReviewView['outcomeModel'];
  due?: string;
  coverage?: string;
  roles: ReadonlyMap<string, ReviewerRole>;
  removed: ReadonlySet<string>;
  added: readonly DraftReviewer[];
}

function changeOf({ policy, outcomeModel, due, coverage, roles, removed, added }: Changes, rev: number): ReviewChange {
  return {
    rev,
    ...(policy !== undefined && { policy }),
    ...(outcomeModel !== undefined && { outcomeModel }),
    ...(due !== undefined && { due: due || null }),
    ...(coverage !== undefined && { coverage: percentIn(coverage) }),
    roles: [...roles].filter(([id]) => !removed.has(id)).map(([id, role]) => ({ id, role })),
    remove: [...removed],
    add: added.map(({ principal, role }) => ({ principal, role })),
  };
}

/** Null for none; what is no percentage is sent as one that the server refuses, at its field. */
function percentIn(text: string): number | null {
  if (text === '') return null;
  return isPercent(text) ? Number(text) : 0;
}

/** Parts that a person can get: once somebody has begun, only those that count are exchanged, or muted. */
function offeredTo({ role }: ReviewerView, frozen: boolean): readonly ReviewerRole[] {
  if (!frozen) return reviewerRoles;
  return isCounted({ role }) ? ['required', 'optional', 'muted'] : [role];
}

function Changing({ review: given, leads, onClose }: { review: ReviewView; leads: boolean; onClose: () => void }) {
  const { t } = useTranslation(['leading', 'common', 'accountType']);
  const api = useApi();
  const me = useMe();
  const sets = useSetOptions();
  const notify = useNotify();
  const confirm = useConfirm();
  const refresh = useRefreshReviews(given.meetingId);
  const { data, refetch } = useReviews(given.meetingId);
  // The newest state: what was entered is applied to it.
  const review = data?.find(({ id }) => id === given.id) ?? given;
  const [changes, setChanges] = useState<Changes>({ roles: new Map(), removed: new Set(), added: [] });
  const set = (more: Partial<Changes>) => setChanges({ ...changes, ...more });
  const { student, reviewers, phase } = review;
  const offered = useOfferedPolicies();
  // One that is not offered any more stays chosen.
  const policies = offered.includes(review.policy) ? offered : [...offered, review.policy];
  const frozen = [...reviewers, ...(student ? [student] : [])].some(({ status }) => status !== 'new');
  const fault = useReviewFaults(changes.policy ?? review.policy);
  /** The version that is saved over: changes by others are told before they are. */
  const [seen, setSeen] = useState(given.rev);
  const { send, busy, errors, errorOf } = useSending(
    async () => {
      const { id, meetingId } = review;
      try {
        return await parseResponse(
          api.meetings[':id'].reviews[':reviewId'].$post({
            param: { id: meetingId, reviewId: id },
            json: changeOf(changes, seen ?? 0),
          }),
        );
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error;
        const now = (await refetch()).data?.find((one) => one.id === id);
        if (now) setSeen(now.rev);
        throw new SaidError(t(now?.rev === seen ? 'leading:fault.tooLate' : 'leading:fault.changed'));
      }
    },
    () => {
      notify({ type: 'info', message: t('leading:done.changed') });
      onClose();
      void refresh();
    },
    fault,
  );
  const remove = async ({ id, name, email, status }: ReviewerView) => {
    const question = {
      title: t('leading:confirm.remove.title', { name: name ?? email ?? t('leading:list.invited') }),
      text: t('leading:confirm.remove.text'),
      action: t('leading:confirm.remove.action'),
      danger: true,
    };
    if (status === 'new' || (await confirm(question)))
      setChanges((now) => ({ ...now, removed: new Set([...now.removed, id]) }));
  };
  const keyOf = ({ isMe, email }: ReviewerView) => (isMe ? me.id : email && addressKey(email));
  const stays = reviewers.filter(({ id }) => !changes.removed.has(id));
  const wrongPeople =
    errorOf('reviewers') ?? errorOf('add') ?? changes.added.map((_, i) => errorOf(`add.${i}.principal`)).find(Boolean);
  return (
    <Form errors={errors} label={t('leading:change.title')} onSubmit={() => !busy && send(undefined)}>
      <section className={styles.part} aria-label={t('leading:request.people')}>
        <h3 className={styles.heading}>{t('leading:request.people')}</h3>
        <ul className={styles.list}>
          {stays.map((one) => {
            const name = one.name ?? one.email ?? t('leading:list.invited');
            const role = changes.roles.get(one.id) ?? one.role;
            return (
              <li key={one.id} className={styles.row}>
                <Avatar name={name} id={personKey(one.userId, one.email) || one.id} size={32} />
                <span className={styles.who}>
                  <span>{one.isMe ? t('leading:you', { name }) : name}</span>
                  <span className={styles.hint}>{t(`leading:roleHint.${role}`)}</span>
                </span>
                <RoleSelect
                  name={name}
                  value={role}
                  offered={leads ? offeredTo(one, frozen) : [one.role]}
                  onChange={(wanted) => set({ roles: new Map([...changes.roles, [one.id, wanted]]) })}
                />
                {leads && phase !== 'open' && (
                  <IconButton
                    label={t('leading:request.remove', { name })}
                    icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
                    onClick={() => void remove(one)}
                  />
                )}
              </li>
            );
          })}
          {changes.added.map((one) => (
            <li key={one.key} className={styles.row}>
              <Avatar name={one.name} id={colorKeyOf(one)} size={32} />
              <span className={styles.who}>
                <span>{one.name}</span>
                <span className={styles.hint}>{t(`leading:roleHint.${one.role}`)}</span>
              </span>
              <RoleSelect
                name={one.name}
                value={one.role}
                offered={leads ? reviewerRoles : ['required', 'optional']}
                onChange={(role) =>
                  set({ added: changes.added.map((other) => (other === one ? { ...one, role } : other)) })
                }
              />
              <IconButton
                label={t('leading:request.remove', { name: one.name })}
                icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
                onClick={() => set({ added: changes.added.filter((other) => other !== one) })}
              />
            </li>
          ))}
        </ul>
        <FindPeople
          label={t('leading:request.find')}
          hint={t('leading:request.findHint')}
          error={wrongPeople}
          offers={({ kind }) => kind !== 'group'}
          without={(found) => {
            if (found.kind === 'group') return null;
            const { key } = draftPerson(found, me);
            const isThere = changes.added.some((one) => one.key === key);
            const address = addressKey(found.email);
            const has = isThere || stays.some((one) => [key, address].includes(keyOf(one) ?? ''));
            return has ? t('leading:request.has') : null;
          }}
          onTake={(found) => {
            if (found.kind !== 'group')
              set({ added: [...changes.added, { ...draftPerson(found, me), role: leads ? 'required' : 'optional' }] });
            return true;
          }}
        />
      </section>
      {leads && (
        <section className={styles.part} aria-label={t('leading:request.details')}>
          {frozen ? (
            <p className={styles.hint}>{t('leading:change.frozen')}</p>
          ) : (
            <Choices
              label={t('leading:request.mode')}
              choices={policies
                .filter(
                  (value) =>
                    (value !== 'student' || student !== null) &&
                    (value === 'strict' || !(review.keyed || review.isSecondPass)),
                )
                .map((value) => ({
                  value,
                  label: t(`leading:policy.${value}.label`),
                  hint: t(`leading:policy.${value}.hint`),
                }))}
              value={changes.policy ?? review.policy}
              onChange={(chosen) => set({ policy: policies.find((one) => one === chosen) ?? review.policy })}
            />
          )}
          <div className={styles.fields}>
            <TextField
              type="date"
              label={t('leading:request.due')}
              hint={t('leading:request.dueHint')}
              error={errorOf('due')}
              value={changes.due ?? review.due ?? ''}
              onChange={(due) => set({ due })}
            />
            {!frozen && (
              <TextField
                inputMode="numeric"
                label={t('leading:request.coverage')}
                hint={t('leading:request.coverageHint')}
                error={errorOf('coverage')}
                value={changes.coverage ?? review.coverage?.toString() ?? ''}
                onChange={(coverage) => set({ coverage: coverage.trim() })}
              />
            )}
            {!frozen && (
              <SelectField
                label={t('leading:request.competencies')}
                options={[
                  { value: '', label: t('leading:sets.each') },
                  ...outcomeModelIds.map((id) => ({ value: id, label: t(`accountType:models.${id}`) })),
                  ...sets,
                ]}
                value={(changes.outcomeModel === undefined ? review.outcomeModel : changes.outcomeModel) ?? ''}
                onChange={(id) => set({ outcomeModel: isModelId(id) ? id : null })}
              />
            )}
          </div>
        </section>
      )}
      <Actions stays>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy}>
          {t('leading:change.save')}
        </Button>
      </Actions>
    </Form>
  );
}
