import { useRef, type RefObject } from 'react';

import { folderNeeds, segmentsOf } from '#shared/library.ts';

import { AskAccountType } from '../accounts/ask-account-type.tsx';
import { WaitingInvitations } from '../groups/waiting-invitations.tsx';
import { AddButton } from '../intake/add-button.tsx';
import { AddHost } from '../intake/add-host.tsx';
import { InterruptedStrip } from '../intake/interrupted-strip.tsx';
import { useHere } from '../library/folders-query.ts';
import { Breadcrumbs } from '../library/folders.tsx';
import { Library } from '../library/library.tsx';
import { Places } from '../library/places.tsx';
import { isWaitingForMe, usePlace } from '../library/place.ts';
import { useAction } from '../meetings/base/actions.ts';
import { useShortcuts } from '../meetings/base/use-shortcuts.ts';
import { RecordButton, RecordHost } from '../recorder/record-button.tsx';
import { useSession } from '../session.ts';
import { PageTitle } from '../ui/page-title.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { useTranslation } from '../use-translation.ts';
import { FirstRecording } from './first-recording.tsx';
import styles from './home.module.css';

export default function Home() {
  const { t } = useTranslation(['shell', 'library']);
  const [place] = usePlace();
  const { top, here } = useHere(place);
  const folder = segmentsOf(place.folder).at(-1) ?? (place.sid === null ? undefined : (top?.name ?? '…'));
  const phone = usePhone();
  const mayAdd = place.sid === null || here?.permissions.includes(folderNeeds.add) === true;
  const search = useRef<HTMLDivElement>(null);
  useSearchKey(search);
  const name = useSession().data?.principal.first_name ?? '';
  return (
    <>
      {folder !== undefined && <Breadcrumbs place={place} />}
      <div className={styles.head}>
        {place.shared ? (
          <PageTitle lead={phone ? undefined : t('library:shared.lead')}>{t('library:shared.title')}</PageTitle>
        ) : folder === undefined && isWaitingForMe(place) ? (
          <PageTitle lead={phone ? undefined : t('library:waiting.lead')}>{t('library:review.button')}</PageTitle>
        ) : folder === undefined ? (
          <PageTitle
            lead={
              phone ? undefined : name === '' ? t('shell:home.greetingNameless') : t('shell:home.greeting', { name })
            }
          >
            {t('shell:home.title')}
          </PageTitle>
        ) : (
          <PageTitle>{folder}</PageTitle>
        )}
        {mayAdd && (
          <div className={styles.add} data-tour="add">
            <RecordButton />
            <AddButton floating />
          </div>
        )}
      </div>
      {folder === undefined && <Places />}
      {mayAdd && <InterruptedStrip />}
      <WaitingInvitations />
      <Library first={<FirstRecording />} search={search} />
      <AskAccountType />
      {mayAdd && <RecordHost />}
      {mayAdd && <AddHost folder={place.folder} sharedFolder={place.sid} sharedName={top?.name ?? ''} />}
    </>
  );
}

/** The library has one action of the table of shortcuts: the caret into its search field, where there is one. */
function useSearchKey(search: RefObject<HTMLDivElement | null>): void {
  useShortcuts();
  useAction('search', () => {
    const field = search.current?.querySelector('input');
    if (!field || document.querySelector(':popover-open')) return false;
    field.focus();
    return true;
  });
}
