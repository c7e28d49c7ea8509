import { IconArrowLeft, IconPlus } from '@tabler/icons-react';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';

import { isLanguage, languageNames, type Language } from '#shared/i18n/languages.ts';
import type { OutcomeModelView } from '#shared/outcome-models.ts';

import { ApiError, useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useGroups } from '../groups/groups-query.ts';
import { paths } from '../paths.ts';
import { useNotify, useUnsaved } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { SaidError, useSending } from '../ui/sending.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { addType, changeType, draftOf, emptyDraft, inputOf, moveType, removeType, type Draft } from './draft.ts';
import { useOwnSets, useRefreshOwnSets } from '../own-sets.ts';
import { useTranslation } from '../use-translation.ts';
import { Preview } from './preview.tsx';
import styles from './sets.module.css';
import { TypeRow } from './type-row.tsx';
import { useSetFaults } from './use-set-faults.ts';

/** Page of one set: its words, types and grades, and how they look to people who choose one. */
export default function SetEditor() {
  const { id = '' } = useParams();
  const { t, i18n } = useTranslation('sets');
  const ready = useTexts('reviews');
  const { data, error, refetch } = useOwnSets();
  if (!ready || (!data && !error))
    return (
      <Waiting>
        <Bone height="3.5rem" />
      </Waiting>
    );
  if (!data)
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('failed')}
      </Failure>
    );
  const set = data.find((one) => one.id === id && one.mayChange);
  const language = isLanguage(i18n.language) ? i18n.language : 'en';
  return (
    <>
      <p>
        <ButtonLink
          to={paths.outcomeSets}
          look="quiet"
          icon={<IconArrowLeft size={18} stroke={1.5} aria-hidden="true" />}
        >
          {t('back')}
        </ButtonLink>
      </p>
      <PageTitle>{set?.name ?? t('new')}</PageTitle>
      {set || id === 'new' ? (
        <Editor key={id} set={set ?? null} first={set ? draftOf(set) : emptyDraft(language)} />
      ) : (
        <p>{t('gone')}</p>
      )}
    </>
  );
}

interface EditorProps {
  /** Null for one that is new. */
  set: OutcomeModelView | null;
  first: Draft;
}

function Editor({ set, first }: EditorProps) {
  const { t } = useTranslation(['sets', 'common']);
  const api = useApi();
  const notify = useNotify();
  const navigate = useNavigate();
  const refresh = useRefreshOwnSets();
  const [draft, setDraft] = useState(first);
  const [saved, setSaved] = useState(first);
  /** The number that the change is judged by is that of the set which was loaded first, or saved last. */
  const [rev, setRev] = useState(set?.rev ?? 0);
  /** Key of the type that is open. */
  const [open, setOpen] = useState<number | null>(set ? null : (first.types[0]?.key ?? null));
  useUnsaved('outcome-set', draft === saved ? 0 : 1);
  const { send, busy, errors, errorOf } = useSending(
    async (sent: Draft) => {
      const json = inputOf(sent);
      if (!set) return parseResponse(api['outcome-models'].$post({ json }));
      const { name, language, types } = json;
      const call = api['outcome-models'][':id'].$put({ param: { id: set.id }, json: { name, language, types, rev } });
      return parseResponse(call).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'CONFLICT') throw new SaidError(t('sets:changed'));
        throw error;
      });
    },
    ({ model }, sent) => {
      setSaved(sent);
      setRev(model.rev);
      notify({ type: 'info', message: t('sets:saved') });
      void refresh();
      void navigate(paths.outcomeSets);
    },
    useSetFaults(),
  );
  const languages = Object.entries(languageNames).map(([value, label]) => ({ value, label }));
  const choose = (value: string) => setDraft({ ...draft, language: isLanguage(value) ? value : draft.language });
  const add = () => {
    const next = addType(draft);
    setDraft(next);
    setOpen(next.types.at(-1)?.key ?? null);
  };
  return (
    <div className={styles.editor}>
      <Form errors={errors} label={draft.name || t('sets:new')} onSubmit={() => !busy && send(draft)}>
        <div className={styles.fields}>
          <TextField
            required
            label={t('sets:name')}
            error={errorOf('name')}
            value={draft.name}
            onChange={(name) => setDraft({ ...draft, name })}
          />
          <SelectField
            label={t('sets:language')}
            options={languages}
            value={draft.language satisfies Language}
            onChange={choose}
          />
          {!set && (
            <Owner
              value={draft.groupId}
              error={errorOf('groupId')}
              onChange={(groupId) => setDraft({ ...draft, groupId })}
            />
          )}
        </div>
        <h2>{t('sets:typesTitle')}</h2>
        <ol className={styles.types} aria-label={t('sets:typesTitle')}>
          {draft.types.map((type, i) => (
            <TypeRow
              key={type.key}
              type={type}
              number={i + 1}
              last={i === draft.types.length - 1}
              open={open === type.key}
              errorOf={(field) => errorOf(`types.${i}.${field}`)}
              nextKey={draft.next}
              onOpen={(opened) => setOpen(opened ? type.key : null)}
              onChange={(more, next = draft.next) => setDraft({ ...changeType(draft, type.key, more), next })}
              onMove={(by) => setDraft(moveType(draft, type.key, by))}
              onRemove={() => setDraft(removeType(draft, type.key))}
            />
          ))}
        </ol>
        {errorOf('types') !== undefined && <p className={styles.error}>{errorOf('types')}</p>}
        <Button look="quiet" icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />} onClick={add}>
          {t('sets:addType')}
        </Button>
        <Actions>
          <ButtonLink look="quiet" to={paths.outcomeSets}>
            {t('common:cancel')}
          </ButtonLink>
          <Button type="submit" look="primary" busy={busy}>
            {t('sets:save')}
          </Button>
        </Actions>
      </Form>
      <Preview types={draft.types} />
    </div>
  );
}

interface OwnerProps {
  value: string;
  error: string | undefined;
  onChange: (groupId: string) => void;
}

/** Owner of a new set: the person, or a team that they are an admin of. */
function Owner({ value, error, onChange }: OwnerProps) {
  const { t } = useTranslation('sets');
  const { data = [] } = useGroups();
  const teams = data.filter(({ role, archived }) => role === 'admin' && !archived);
  if (teams.length === 0) return null;
  return (
    <SelectField
      label={t('owner')}
      hint={t('ownerHint')}
      error={error}
      options={[{ value: '', label: t('mine') }, ...teams.map(({ id, name }) => ({ value: id, label: name }))]}
      value={value}
      onChange={onChange}
    />
  );
}
