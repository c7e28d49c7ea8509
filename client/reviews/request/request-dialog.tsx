import { useEffect, useRef, useState, type ReactNode } from 'react';
import { parseResponse } from 'hono/client';

import { isModelId, outcomeModelIds } from '#shared/account-choices.ts';
import { isBlind } from '#shared/reviews/review.ts';

import { useApi } from '../../api.ts';
import { useSetOptions } from '../../own-sets.ts';
import { useNotify } from '../../store.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Actions, Form } from '../../ui/form.tsx';
import { useSending } from '../../ui/sending.ts';
import { today } from '../../today.ts';
import { usePhone } from '../../ui/use-phone.ts';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import {
  useOfferedPolicies,
  useReferences,
  useRefreshReviews,
  useReviewFaults,
  useReviewLimits,
} from '../reviews-query.ts';
import styles from '../reviews.module.css';
import { useMe } from '../use-me.ts';
import { emptyDraft, faultsOf, inputOf, reviewOf, type Draft } from './draft.ts';
import { PeoplePart } from './people-part.tsx';
import { Preview } from './preview.tsx';
import { StudentPart } from './student-part.tsx';

interface RequestDialogProps {
  meetingId: string;
  /** False: there is nothing to listen to. */
  hasSound: boolean;
  opened: boolean;
  onClose: () => void;
}

/** Asks people to assess a recording. What was entered stays until it is sent. */
export default function RequestDialog({ meetingId, hasSound, opened, onClose }: RequestDialogProps) {
  const texts = useTexts('reviews');
  const sharing = useTexts('sharing');
  const { t } = useTranslation('leading');
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const ready = texts && sharing;
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      size="lg"
      help="assess"
      keepOnBackdrop
      room="48rem"
      title={ready ? t('request.title') : ''}
    >
      {ready ? (
        <Asking meetingId={meetingId} hasSound={hasSound} draft={draft} onChange={setDraft} onClose={onClose} />
      ) : (
        <Waiting>
          <Bone height="2.25rem" />
          <Bone width="60%" />
        </Waiting>
      )}
    </Dialog>
  );
}

/** Fields of each step, by which an error finds its step. */
const steps = [
  { id: 'people', fields: ['reviewers'] },
  { id: 'mode', fields: ['policy', 'student'] },
  { id: 'details', fields: ['due', 'coverage', 'outcomeModel', 'keyOf', 'closeText'] },
] as const;
type Step = (typeof steps)[number]['id'];

interface AskingProps {
  meetingId: string;
  hasSound: boolean;
  draft: Draft;
  onChange: (draft: Draft) => void;
  onClose: () => void;
}

