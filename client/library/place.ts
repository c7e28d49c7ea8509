import { useLocation, useNavigate } from 'react-router-dom';

import {
  defaultOrder,
  pathTo,
  rootPath,
  searchOrders,
  segmentsOf,
  type MeetingOrder,
  type MeetingSort,
  type pageSizes,
} from '#shared/library.ts';

import type { Filters } from '#shared/filters.ts';

import { paths } from '../paths.ts';
import type { Order } from '../ui/table.tsx';

export type ViewMode = keyof typeof pageSizes;

/** The view of the library: folder, search, page and order. Part of the address, so that it survives a reload and can be shared. */
export interface Place {
  /** The path of the open folder, in the person's own library or below the shared folder. */
  folder: string;
  /** The id of the shared folder, in somebody else's. */
  sid: string | null;
  /** Only what others share with the person, instead of a folder. */
  shared: boolean;
  query: string;
  /** Unknown filters in the address make it null. */
  filters: Filters | null;
  order: Order & { column: MeetingOrder };
  /** From 0. */
  page: number;
  /** Table or tiles; null for the one in the person's preferences. */
  view: ViewMode | null;
}

const isOrder = (value: string): value is MeetingOrder => searchOrders.some((order) => order === value);
const isView = (value: string | null): value is ViewMode => value === 'table' || value === 'tile';
const prefix = paths.folder.replace('*', '');

export function readPlace(params: URLSearchParams, pathname: string = paths.home): Place {
  const sort = params.get('sort') ?? defaultOrder;
  const column = sort.replace(/^-/, '');
  const page = Number(params.get('page') ?? 0);
  const view = params.get('view');
  const query = params.get('query') ?? '';
  // Without a query nothing is more relevant than anything else.
  const known = isOrder(column) && (column !== 'relevance' || query.trim() !== '');
  return {
    folder: folderOf(pathname),
    sid: params.get('sfid')?.slice(0, 100) || null,
    shared: pathname === paths.shared,
    query,
    filters: readFilters(params.get('filters') ?? ''),
    order: known ? { column, descending: sort.startsWith('-') } : { column: 'updatedAt', descending: true },
    page: Number.isSafeInteger(page) && page > 0 && page < 10_000 ? page : 0,
    view: isView(view) ? view : null,
  };
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);
const isGrade = (value: unknown): boolean => typeof value === 'object' && value !== null && 'type' in value;
const shapes: Record<keyof Filters, (value: unknown) => boolean> = {
  review: isList,
  ...{ folder: isList, owner: isList, speaker: isList, tag: isList, outcomeType: isList },
  ...{ date: isList, length: isList, language: isList },
  ...{ from: isText, to: isText, outcome: isGrade },
};

/** Reads filters as far as the page relies on them; the server judges their values. */
function readFilters(text: string): Filters | null {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const all = Object.entries(value);
    return all.every(([name, one]) => Object.hasOwn(shapes, name) && shapes[name as keyof Filters](one)) ? value : null;
  } catch {
    return null;
  }
}

/** Recordings that the person is asked to assess now. */
export const waitingForMe: Filters = { review: ['button'] };
export const isWaitingForMe = ({ filters }: Pick<Place, 'filters'>): boolean =>
  writeFilters(filters) === writeFilters(waitingForMe);

export const isFiltered = ({ filters }: Pick<Place, 'filters'>): boolean => Object.keys(filters ?? {}).length > 0;

/** Filters for an address and a request. */
export const writeFilters = (filters: Filters | null): string =>
  filters === null || Object.keys(filters).length === 0 ? '' : JSON.stringify(filters);

/** Reads the path itself: the router's parameters misread special characters in a folder's name. */
function folderOf(pathname: string): string {
  if (!pathname.startsWith(prefix)) return rootPath;
  const names = pathname.slice(prefix.length).split('/').filter(Boolean);
  try {
    return pathTo(names.map((name) => decodeURIComponent(name)));
  } catch {
    // A malformed address: no such folder.
    return pathTo(names);
  }
}

export const addressOf = (folder: string): string =>
  folder === rootPath ? paths.home : prefix + segmentsOf(folder).map(encodeURIComponent).join('/');

export const sortOf = ({ column, descending }: Place['order']): MeetingSort => (descending ? `-${column}` : column);

/** Default values are left out. */
export function writePlace(params: URLSearchParams, place: Place): URLSearchParams {
  const next = new URLSearchParams(params);
  const put = (name: string, value: string, otherwise: string) =>
    value === otherwise ? next.delete(name) : next.set(name, value);
  put('sfid', place.sid ?? '', '');
  put('query', place.query.trim(), '');
  put('filters', writeFilters(place.filters), '');
  put('sort', sortOf(place.order), defaultOrder);
  put('page', String(place.page), '0');
  put('view', place.view ?? '', '');
  return next;
}

/** Address of all places of a search, with the folder in the query. */
export function findAddress(place: Place): string {
  const params = writePlace(new URLSearchParams(), { ...place, page: 0 });
  if (place.folder !== rootPath) params.set('folder', place.folder);
  if (place.shared) params.set('shared', 'with-me');
  return `${paths.find}?${params}`;
}

/** Address where words are replaced in recordings of a folder, or with null of all. */
export function replaceAddress(words: string, by: string, folderId: string | null): string {
  const params = new URLSearchParams({ query: `"${words.replaceAll('"', ' ').trim()}"`, fix: by });
  if (folderId !== null) params.set('sfid', folderId);
  return `${paths.find}?${params}`;
}

/** A folder: a path in the person's own library, or below the shared folder `sid`. */
export interface Spot {
  path: string;
  sid: string | null;
}

export const sameSpot = (a: Spot, b: Spot): boolean => a.path === b.path && a.sid === b.sid;
export const topSpot: Spot = { path: rootPath, sid: null };
export const spotOf = ({ folder, sid }: Pick<Place, 'folder' | 'sid'>): Spot => ({ path: folder, sid });

/** The address of a folder, with the present order and layout. */
export function linkTo(place: Place, { path, sid }: Spot): string {
  const params = writePlace(new URLSearchParams(), { ...place, sid, query: '', filters: {}, page: 0 }).toString();
  return addressOf(path) + (params && `?${params}`);
}

export interface Going {
  place: Place;
  /** `quietly` replaces the history entry. */
  go: (change: Partial<Place>, quietly?: boolean) => void;
}

export function usePlace(): readonly [Place, Going['go']] {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const place = readPlace(new URLSearchParams(search), pathname);
  const go = (change: Partial<Place>, quietly = false) => {
    const to = { ...place, page: 0, ...change };
    void navigate(
      {
        pathname: to.shared ? paths.shared : addressOf(to.folder),
        search: writePlace(new URLSearchParams(search), to).toString(),
      },
      // The panel of filters stays where it is while they are chosen. What is pressed shows at once: a press that follows
      // quickly begins from it.
      { replace: quietly, preventScrollReset: change.filters !== undefined, flushSync: !quietly },
    );
  };
  return [place, go];
}
