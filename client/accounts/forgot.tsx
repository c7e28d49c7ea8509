import { useApi } from '../api.ts';
import { solveBotCheck } from '../bot-check.ts';
import { useSession } from '../session.ts';
import { useTranslation } from '../use-translation.ts';
import { AskMail } from './ask-mail.tsx';
import { useSignInOptions } from './options.ts';

export default function Forgot() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const options = useSignInOptions();
  const { data: session } = useSession();
  return (
    <AskMail
      title={t('forgot.title')}
      lead={t('forgot.lead')}
      action={t('forgot.action')}
      note={
        session?.principal.kind === 'user' && <p>{t('forgot.signedIn', { email: session.principal.email ?? '' })}</p>
      }
      sent={(email) => t('forgot.sent', { email })}
      call={async (email) => {
        const botToken = options?.botCheck ? await solveBotCheck(api, 'restore') : undefined;
        return api.reset.$post({ json: { email, ...(botToken !== undefined && { botToken }) } });
      }}
    />
  );
}
