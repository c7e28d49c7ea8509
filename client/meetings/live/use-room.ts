import { useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useEffect, useState, useSyncExternalStore } from 'react';

import type { SessionInfo } from '#shared/accounts.ts';
import { Signal } from '#shared/signal.ts';
import type { Ended } from '#sync/client/provider.ts';

import { ApiError, useApi, type Api } from '../../api.ts';
import { sessionKey, useSession } from '../../session.ts';
import { useReportUnsaved } from '../../store.ts';
import { drawnAlike } from './drawn-alike.ts';
import { pageRoomsAtom } from './page-rooms.ts';
import { LiveRoom, type LiveDocument } from './room.ts';

export type { LiveDocument };

/**
 * Live document of this page; null until the session is known. `room` is `<meeting>/<part>`. The object changes only if
 * a screen has to draw something else, because React would otherwise walk the whole edited text with each letter.
 */
export function useRoom(room: string): LiveDocument | null {
  const api = useApi();
  const queries = useQueryClient();
  const rooms = useAtomValue(pageRoomsAtom);
  const principal = useSession().data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const known = principal !== undefined;
  const reportUnsaved = useReportUnsaved();
  const [place] = useState(() => new Place());
  useEffect(() => {
    if (!known) return;
    const [meeting] = room.split('/');
    // The page reads its permissions again and offers actions by them.
    const rightsChanged = () => void queries.invalidateQueries({ queryKey: ['meeting', meeting, 'about'] });
    const live = new LiveRoom({ room, userId, whyRefused: () => whyRefused(api, room), rightsChanged });
    rooms.add(live);
    place.put(live);
    const unsubscribe = live.subscribe(() => reportUnsaved(`room ${room}`, live.read().state.pending));
    return () => {
      unsubscribe();
      reportUnsaved(`room ${room}`, 0);
      place.put(null);
      rooms.remove(live);
      live.close();
    };
  }, [api, queries, place, room, rooms, userId, known, reportUnsaved]);

  const view = useSyncExternalStore(place.subscribe, place.drawn);
  const ended = view?.ended ?? null;
  useEffect(() => {
    // The session may belong to someone else now; reconnects only for the same person.
    if (ended !== 'session') return;
    let here = true;
    void queries.refetchQueries({ queryKey: sessionKey }).then(() => {
      const now = queries.getQueryData<SessionInfo>(sessionKey)?.principal;
      if (here && now?.kind === 'user' && String(now.id) === userId) place.read()?.live.resume();
    });
    return () => {
      here = false;
    };
  }, [ended, queries, userId, place]);
  return view;
}

/** Holds a component's room, also before there is one. */
class Place {
  private live: LiveRoom | null = null;
  private shown: LiveDocument | null = null;
  private unsubscribe = (): void => {};
  private readonly signal = new Signal();

  readonly subscribe = this.signal.subscribe;

  readonly read = (): LiveDocument | null => this.live?.read() ?? null;

  /** Returns the same object until something that is drawn changes. */
  readonly drawn = (): LiveDocument | null => {
    const now = this.read();
    if (!now || !this.shown || !drawnAlike(this.shown, now)) this.shown = now;
    return this.shown;
  };

  put(live: LiveRoom | null): void {
    this.unsubscribe();
    this.live = live;
    this.unsubscribe = live?.subscribe(() => this.signal.emit()) ?? (() => {});
    this.signal.emit();
  }
}

/** A refused WebSocket gives no reason; the ticket call by REST does. */
export async function whyRefused(api: Api, room: string): Promise<Ended | null> {
  try {
    await api.sync.tickets.$post({ json: { room } });
    return null;
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 401) return 'session';
    return status === 403 || status === 404 ? 'access' : null;
  }
}
