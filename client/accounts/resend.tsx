import { useTranslation } from '../use-translation.ts';
import { AskMail } from './ask-mail.tsx';
import { AgainButton, useConfirmAgain, useLastConfirmed } from './confirm-again.tsx';

export default function Resend() {
  const { t } = useTranslation('signIn');
  const call = useConfirmAgain();
  const last = useLastConfirmed();
  return (
    <AskMail
      title={t('resend.title')}
      lead={t('resend.lead')}
      action={t('resend.action')}
      sent={(email) => t('resend.sent', { email })}
      last={last}
      again={(button) => <AgainButton {...button} />}
      call={call}
    />
  );
}