function Asking({ meetingId, hasSound, draft, onChange, onClose }: AskingProps) {
  const { t, i18n } = useTranslation(['leading', 'common', 'accountType']);
  const longDate = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long' });
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshReviews(meetingId);
  const me = useMe();
  const limits = useReviewLimits()?.[draft.policy] ?? null;
  const policies = useOfferedPolicies();
  const phone = usePhone();
  const sets = useSetOptions();
  const references = useReferences(meetingId);
  // One that is no reference any more is not sent.
  const keyOf = references.some(({ value }) => value === draft.keyOf) && !draft.anonymous ? draft.keyOf : null;
  const [step, setStep] = useState(0);
  /** Line that names the step, in sight whenever one begins: the step before may have been scrolled. */
  const stepLine = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // In braces, because some browsers return a promise, which is no clean-up.
    stepLine.current?.scrollIntoView({ block: 'center' });
  }, [step]);
  const [more, setMore] = useState(
    draft.coverage !== '' ||
      draft.outcomeModel !== null ||
      draft.keyOf !== null ||
      draft.observers ||
      draft.anonymous ||
      draft.closes,
  );
  const { send, busy, errors, errorOf, refuse } = useSending(
    () =>
      parseResponse(
        api.meetings[':id'].reviews.$post({
          param: { id: meetingId },
          json: inputOf({ ...draft, keyOf }, t('leading:request.closedName', { date: longDate.format(new Date()) })),
        }),
      ),
    () => {
      notify({ type: 'info', message: t('leading:request.sent') });
      onChange(emptyDraft);
      onClose();
      void refresh();
    },
    useReviewFaults(draft.policy),
  );
  const set = (more: Partial<Draft>) => {
    if (errors.length > 0) refuse([]);
    onChange({ ...draft, ...more });
  };
  const shown: readonly Step[] = phone ? steps.slice(step, step + 1).map(({ id }) => id) : steps.map(({ id }) => id);
  const last = !phone || step === steps.length - 1;
  const submit = () => {
    if (busy) return;
    const found = faultsOf(draft, limits, today());
    const here = found.filter(({ field }) => !phone || steps[step]?.fields.some((one) => one === field));
    const wrong = last ? found : here;
    refuse(wrong);
    if (wrong.length > 0) {
      const at = steps.findIndex(({ fields }) => fields.some((one) => one === wrong[0]?.field));
      if (phone && at >= 0) setStep(at);
    } else if (last) send(undefined);
    else setStep(step + 1);
  };
  const nameOf = (key: string) => {
    const known = [...draft.reviewers, ...(draft.student ? [draft.student] : [])].find((one) => one.key === key);
    return key === me.id ? t('leading:you', { name: me.name }) : (known?.name ?? '');
  };
  const parts: Record<Step, ReactNode> = {
    people: (
      <PeoplePart
        me={me}
        draft={draft}
        limits={limits}
        error={errorOf('reviewers') ?? draft.reviewers.map((_, i) => errorOf(`reviewers.${i}.principal`)).find(Boolean)}
        onChange={(reviewers) => set({ reviewers })}
      />
    ),
    mode: (
      <>
        <Choices
          label={t('leading:request.mode')}
          choices={policies.map((value) => ({
            value,
            label: t(`leading:policy.${value}.label`),
            hint: t(`leading:policy.${value}.hint`),
          }))}
          value={draft.policy}
          onChange={(chosen) => set({ policy: policies.find((one) => one === chosen) ?? draft.policy })}
        />
        <StudentPart me={me} draft={draft} error={errorOf('student')} onChange={(student) => set({ student })} />
      </>
    ),
    details: (
      <>
        <TextField
          type="date"
          label={t('leading:request.due')}
          hint={t('leading:request.dueHint')}
          error={errorOf('due')}
          value={draft.due}
          min={today()}
          onChange={(due) => set({ due })}
        />
        <details
          className={styles.more}
          open={more || errorOf('coverage') !== undefined || errorOf('keyOf') !== undefined}
          onToggle={({ currentTarget }) => setMore(currentTarget.open)}
        >
          <summary>{t('leading:request.more')}</summary>
          <div className={styles.fields}>
            {hasSound && (
              <TextField
                inputMode="numeric"
                label={t('leading:request.coverage')}
                hint={t('leading:request.coverageHint')}
                error={errorOf('coverage')}
                value={draft.coverage}
                onChange={(coverage) => set({ coverage: coverage.trim() })}
              />
            )}
            <SelectField
              label={t('leading:request.competencies')}
              options={[
                {
                  value: '',
                  label: t(draft.policy === 'strict' && keyOf ? 'leading:request.likeReference' : 'leading:sets.each'),
                },
                ...outcomeModelIds.map((id) => ({ value: id, label: t(`accountType:models.${id}`) })),
                ...sets,
              ]}
              value={draft.outcomeModel ?? ''}
              onChange={(id) => set({ outcomeModel: isModelId(id) ? id : null })}
            />
            <CheckField
              label={t('leading:request.anonymous')}
              hint={t(`leading:request.${draft.student?.key === me.id ? 'anonymousSelf' : 'anonymousHint'}`)}
              checked={draft.anonymous}
              onChange={(anonymous) => set({ anonymous })}
            />
            {draft.policy === 'strict' && !draft.anonymous && references.length > 0 && (
              <SelectField
                label={t('leading:request.reference')}
                hint={t('leading:request.referenceHint')}
                error={errorOf('keyOf')}
                options={[{ value: '', label: t('leading:request.noReference') }, ...references]}
                value={keyOf ?? ''}
                onChange={(id) => set({ keyOf: id || null })}
              />
            )}
            {isBlind(draft) && !draft.anonymous && (
              <CheckField
                label={t('leading:request.observers')}
                hint={t('leading:request.observersHint')}
                checked={draft.observers}
                onChange={(observers) => set({ observers })}
              />
            )}
            <CheckField
              label={t('leading:request.closes')}
              hint={t('leading:request.closesHint')}
              checked={draft.closes}
              onChange={(closes) => set({ closes })}
            />
          </div>
        </details>
        <Preview review={reviewOf(draft, me.id)} nameOf={nameOf} />
        <p className={styles.hint}>{t('leading:request.mails')}</p>
      </>
    ),
  };
  const names: Record<Step, string> = {
    people: t('leading:request.people'),
    mode: t('leading:request.mode'),
    details: t('leading:request.details'),
  };
  return (
    <Form errors={errors} label={t('leading:request.title')} onSubmit={submit}>
      {phone && (
        <p ref={stepLine} className={styles.step} role="status">
          {t('leading:request.step', { step: step + 1, steps: steps.length, name: names[steps[step]?.id ?? 'people'] })}
        </p>
      )}
      {shown.map((id) => (
        <div key={id} className={styles.part}>
          {parts[id]}
        </div>
      ))}
      <Actions stays>
        {phone && step > 0 ? (
          <Button look="quiet" onClick={() => setStep(step - 1)}>
            {t('leading:request.back')}
          </Button>
        ) : (
          <Button look="quiet" onClick={onClose}>
            {t('common:cancel')}
          </Button>
        )}
        <Button type="submit" look="primary" busy={busy}>
          {t(last ? 'leading:request.send' : 'leading:request.next')}
        </Button>
      </Actions>
    </Form>
  );
}
