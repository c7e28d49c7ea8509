import { IconDots, IconKeyboard, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue } from 'jotai';

import { useApi } from '../../api.ts';
import { actionsAtom } from '../../meetings/base/actions.ts';
import { FixedTitle, HeaderBar } from '../../meetings/page/header.tsx';
import styles from '../../meetings/page/header.module.css';
import { UndoEntries } from '../../meetings/page/undo-buttons.tsx';
import { meetingPath, paths } from '../../paths.ts';
import { HelpEntry } from '../../support/help-entry.tsx';
import { useHelpPage } from '../../support/help-page.ts';
import { Dropdown, DropdownButton, DropdownLink } from '../../ui/dropdown.tsx';
import { LanguageEntry } from '../../ui/language-entry.tsx';
import { usePhone } from '../../ui/use-phone.ts';
import { useTranslation } from '../../use-translation.ts';
import { useOpened } from './opened.ts';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** Header of an assessment; the way back leads to the recording, for people who may open it. */
export function Head() {
  const { t } = useTranslation(['assessment', 'document']);
  const { review } = useOpened();
  const actions = useAtomValue(actionsAtom);
  const reads = useReads(review.meetingId);
  useHelpPage('assess');
  const phone = usePhone();
  const title = review.title || t('document:title');
  return (
    <HeaderBar
      back={reads ? meetingPath(review.meetingId) : paths.home}
      backLabel={t(reads ? 'toRecording' : 'toLibrary')}
      title={<FixedTitle {...(phone && { shown: title })}>{t('titleOf', { title })}</FixedTitle>}
    >
      <Dropdown label={t('document:actions')} face={<IconDots size={20} stroke={1.5} aria-hidden="true" />}>
        <ul className={styles.list}>
          <UndoEntries />
          <li>
            <DropdownButton icon={<IconKeyboard {...icon} />} onPress={() => actions.run('sheet')}>
              {t('document:keys')}
            </DropdownButton>
          </li>
          <li>
            <DropdownLink to={paths.profile} icon={<IconSettings {...icon} />}>
              {t('document:settings')}
            </DropdownLink>
          </li>
          <LanguageEntry />
          <HelpEntry />
        </ul>
      </Dropdown>
    </HeaderBar>
  );
}

/** Whether this person may open the recording itself: who came by a review alone may not. */
function useReads(id: string): boolean {
  const api = useApi();
  const { isSuccess } = useQuery({
    queryKey: ['meeting', id, 'readable'],
    queryFn: ({ signal }) => parseResponse(api.meetings[':id'].about.$get({ param: { id } }, { init: { signal } })),
  });
  return isSuccess;
}
