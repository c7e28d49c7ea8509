import { IconColumns, IconFolderSymlink, IconTrash, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { useLocation } from 'react-router-dom';

import type { MeetingHit } from '#shared/meetings/meeting.ts';

import { useApi } from '../api.ts';
import { comparePath } from '../paths.ts';
import { useSession } from '../session.ts';
import { useNotify, type NoticePart } from '../store.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useTranslation } from '../use-translation.ts';
import { MoveDialog } from './folder-dialogs.tsx';
import { lieAt, undoFor, useMoves } from './folders-query.ts';
import { sameSpot } from './place.ts';
import styles from './library.module.css';
import { useRefreshMeetings } from './meetings-query.ts';

/** The actions on all selected recordings. */
export function BulkBar({ chosen, onClear }: { chosen: readonly MeetingHit[]; onClear: () => void }) {
  const { t } = useTranslation('library');
  const me = useSession().data?.principal.id;
  const [moving, setMoving] = useState(false);
  const { moveMeetings } = useMoves();
  const remove = useRemoveMany();
  const mine = chosen.filter(({ owner }) => owner.id === me);
  const [first, ...others] = mine.map(lieAt);
  const { pathname, search } = useLocation();
  const count = chosen.length;
  return (
    <>
      {count > 0 && (
        <section className={styles.bar} aria-label={t('many.bar')}>
          <p role="status">{t('many.selected', { count })}</p>
          {mine.length === count && (
            <Button
              icon={<IconFolderSymlink size={18} stroke={1.5} aria-hidden="true" />}
              onClick={() => setMoving(true)}
            >
              {t('move')}
            </Button>
          )}
          {count > 1 && (
            <ButtonLink
              to={comparePath(chosen.map(({ id }) => id))}
              state={{ from: pathname + search }}
              icon={<IconColumns size={18} stroke={1.5} aria-hidden="true" />}
            >
              {t('many.compare')}
            </ButtonLink>
          )}
          <Button
            icon={<IconTrash size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => {
              remove(chosen);
              onClear();
            }}
          >
            {t('delete')}
          </Button>
          <IconButton
            label={t('many.clear')}
            icon={<IconX size={18} stroke={1.5} aria-hidden="true" />}
            onClick={onClear}
          />
        </section>
      )}
      <MoveDialog
        title={t('many.moveTitle', { count })}
        from={first && others.every((spot) => sameSpot(spot, first)) ? first : null}
        opened={moving}
        onClose={() => setMoving(false)}
        onMove={async (to) => {
          await moveMeetings(mine, to);
          onClear();
        }}
      />
    </>
  );
}

/** Most recordings that a notice names. */
const mostNamed = 5;

/** Deletes at once, names what could not be deleted, and offers Undo. */
function useRemoveMany(): (chosen: readonly MeetingHit[]) => void {
  const { t } = useTranslation('library');
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefreshMeetings();
  const restore = useMutation({
    mutationFn: (ids: string[]) => parseResponse(api.meetings.restore.$post({ json: { ids } })),
    onSuccess: async ({ done }) => {
      await refresh();
      notify({ type: 'info', message: t('many.restored', { count: done.length }) });
    },
  });
  const remove = useMutation({
    mutationFn: (chosen: readonly MeetingHit[]) =>
      parseResponse(api.meetings.delete.$post({ json: { ids: chosen.map(({ id }) => id) } })),
    onSuccess: async ({ done, failed }, chosen) => {
      await refresh();
      const undo = { kind: 'clickable', text: t('undo'), onClick: () => restore.mutate(done) } as const;
      const failedIds = new Set(failed.map(({ id }) => id));
      const names = chosen
        .filter(({ id }) => failedIds.has(id))
        .slice(0, mostNamed)
        .flatMap(({ id, title }, place): NoticePart[] => [
          place === 0 ? ': ' : ', ',
          { kind: 'docLink', id, text: title || t('untitled') },
        ]);
      const more = failed.length > mostNamed ? [', …'] : [];
      if (done.length === 0) return notify({ message: [t('many.noneDeleted'), ...names, ...more] });
      return notify(
        failed.length > 0
          ? { message: [t('many.someNotDeleted'), ...names, ...more, ' ', undo], duration: undoFor }
          : { type: 'info', message: [t('many.deleted', { count: done.length }), ' ', undo], duration: undoFor },
      );
    },
  });
  return (chosen) => remove.mutate(chosen);
}
