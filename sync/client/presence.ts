import type { Awareness } from 'y-protocols/awareness';
import { takings, type Taking } from '#shared/roles.ts';

/** The state a page sends of its person; the server passes on these fields alone (sync/server/presence.ts). */
export interface OwnPresence {
  /** Encoded relative positions in the document. */
  cursor?: { anchor: unknown; head: unknown } | null;
  /** The position of the player, in seconds. */
  at?: number | null;
  listening?: boolean;
  /** Rate of the playback; 0 while the player waits for data. */
  rate?: number;
  typing?: boolean;
  /** The open pane. */
  pane?: string | null;
}

export interface Person {
  id: string;
  name: string;
  color: string;
  /** How they take part; people who only read do not see others who only read. */
  taking: Taking;
  /** Their client ids here, one a tab. */
  clients: number[];
  /** The client id of the tab that shows where they are. */
  client: number;
  at: number | null;
  listening: boolean;
  rate: number;
  typing: boolean;
  pane: string | null;
}

/** Changes fields of one's own state; the others stay. */
export function setPresence(awareness: Awareness, change: OwnPresence): void {
  const now = awareness.getLocalState() ?? {};
  const changed = Object.entries(change).some(([key, value]) => JSON.stringify(now[key]) !== JSON.stringify(value));
  if (changed) awareness.setLocalState({ ...now, ...change });
}

/** Everybody else in the room, once each however many tabs they have, the longest known first. */
export function peopleIn(awareness: Awareness, ownId: string | null): Person[] {
  const people = new Map<string, Person>();
  const changedAt = new Map<Person, number>();
  for (const [client, state] of awareness.getStates()) {
    if (client === awareness.clientID) continue;
    const user = state['user'] as { id?: unknown; name?: unknown; color?: unknown; taking?: unknown } | undefined;
    // The server adds it; a state without it is nobody's.
    if (typeof user?.id !== 'string' || user.id === ownId) continue;
    const shown = {
      client,
      at: typeof state['at'] === 'number' ? state['at'] : null,
      listening: state['listening'] === true,
      rate: typeof state['rate'] === 'number' ? state['rate'] : 1,
      typing: state['typing'] === true,
      pane: typeof state['pane'] === 'string' ? state['pane'] : null,
    };
    const clock = awareness.meta.get(client)?.lastUpdated ?? 0;
    const known = people.get(user.id);
    if (!known) {
      const name = typeof user.name === 'string' ? user.name : '';
      const color = typeof user.color === 'string' && /^#[0-9a-f]{6}$/i.test(user.color) ? user.color : '';
      const taking = takings.find((one) => one === user.taking) ?? 'writes';
      const person = { id: user.id, name, color, taking, clients: [client], ...shown };
      people.set(user.id, person);
      changedAt.set(person, clock);
      continue;
    }
    known.clients.push(client);
    // A person is shown where their busiest tab is; of two alike, where the one that changed last is.
    const busier =
      Number(shown.typing) * 2 + Number(shown.listening) - Number(known.typing) * 2 - Number(known.listening);
    if (busier > 0 || (busier === 0 && clock > (changedAt.get(known) ?? 0))) {
      Object.assign(known, shown);
      changedAt.set(known, clock);
    }
  }
  return [...people.values()];
}
