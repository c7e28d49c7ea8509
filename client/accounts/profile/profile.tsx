import { IconArrowLeft } from '@tabler/icons-react';
import { useIsMutating } from '@tanstack/react-query';
import { generatePath, useLocation } from 'react-router-dom';

import { paths, recordingBefore } from '../../paths.ts';
import { useSession } from '../../session.ts';
import { useUnsaved } from '../../store.ts';
import { useTexts } from '../../texts.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { PageBones } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { About } from './about.tsx';
import { Archives } from './archives.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { meKey } from './me.ts';
import { Places } from './places.tsx';
import { Settings } from './settings.tsx';
import { Tokens } from './tokens.tsx';
import { Use } from './use.tsx';

/** The profile, in sections; each change is saved at once. */
export default function Profile() {
  const ready = useTexts('profile');
  const { t } = useTranslation('profile');
  const session = useSession().data;
  const recording = recordingBefore(useLocation().state);
  useUnsaved('profile', useIsMutating({ mutationKey: meKey }));
  // Below Private, so the session is loaded.
  if (!session) return null;
  if (!ready) return <PageBones />;
  return (
    <>
      {recording !== null && (
        <p>
          <ButtonLink
            to={generatePath(paths.meeting, { docId: recording })}
            look="quiet"
            icon={<IconArrowLeft size={18} stroke={1.5} aria-hidden="true" />}
          >
            {t('backToRecording')}
          </ButtonLink>
        </p>
      )}
      <PageTitle>{t('title')}</PageTitle>
      <About session={session} />
      <Use session={session} />
      <Settings preferences={session.principal.preferences} />
      <Places />
      <Tokens />
      <Archives />
      <DeleteAccount principal={session.principal} />
    </>
  );
}
