import { useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useRef, useState } from 'react';

import { accountTypeIds, guidedAccountTypes, type AccountTypeId } from '#shared/account-choices.ts';

import { useApi } from '../api.ts';
import { sessionKey, useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Actions, Form } from '../ui/form.tsx';
import styles from './account-type.module.css';
import { useSending } from '../ui/sending.ts';
import { useTranslation } from '../use-translation.ts';

const known = (id: string | null | undefined): AccountTypeId | null => accountTypeIds.find((one) => one === id) ?? null;

/** The name of an account type; unknown ones are shown by id. */
export function useAccountTypeName(): (id: string) => string {
  const { t } = useTranslation('accountType');
  return (given) => {
    const id = known(given);
    return id ? t(`types.${id}.label`) : given;
  };
}

interface AccountTypeDialogProps {
  opened: boolean;
  onClose: () => void;
  /** True where the dialog was opened to change the type, and can be closed without a choice. */
  mayCancel?: boolean;
}

/** Asks for the account type. Some types are followed by a guide in the same dialog. */
export function AccountTypeDialog({ opened, onClose, mayCancel = false }: AccountTypeDialogProps) {
  const { t } = useTranslation('accountType');
  // Kept while the dialog fades out.
  const [guide, setGuide] = useState<'none' | 'open' | 'read'>('none');
  const [before, setBefore] = useState(opened);
  if (opened !== before) {
    setBefore(opened);
    if (opened) setGuide('none');
  }
  const read = () => {
    setGuide('read');
    onClose();
  };
  const guided = guide !== 'none';
  return (
    <Dialog
      opened={opened || guide === 'open'}
      onClose={read}
      title={guided ? t('guide.title') : t('title')}
      dismissible={guided}
    >
      {guided ? (
        <Guide onRead={read} />
      ) : (
        <Choose mayCancel={mayCancel} onGuide={() => setGuide('open')} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface ChooseProps {
  mayCancel: boolean;
  onGuide: () => void;
  onClose: () => void;
}

function Choose({ mayCancel, onGuide, onClose }: ChooseProps) {
  const { t } = useTranslation(['common', 'accountType']);
  const api = useApi();
  const queries = useQueryClient();
  const current = known(useSession().data?.principal.accountType);
  const [type, setType] = useState(current);
  const { send, busy, errors } = useSending(
    (accountType: AccountTypeId) => parseResponse(api.principals.me.$post({ json: { accountType } })),
    (session, accountType) => {
      if (guidedAccountTypes.includes(accountType)) onGuide();
      else onClose();
      queries.setQueryData(sessionKey, session);
    },
  );
  const submit = () => {
    if (type === null || busy) return;
    if (type === current) onClose();
    else send(type);
  };
  return (
    <Form label={t('accountType:title')} errors={errors} onSubmit={submit}>
      <Choices
        label={<span className={styles.lead}>{t('accountType:lead')}</span>}
        value={type}
        onChange={(id) => setType(known(id))}
        choices={accountTypeIds.map((id) => ({
          value: id,
          label: t(`accountType:types.${id}.label`),
          hint: t(`accountType:types.${id}.hint`),
        }))}
      />
      <Actions>
        {mayCancel && (
          <Button look="quiet" onClick={onClose}>
            {t('common:cancel')}
          </Button>
        )}
        <Button type="submit" look="primary" disabled={type === null} busy={busy}>
          {t('accountType:apply')}
        </Button>
      </Actions>
    </Form>
  );
}

const readers = ['students', 'mentors'] as const;

function Guide({ onRead }: { onRead: () => void }) {
  const { t, i18n } = useTranslation('accountType');
  // The focused element went with the question.
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div className={styles.guide}>
      {readers.map((reader) => (
        <section key={reader}>
          <h3>{t(`guide.${reader}.title`)}</h3>
          <p>{t(`guide.${reader}.text`)}</p>
          <a href={`/guides/${reader}.${i18n.language}.html`} target="_blank" rel="noopener">
            {t(`guide.${reader}.link`)}
          </a>
        </section>
      ))}
      <Actions>
        <Button look="primary" ref={button} onClick={onRead}>
          {t('guide.done')}
        </Button>
      </Actions>
    </div>
  );
}
