import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useTranslation } from 'react-i18next';

import type { FolderView, ManyAnswer } from '#shared/folders.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';
import { rootPath } from '#shared/library.ts';

import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../errors/messages.ts';
import { useNotify } from '../store.ts';
import { useRefreshMeetings } from './meetings-query.ts';

/** Long enough to find out that it was the wrong one. */
export const undoFor = 15_000;

const foldersKey = ['folders'] as const;

/** All folders one has, for whoever chooses one. */
export function useFolders() {
  const api = useApi();
  return useQuery({
    queryKey: foldersKey,
    queryFn: ({ signal }) => parseResponse(api.folders.$get({}, { init: { signal } })),
    staleTime: 0,
  });
}

/** The lists on screen, and the folders one may choose from. */
function useRefresh(): () => Promise<unknown> {
  const client = useQueryClient();
  const refresh = useRefreshMeetings();
  return () => Promise.all([refresh(), client.invalidateQueries({ queryKey: foldersKey })]);
}

const faults = [
  'required',
  'too_long',
  'folder_name',
  'folder_path',
  'folder_taken',
  'too_deep',
  'inside_itself',
  'folders_full',
] as const;

/** What is wrong with a name or a place, in the person's own words. */
export function useFault(): (error: unknown) => string {
  const { t } = useTranslation('library');
  const { t: told } = useTranslation(['common', 'shell']);
  return (error) => {
    const code = error instanceof ApiError ? error.errors[0]?.code : undefined;
    const known = faults.find((one) => one === code);
    return known ? t(`folder.fault.${known}`) : failureMessage(error, told);
  };
}

/** Changes of folders; whoever asks for one tells what went wrong with it. */
export function useFolderChanges() {
  const api = useApi();
  const refresh = useRefresh();
  const quiet = { meta: { quiet: true }, onSuccess: refresh } as const;
  const create = useMutation({
    mutationFn: (path: string) => parseResponse(api.folders.$post({ json: { path } })),
    ...quiet,
  });
  const rename = useMutation({
    mutationFn: (json: { path: string; name: string }) => parseResponse(api.folders.rename.$post({ json })),
    ...quiet,
  });
  const move = useMutation({
    mutationFn: (json: { path: string; dest: string }) => parseResponse(api.folders.move.$post({ json })),
    ...quiet,
  });
  const remove = useMutation({
    mutationFn: (path: string) => parseResponse(api.folders.delete.$post({ json: { path } })),
    onSuccess: refresh,
  });
  const restore = useMutation({
    mutationFn: (id: string) => parseResponse(api.folders.restore.$post({ json: { id } })),
    onSuccess: refresh,
  });
  return { create, rename, move, remove, restore };
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || rootPath;
/** The words for a place; `/` has no name of its own. */
export const placeName = (path: string, library: string): string =>
  path === rootPath ? library : path.slice(1).split('/').join(' / ');

export type Movable = Pick<MeetingHit, 'id' | 'folder'>;

/** Moving, told when it is done, with the way back. */
export function useMoves() {
  const { t } = useTranslation(['library', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefresh();
  const fault = useFault();
  const { move } = useFolderChanges();
  const name = (path: string) => placeName(path, t('shell:home.title'));
  const told = (what: string, undo: () => void) =>
    notify({
      type: 'info',
      message: [what, ' ', { kind: 'clickable', text: t('library:undo'), onClick: undo }],
      duration: undoFor,
    });

  const many = useMutation({
    mutationFn: ({ ids, path }: { ids: string[]; path: string }): Promise<ManyAnswer> =>
      parseResponse(api.meetings.move.$post({ json: { ids, path } })),
    onSuccess: refresh,
  });
  const moveMeetings = async (meetings: readonly Movable[], path: string): Promise<void> => {
    const { done, failed } = await many.mutateAsync({ ids: meetings.map(({ id }) => id), path });
    if (failed.length > 0)
      return notify({ message: t(done.length > 0 ? 'library:many.someNotMoved' : 'library:many.noneMoved') });
    const undo = async () => {
      for (const from of new Set(meetings.map(({ folder }) => folder ?? rootPath))) {
        const ids = meetings.flatMap(({ id, folder }) => ((folder ?? rootPath) === from ? [id] : []));
        await many.mutateAsync({ ids, path: from });
      }
      notify({ type: 'info', message: t('library:many.movedBack') });
    };
    return told(t('library:many.moved', { count: done.length, folder: name(path) }), () => void undo().catch(() => {}));
  };
  const moveFolder = async ({ path, name: called }: Pick<FolderView, 'path' | 'name'>, dest: string): Promise<void> => {
    if (parentOf(path) === dest) return;
    try {
      const moved = await move.mutateAsync({ path, dest });
      told(t('library:folder.moved', { name: called, folder: name(dest) }), () =>
        move.mutate(
          { path: moved.path, dest: parentOf(path) },
          { onSuccess: () => notify({ type: 'info', message: t('library:many.movedBack') }) },
        ),
      );
    } catch (error) {
      notify({ message: fault(error) });
    }
  };
  return { moveMeetings, moveFolder, parentOf };
}
