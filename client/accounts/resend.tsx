import { useTranslation } from 'react-i18next';

import { useApi } from '../api.ts';
import { AskMail } from './ask-mail.tsx';

export default function Resend() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  return (
    <AskMail
      title={t('resend.title')}
      lead={t('resend.lead')}
      action={t('resend.action')}
      sent={(email) => t('resend.sent', { email })}
      call={(email) => api.confirm.$post({ json: { email } })}
    />
  );
}
