import { IconDownload, IconListDetails, IconPencil, IconPlus, IconTrash, IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useRef, useState, type ChangeEvent } from 'react';
import { generatePath } from 'react-router-dom';

import type { OutcomeModelInput, OutcomeModelView } from '#shared/outcome-models.ts';

import { ApiError, useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { useConfirm, useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { FormErrors } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { draftOf, fileOf, inputOf } from './draft.ts';
import { useOwnSets, useRefreshOwnSets } from '../own-sets.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './sets.module.css';
import { useSetFaults } from './use-set-faults.ts';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** Page of the person's own sets of outcome types, and those of their teams. */
export default function Sets() {
  const { t } = useTranslation('sets');
  if (!useTexts('reviews')) return <Bones />;
  return (
    <>
      <PageTitle lead={t('lead')}>{t('title')}</PageTitle>
      <List />
    </>
  );
}

function Bones() {
  return (
    <Waiting>
      <Bone height="3.5rem" />
      <Bone height="3.5rem" />
    </Waiting>
  );
}

function List() {
  const { t } = useTranslation('sets');
  const { data, error, refetch } = useOwnSets();
  const [errors, setErrors] = useState<readonly string[]>([]);
  if (!data)
    return error ? (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('failed')}
      </Failure>
    ) : (
      <Bones />
    );
  const make = (
    <div className={styles.tools}>
      <ButtonLink look="primary" to={generatePath(paths.outcomeSet, { id: 'new' })} icon={<IconPlus {...icon} />}>
        {t('new')}
      </ButtonLink>
      <Import onErrors={setErrors} />
    </div>
  );
  return (
    <>
      <FormErrors errors={errors} />
      {data.length === 0 ? (
        <Empty title={t('emptyTitle')} icon={<IconListDetails size={32} stroke={1.5} />} action={make}>
          {t('emptyText')}
        </Empty>
      ) : (
        <>
          {make}
          <ul className={styles.sets} aria-label={t('title')}>
            {data.map((set) => (
              <Row key={set.id} set={set} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const namesOf = (teams: OutcomeModelView['offeredIn']) => teams.map((one) => one.name).join(', ');

/** Names of those who can use a set. */
function useUsers({ group, mayChange, offeredIn }: OutcomeModelView): string {
  const { t } = useTranslation('sets');
  if (group) return group.name;
  const teams = namesOf(offeredIn);
  if (!mayChange) return teams;
  return teams === '' ? t('mine') : t('mineAnd', { teams });
}

function Row({ set }: { set: OutcomeModelView }) {
  const { t } = useTranslation('sets');
  const { id, name, types, retired, mayChange } = set;
  const users = useUsers(set);
  const offered = types.filter((type) => !type.retired).length;
  return (
    <li className={styles.set}>
      <div className={styles.about}>
        <p className={styles.name}>{name}</p>
        <p className={styles.muted}>
          {[t('types', { count: offered }), users, ...(retired ? [t('retired')] : [])].join(' · ')}
        </p>
      </div>
      <div className={styles.tools}>
        {mayChange && (
          <ButtonLink look="quiet" to={generatePath(paths.outcomeSet, { id })} icon={<IconPencil {...icon} />}>
            {t('edit')}
          </ButtonLink>
        )}
        <Button
          look="quiet"
          icon={<IconDownload {...icon} />}
          aria-label={t('exportOf', { name })}
          onClick={() => saveFile(new Blob([fileOf(set)], { type: 'application/json' }), `${name}.json`)}
        >
          {t('export')}
        </Button>
        {mayChange && <Offer set={set} />}
        {mayChange && <Delete set={set} />}
      </div>
    </li>
  );
}

/** Stops offering a set, or offers it again. Outcomes that have its types stay as they are. */
function Offer({ set }: { set: OutcomeModelView }) {
  const { t } = useTranslation('sets');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshOwnSets();
  const { mutate, isPending } = useMutation({
    mutationFn: () => {
      const { name, language, types } = inputOf(draftOf(set));
      const json = { name, language, types, rev: set.rev, retired: !set.retired };
      return parseResponse(api['outcome-models'][':id'].$put({ param: { id: set.id }, json }));
    },
    meta: { quiet: true },
    onError: (error) =>
      notify({
        message: error instanceof ApiError && error.code === 'CONFLICT' ? t('changed') : failureMessage(error, said),
      }),
    onSettled: refresh,
  });
  return (
    <Button
      look="quiet"
      busy={isPending}
      aria-label={t(set.retired ? 'offerOf' : 'retireOf', { name: set.name })}
      onClick={() => mutate()}
    >
      {t(set.retired ? 'offer' : 'retire')}
    </Button>
  );
}

/** Deletes a set after a question; one that a recording or a review uses stays. */
function Delete({ set: { id, name, offeredIn } }: { set: OutcomeModelView }) {
  const { t } = useTranslation('sets');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshOwnSets();
  const teams = namesOf(offeredIn);
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const sure = await confirm({
        ...{
          title: t('deleteTitle', { name }),
          text: t(offeredIn.length > 0 ? 'deleteOffered' : 'deleteText', { teams }),
        },
        ...{ action: t('delete'), danger: true },
      });
      if (!sure) return;
      await parseResponse(api['outcome-models'][':id'].$delete({ param: { id } }));
      notify({ type: 'info', message: t('deleted', { name }) });
    },
    meta: { quiet: true },
    onError: (error) =>
      notify({
        message:
          error instanceof ApiError && error.code === 'CONFLICT' ? t('inUse', { name }) : failureMessage(error, said),
      }),
    onSettled: refresh,
  });
  return (
    <Button
      look="quiet"
      icon={<IconTrash {...icon} />}
      busy={isPending}
      aria-label={t('deleteOf', { name })}
      onClick={() => mutate()}
    >
      {t('delete')}
    </Button>
  );
}

/** Makes a set from the file of an export; the answer to a wrong file names the places. */
function Import({ onErrors }: { onErrors: (errors: readonly string[]) => void }) {
  const { t } = useTranslation('sets');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshOwnSets();
  const fault = useSetFaults();
  const input = useRef<HTMLInputElement>(null);
  const { mutate, isPending } = useMutation({
    mutationFn: async (file: File) => {
      const json = parsed(await file.text());
      if (json === null) throw new NotJson();
      return parseResponse(api['outcome-models'].$post({ json }));
    },
    meta: { quiet: true },
    onSuccess: ({ model }) => {
      onErrors([]);
      notify({ type: 'info', message: t('imported', { name: model.name }) });
    },
    onError: (error) => {
      if (error instanceof NotJson) onErrors([t('notJson')]);
      else if (error instanceof ApiError && error.errors.length > 0) onErrors(error.errors.map(fault));
      else onErrors([failureMessage(error, said)]);
    },
    onSettled: refresh,
  });
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    if (file) mutate(file);
    // The same file can be chosen again once it is mended.
    currentTarget.value = '';
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        className={styles.file}
        tabIndex={-1}
        aria-label={t('import')}
        onChange={choose}
      />
      <Button icon={<IconUpload {...icon} />} busy={isPending} onClick={() => input.current?.click()}>
        {t('import')}
      </Button>
    </>
  );
}

class NotJson extends Error {}

/** The content of a file, which the server judges; null unless it is an object. */
function parsed(text: string): OutcomeModelInput | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as OutcomeModelInput) : null;
  } catch {
    return null;
  }
}
