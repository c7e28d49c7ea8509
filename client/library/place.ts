import { useLocation, useNavigate } from 'react-router-dom';

import {
  defaultOrder,
  meetingOrders,
  pathTo,
  rootPath,
  segmentsOf,
  type MeetingOrder,
  type MeetingSort,
  type pageSizes,
} from '#shared/library.ts';

import { paths } from '../paths.ts';
import type { Order } from '../ui/table.tsx';

export type ViewMode = keyof typeof pageSizes;

/** Where one is in the library; the address holds it, so that it survives a reload and can be passed on. */
export interface Place {
  /** The path of the folder that is open: from the top of one's own library, or below the shared folder. */
  folder: string;
  /** The folder of somebody else's that one is in. */
  sid: string | null;
  query: string;
  order: Order & { column: MeetingOrder };
  /** Counted from 0. */
  page: number;
  /** Null: as the person prefers it. */
  view: ViewMode | null;
}

const isOrder = (value: string): value is MeetingOrder => meetingOrders.some((order) => order === value);
const isView = (value: string | null): value is ViewMode => value === 'table' || value === 'tile';
const prefix = paths.folder.replace('*', '');

export function readPlace(params: URLSearchParams, pathname: string = paths.home): Place {
  const sort = params.get('sort') ?? defaultOrder;
  const column = sort.replace(/^-/, '');
  const page = Number(params.get('page') ?? 0);
  const view = params.get('view');
  return {
    folder: folderOf(pathname),
    sid: params.get('sfid')?.slice(0, 100) || null,
    query: params.get('query') ?? '',
    order: isOrder(column) ? { column, descending: sort.startsWith('-') } : { column: 'updatedAt', descending: true },
    page: Number.isSafeInteger(page) && page > 0 && page < 10_000 ? page : 0,
    view: isView(view) ? view : null,
  };
}

/** Not from the router's parameters: they take a name with a sign of its own in it for another. */
function folderOf(pathname: string): string {
  if (!pathname.startsWith(prefix)) return rootPath;
  const names = pathname.slice(prefix.length).split('/').filter(Boolean);
  try {
    return pathTo(names.map((name) => decodeURIComponent(name)));
  } catch {
    // No address of ours: whatever it is, there is no such folder.
    return pathTo(names);
  }
}

const addressOf = (folder: string): string =>
  folder === rootPath ? paths.home : prefix + segmentsOf(folder).map(encodeURIComponent).join('/');

export const sortOf = ({ column, descending }: Place['order']): MeetingSort => (descending ? `-${column}` : column);

/** What is as it is anyway is not written. */
export function writePlace(params: URLSearchParams, place: Place): URLSearchParams {
  const next = new URLSearchParams(params);
  const put = (name: string, value: string, otherwise: string) =>
    value === otherwise ? next.delete(name) : next.set(name, value);
  put('sfid', place.sid ?? '', '');
  put('query', place.query.trim(), '');
  put('sort', sortOf(place.order), defaultOrder);
  put('page', String(place.page), '0');
  put('view', place.view ?? '', '');
  return next;
}

/** Where something lies, or is to: a path in one's own library, or below a folder that somebody shares. */
export interface Spot {
  path: string;
  sid: string | null;
}

export const sameSpot = (a: Spot, b: Spot): boolean => a.path === b.path && a.sid === b.sid;
export const topSpot: Spot = { path: rootPath, sid: null };
export const spotOf = ({ folder, sid }: Pick<Place, 'folder' | 'sid'>): Spot => ({ path: folder, sid });

/** A folder's address; sorted and shown as it is here. */
export function linkTo(place: Place, { path, sid }: Spot): string {
  const params = writePlace(new URLSearchParams(), { ...place, sid, query: '', page: 0 }).toString();
  return addressOf(path) + (params && `?${params}`);
}

/** With `quietly` the way back does not lead through it. */
export function usePlace(): readonly [Place, (change: Partial<Place>, quietly?: boolean) => void] {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const place = readPlace(new URLSearchParams(search), pathname);
  const go = (change: Partial<Place>, quietly = false) => {
    const to = { ...place, page: 0, ...change };
    void navigate(
      { pathname: addressOf(to.folder), search: writePlace(new URLSearchParams(search), to).toString() },
      { replace: quietly },
    );
  };
  return [place, go];
}
