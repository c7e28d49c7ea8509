import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useRefreshSession } from '../session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import { useMailedLink } from './mailed.ts';
import styles from './sign-in.module.css';

/** The page behind the notice to the old address: undoes the change. */
export default function UndoEmailChange() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const refresh = useRefreshSession();
  const { state, send, busy, errors } = useMailedLink(
    '/undo-email-change/-',
    (token) => api['undo-email-change'][':token'].$post({ param: { token } }),
    refresh,
  );

  if (state === 'asking') {
    return (
      <>
        <PageTitle lead={t('undo.lead')}>{t('undo.title')}</PageTitle>
        <Form label={t('undo.title')} errors={errors} onSubmit={() => send()}>
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
