import { useTranslation } from 'react-i18next';

import { AskAccountType } from '../accounts/ask-account-type.tsx';
import { WaitingInvitations } from '../accounts/waiting-invitations.tsx';
import { AddButton } from '../intake/add-button.tsx';
import { AddHost } from '../intake/add-host.tsx';
import { InterruptedStrip } from '../intake/interrupted-strip.tsx';
import { Library } from '../library/library.tsx';
import { useSession } from '../session.ts';
import { PageTitle } from '../ui/page-title.tsx';
import styles from './home.module.css';

export default function Home() {
  const { t } = useTranslation('shell');
  const name = useSession().data?.principal.first_name ?? '';
  return (
    <>
      <div className={styles.head}>
        <PageTitle lead={name === '' ? t('home.greetingNameless') : t('home.greeting', { name })}>
          {t('home.title')}
        </PageTitle>
        <AddButton floating />
      </div>
      <InterruptedStrip />
      <WaitingInvitations />
      <Library />
      <AskAccountType />
      <AddHost />
    </>
  );
}
