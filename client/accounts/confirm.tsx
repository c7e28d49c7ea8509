import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useRefreshSession, useSession } from '../session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import { useMailedLink } from './mailed.ts';
import styles from './sign-in.module.css';

/** The page behind the confirmation mail. Opening it changes nothing, because mail scanners open links; a button confirms. */
export default function Confirm() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const refresh = useRefreshSession();
  const { data: session } = useSession();
  const { state, send, busy, errors } = useMailedLink(
    '/confirm/-',
    (token) => api.confirm[':token'].$post({ param: { token } }),
    refresh,
  );

  if (state === 'dead') {
    return (
      <div className={styles.done}>
        <PageTitle lead={t('dead.text')}>{t('dead.title')}</PageTitle>
        <ButtonLink to={paths.resend} look="primary" wide>
          {t('resendLink')}
        </ButtonLink>
        <ButtonLink to={paths.login} wide>
          {t('loginLink')}
        </ButtonLink>
      </div>
    );
  }
  if (state === 'done') {
    const inside = session?.principal.kind === 'user';
    return (
      <div className={styles.done} role="status">
        <PageTitle lead={t('confirm.doneText')}>{t('confirm.done')}</PageTitle>
        <ButtonLink to={inside ? paths.home : paths.login} look="primary" wide>
          {inside ? t('home') : t('loginLink')}
        </ButtonLink>
      </div>
    );
  }
  return (
    <>
      <PageTitle lead={t('confirm.lead')}>{t('confirm.title')}</PageTitle>
      <Form label={t('confirm.title')} errors={errors} onSubmit={() => send()}>
        <Button type="submit" look="primary" wide busy={busy}>
          {t('confirm.action')}
        </Button>
      </Form>
    </>
  );
}
