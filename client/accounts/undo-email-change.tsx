import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useRefreshSession } from '../session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { isDead, useMailedToken } from './mailed.ts';
import { useSending } from './sending.ts';
import styles from './sign-in.module.css';

/** Where the notice to the old address leads: takes the change back. */
export default function UndoEmailChange() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const token = useMailedToken('/undo-email-change/-');
  const refresh = useRefreshSession();
  const [state, setState] = useState<'asking' | 'done' | 'dead'>(token === undefined ? 'dead' : 'asking');
  const { send, busy, errors } = useSending(
    async () => {
      try {
        await api['undo-email-change'][':token'].$post({ param: { token: token ?? '' } });
      } catch (error) {
        if (!isDead(error)) throw error;
        setState('dead');
        return;
      }
      await refresh();
      setState('done');
    },
    () => undefined,
  );

  if (state === 'asking') {
    return (
      <>
        <PageTitle lead={t('undo.lead')}>{t('undo.title')}</PageTitle>
        <Form label={t('undo.title')} errors={errors} onSubmit={() => send(undefined)}>
          <Button type="submit" look="primary" wide busy={busy}>
            {t('undo.action')}
          </Button>
        </Form>
      </>
    );
  }
  return (
    <div className={styles.done} role="status">
      <PageTitle lead={state === 'done' ? t('undo.doneText') : t('dead.text')}>
        {state === 'done' ? t('undo.done') : t('dead.title')}
      </PageTitle>
      <ButtonLink to={paths.login} wide>
        {t('loginLink')}
      </ButtonLink>
    </div>
  );
}
