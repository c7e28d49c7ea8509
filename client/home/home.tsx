import { IconMicrophone } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { AskAccountType } from '../accounts/ask-account-type.tsx';
import { WaitingInvitations } from '../accounts/waiting-invitations.tsx';
import { useSession } from '../session.ts';
import { Empty } from '../ui/empty.tsx';
import { PageTitle } from '../ui/page-title.tsx';

export default function Home() {
  const { t } = useTranslation('shell');
  const name = useSession().data?.principal.first_name ?? '';
  return (
    <>
      <PageTitle lead={name === '' ? t('home.greetingNameless') : t('home.greeting', { name })}>
        {t('home.title')}
      </PageTitle>
      <WaitingInvitations />
      <Empty title={t('home.emptyTitle')} icon={<IconMicrophone size={32} stroke={1.5} />}>
        {t('home.emptyText')}
      </Empty>
      <AskAccountType />
    </>
  );
}
