import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, type Dispatch, type SetStateAction } from 'react';
import { useNavigate } from 'react-router-dom';

import { readAbout } from '#shared/meetings/about.ts';

import { useRemove } from '../../library/use-remove.ts';
import { paths } from '../../paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { mainId } from '../../ui/skip-link.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useMeeting } from '../open/meeting-context.ts';
import styles from './meeting.module.css';

/** Recording that is being deleted on its own page; `done` after the server has confirmed. */
export type Deleting = { of: string; title: string; done: boolean } | null;

export const DeletingContext = createContext<[Deleting, Dispatch<SetStateAction<Deleting>>]>([null, () => {}]);

/** Delay in milliseconds before the page returns to the library, so that the confirmation can be read. */
const backAfter = 1000;

export function useDeleting(): () => void {
  const { about, live } = useMeeting();
  const queries = useQueryClient();
  const [, set] = use(DeletingContext);
  const { id } = about;
  const { title } = readAbout(live.doc);
  return useRemove(
    { id, title },
    {
      begun: () => set({ of: id, title, done: false }),
      removed: () => set({ of: id, title, done: true }),
      stands: () => {
        set(null);
        void queries.invalidateQueries({ queryKey: ['meeting', id, 'about'] });
      },
    },
  );
}

export function Deleted({ title }: { title: string }) {
  const { t } = useTranslation(['whole', 'document', 'library']);
  const navigate = useNavigate();
  const name = t('whole:deleted', { title: title || t('library:untitled') });
  useEffect(() => {
    const timer = setTimeout(() => void navigate(paths.home, { replace: true }), backAfter);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <main id={mainId} tabIndex={-1} className={styles.aside}>
      <PageTitle>{name}</PageTitle>
      <Empty title={name} action={<ButtonLink to={paths.home}>{t('document:back')}</ButtonLink>}>
        {t('whole:deletedText')}
      </Empty>
    </main>
  );
}
