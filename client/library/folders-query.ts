import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { FolderView, ManyAnswer } from '#shared/folders.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';
import { pathTo, rootPath, segmentsOf } from '#shared/library.ts';

import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useListNews } from '../news/use-news.ts';
import { useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { useRefreshMeetings } from './meetings-query.ts';
import type { Place, Spot } from './place.ts';

/** Milliseconds that Undo is offered. */
export const undoFor = 15_000;

export const foldersKey = ['folders'] as const;

/** All folders the person can see. */
export function useFolders(enabled = true) {
  const api = useApi();
  return useQuery({
    queryKey: foldersKey,
    queryFn: ({ signal }) => parseResponse(api.folders.$get({}, { init: { signal } })),
    staleTime: 0,
    enabled,
  });
}

/** The spot of a folder: own ones from the top, others below the shared folder. */
export function useSpots(): (folder: FolderView) => Spot {
  const me = useSession().data?.principal.id;
  return ({ path, sid, owner }) => ({ path, sid: owner.id === me ? null : sid });
}

/** Path in another person's folder: the shared folder, and the open one below it. */
export function useHere({ folder, sid }: Place): { top?: FolderView; here?: FolderView } {
  const me = useSession().data?.principal.id;
  const { data } = useFolders(sid !== null);
  const top = data?.folders.find(({ id }) => id === sid);
  if (!top) return {};
  const path = pathTo([...segmentsOf(top.path), ...segmentsOf(folder)]);
  // Own folders have a `sid` only where they are shared.
  const alike = (one: FolderView) => one.owner.id === top.owner.id && (top.owner.id === me || one.sid === top.sid);
  const here = data?.folders.find((one) => one.path === path && alike(one));
  return here ? { top, here } : { top };
}

/** Reloads the lists on screen and the folders. */
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

/** The message for a refused name or folder. */
export function useFault(): (error: unknown) => string {
  const { t } = useTranslation('library');
  const { t: told } = useTranslation(['common', 'shell']);
  return (error) => {
    const code = error instanceof ApiError ? error.errors[0]?.code : undefined;
    const known = faults.find((one) => one === code);
    return known ? t(`folder.fault.${known}`) : failureMessage(error, told);
  };
}

/** Reloads the lists when others share, move or remove something. */
export function useLibraryNews(): void {
  const refresh = useRefresh();
  useListNews('library', () => void refresh());
}

/** Changes of folders; the caller shows failures. */
export function useFolderChanges() {
  const api = useApi();
  const refresh = useRefresh();
  const quiet = { meta: { quiet: true }, onSuccess: refresh } as const;
  const create = useMutation({
    mutationFn: (json: Spot) => parseResponse(api.folders.$post({ json })),
    ...quiet,
  });
  const rename = useMutation({
    mutationFn: (json: Spot & { name: string }) => parseResponse(api.folders.rename.$post({ json })),
    ...quiet,
  });
  const move = useMutation({
    mutationFn: (json: Spot & { dest: string }) => parseResponse(api.folders.move.$post({ json })),
    ...quiet,
  });
  const remove = useMutation({
    mutationFn: (json: Spot) => parseResponse(api.folders.delete.$post({ json })),
    onSuccess: refresh,
  });
  const restore = useMutation({
    mutationFn: (id: string) => parseResponse(api.folders.restore.$post({ json: { id } })),
    onSuccess: refresh,
  });
  const leave = useMutation({
    mutationFn: (json: Spot) => api.folders.unshare.$post({ json }),
    onSuccess: refresh,
  });
  return { create, rename, move, remove, restore, leave };
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || rootPath;
/** A path as text; `top` is the name of `/`. */
export const placeName = (path: string, top: string, within = ''): string =>
  path === rootPath ? top : [...(within === '' ? [] : [within]), ...segmentsOf(path)].join(' / ');

export type Movable = Pick<MeetingHit, 'id' | 'folder' | 'sharedFolder'>;
export const lieAt = ({ folder, sharedFolder }: Pick<MeetingHit, 'folder' | 'sharedFolder'>): Spot => ({
  path: folder ?? rootPath,
  sid: sharedFolder?.sid ?? null,
});

export interface MovableFolder {
  name: string;
  spot: Spot;
}

/** Moves recordings and folders, with Undo in the notice. */
export function useMoves() {
  const { t } = useTranslation(['library', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const refresh = useRefresh();
  const fault = useFault();
  const { move } = useFolderChanges();
  const client = useQueryClient();
  const name = ({ path, sid }: Spot) => {
    const known = client.getQueryData<{ folders: FolderView[] }>(foldersKey)?.folders;
    const top = sid === null ? undefined : known?.find(({ id }) => id === sid)?.name;
    return placeName(path, top ?? t('shell:home.title'), top);
  };
  const told = (what: string, undo: () => void) =>
    notify({
      type: 'info',
      message: [what, ' ', { kind: 'clickable', text: t('library:undo'), onClick: undo }],
      duration: undoFor,
    });

  const many = useMutation({
    mutationFn: (json: Spot & { ids: string[] }): Promise<ManyAnswer> =>
      parseResponse(api.meetings.move.$post({ json })),
    onSuccess: refresh,
  });
  const moveMeetings = async (meetings: readonly Movable[], to: Spot): Promise<void> => {
    const { done, failed } = await many.mutateAsync({ ids: meetings.map(({ id }) => id), ...to });
    if (failed.length > 0)
      return notify({ message: t(done.length > 0 ? 'library:many.someNotMoved' : 'library:many.noneMoved') });
    const undo = async () => {
      for (const from of new Set(meetings.map((one) => JSON.stringify(lieAt(one))))) {
        const ids = meetings.flatMap((one) => (JSON.stringify(lieAt(one)) === from ? one.id : []));
        await many.mutateAsync({ ids, ...(JSON.parse(from) as Spot) });
      }
      notify({ type: 'info', message: t('library:many.movedBack') });
    };
    return told(t('library:many.moved', { count: done.length, folder: name(to) }), () => void undo().catch(() => {}));
  };
  const moveFolder = async ({ spot: { path, sid }, name: called }: MovableFolder, to: Spot): Promise<void> => {
    const dest = to.path;
    // A folder keeps its owner.
    if (sid !== to.sid || parentOf(path) === dest) return;
    try {
      const moved = await move.mutateAsync({ path, sid, dest });
      // A promise, because callbacks of an unmounted row are not called.
      const back = () =>
        void move.mutateAsync({ path: moved.path, sid, dest: parentOf(path) }).then(
          () => notify({ type: 'info', message: t('library:many.movedBack') }),
          (error: unknown) => notify({ message: fault(error) }),
        );
      told(t('library:folder.moved', { name: called, folder: name(to) }), back);
    } catch (error) {
      notify({ message: fault(error) });
    }
  };
  return { moveMeetings, moveFolder, parentOf };
}
