import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import type { ApiTokenView } from '#shared/accounts.ts';

import { ApiError, useApi } from '../../api.ts';
import { useConfirm } from '../../store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { RelativeDate } from '../../ui/dates.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Actions, Form } from '../../ui/form.tsx';
import { SaidError, useSending } from '../../ui/sending.ts';
import { useTranslation } from '../../use-translation.ts';
import styles from './profile.module.css';
import { Pending, Section } from './section.tsx';

const tokensKey = ['tokens'] as const;

/** API tokens, with which programs act in the person's name. */
export function Tokens() {
  const { t } = useTranslation('profile');
  const api = useApi();
  const [creating, setCreating] = useState(false);
  const tokens = useQuery({
    queryKey: tokensKey,
    queryFn: ({ signal }) => parseResponse(api.tokens.$get({}, { init: { signal } })),
  });
  const lead = (
    <>
      {t('tokens.lead')} <a href="/api/docs">{t('tokens.docs')}</a>
    </>
  );
  if (!tokens.data) {
    return (
      <Section title={t('tokens.title')} lead={lead}>
        <Pending error={tokens.error} onRetry={() => void tokens.refetch()} />
      </Section>
    );
  }
  return (
    <Section title={t('tokens.title')} lead={lead}>
      {tokens.data.tokens.length > 0 ? (
        <ul className={styles.list}>
          {tokens.data.tokens.map((token) => (
            <Token key={token.id} token={token} />
          ))}
        </ul>
      ) : (
        <p className={styles.muted}>{t('tokens.none')}</p>
      )}
      <Button onClick={() => setCreating(true)}>{t('tokens.create')}</Button>
      <CreateToken opened={creating} onClose={() => setCreating(false)} />
    </Section>
  );
}

function Token({ token }: { token: ApiTokenView }) {
  const { t } = useTranslation('profile');
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const end = useMutation({
    mutationFn: () => api.tokens[':id'].$delete({ param: { id: token.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: tokensKey }),
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('tokens.endTitle', { name: token.name }),
      text: t('tokens.endText'),
      action: t('tokens.end'),
      danger: true,
    });
    if (sure) end.mutate();
  };
  return (
    <li>
      <IconKey size={20} stroke={1.5} aria-hidden="true" />
      <div>
        <p className={styles.name}>{token.name}</p>
        <p className={styles.muted}>
          {t('tokens.made')} <RelativeDate at={new Date(token.created)} />
          {' · '}
          {token.used === null ? (
            t('tokens.unused')
          ) : (
            <>
              {t('tokens.used')} <RelativeDate at={new Date(token.used)} />
            </>
          )}
        </p>
      </div>
      <Button
        look="quiet"
        aria-label={t('tokens.endOf', { name: token.name })}
        busy={end.isPending}
        onClick={() => void ask()}
      >
        {t('tokens.end')}
      </Button>
    </li>
  );
}

interface CreateTokenProps {
  opened: boolean;
  onClose: () => void;
}

/** Asks for a name, then shows the token once; a click beside the dialog does not close it. */
function CreateToken({ opened, onClose }: CreateTokenProps) {
  const { t } = useTranslation('profile');
  const [made, setMade] = useState<{ name: string; token: string } | null>(null);
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened !== wasOpened) {
    setWasOpened(opened);
    if (opened) setMade(null);
  }
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={made ? t('tokens.madeTitle') : t('tokens.create')}
      size="md"
      keepOnBackdrop
    >
      {made ? <Made made={made} onClose={onClose} /> : <NameToken onMade={setMade} onClose={onClose} />}
    </Dialog>
  );
}

interface NameTokenProps {
  onMade: (made: { name: string; token: string }) => void;
  onClose: () => void;
}

function NameToken({ onMade, onClose }: NameTokenProps) {
  const { t } = useTranslation(['common', 'profile']);
  const api = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const { send, busy, errors, errorOf, refuse } = useSending(
    async () => {
      try {
        return await parseResponse(api.tokens.$post({ json: { name } }));
      } catch (error) {
        const full = error instanceof ApiError && error.errors.some(({ code }) => code === 'too_many');
        throw full ? new SaidError(t('profile:tokens.full'), { cause: error }) : error;
      }
    },
    (made) => {
      onMade(made);
      void queries.invalidateQueries({ queryKey: tokensKey });
    },
  );
  const submit = () => {
    if (busy) return;
    if (name.trim() === '') refuse([{ field: 'name', code: 'required' }]);
    else send(undefined);
  };
  return (
    <Form label={t('profile:tokens.create')} errors={errors} onSubmit={submit}>
      <TextField
        name="name"
        label={t('profile:tokens.name')}
        hint={t('profile:tokens.nameHint')}
        value={name}
        onChange={setName}
        error={errorOf('name')}
        maxLength={100}
        autoComplete="off"
        required
        data-autofocus
      />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={busy}>
          {t('profile:tokens.action')}
        </Button>
      </Actions>
    </Form>
  );
}

/** Selects the token for copying by hand, scrolled to its start. */
const selectAll = (field: HTMLInputElement | null) => {
  if (!field) return;
  field.focus();
  field.select();
  field.scrollLeft = 0;
};

function Made({ made, onClose }: { made: { name: string; token: string }; onClose: () => void }) {
  const { t } = useTranslation('profile');
  return (
    <div className={styles.made}>
      <p role="status">{t('tokens.madeText')}</p>
      <TextField label={made.name} value={made.token} dir="ltr" readOnly ref={selectAll} />
      <Actions>
        <CopyButton value={made.token} />
        <Button look="primary" onClick={onClose}>
          {t('tokens.done')}
        </Button>
      </Actions>
    </div>
  );
}
