import type { Awareness } from 'y-protocols/awareness';
import { takings, type Taking } from '#shared/roles.ts';

/** What a page tells of its person; the server passes on these fields and no others (sync/server/presence.ts). */
export interface OwnPresence {
  /** Encoded relative positions in the document. */
  cursor?: { anchor: unknown; head: unknown } | null;
  /** Where the sound is, in seconds. */
  at?: number | null;
  listening?: boolean;
  typing?: boolean;
  /** The open pane of the dock. */
  pane?: string | null;
}

export interface Person {
  id: string;
  name: string;
  color: string;
  /** How they take part: whoever only reads is told of those who do not, and of nobody else. */
  taking: Taking;
  /** Their client ids here, one a tab. */
  clients: number[];
  /** The one that tells where they are. */
  client: number;
  at: number | null;
  listening: boolean;
  typing: boolean;
  pane: string | null;
}

/** Says what is new of oneself; the rest stays as it was said. */
export function tell(awareness: Awareness, news: OwnPresence): void {
  const now = awareness.getLocalState() ?? {};
  const changed = Object.entries(news).some(([key, value]) => JSON.stringify(now[key]) !== JSON.stringify(value));
  if (changed) awareness.setLocalState({ ...now, ...news });
}

/** Everybody else who is here, once each however many tabs they have, the longest known first. */
export function peopleIn(awareness: Awareness, ownId: string | null): Person[] {
  const people = new Map<string, Person>();
  const spoke = new Map<Person, number>();
  for (const [client, state] of awareness.getStates()) {
    if (client === awareness.clientID) continue;
    const user = state['user'] as { id?: unknown; name?: unknown; color?: unknown; taking?: unknown } | undefined;
    // The server puts it there; without it this is nobody.
    if (typeof user?.id !== 'string' || user.id === ownId) continue;
    const said = {
      client,
      at: typeof state['at'] === 'number' ? state['at'] : null,
      listening: state['listening'] === true,
      typing: state['typing'] === true,
      pane: typeof state['pane'] === 'string' ? state['pane'] : null,
    };
    const clock = awareness.meta.get(client)?.lastUpdated ?? 0;
    const known = people.get(user.id);
    if (!known) {
      const name = typeof user.name === 'string' ? user.name : '';
      const color = typeof user.color === 'string' && /^#[0-9a-f]{6}$/i.test(user.color) ? user.color : '';
      const taking = takings.find((one) => one === user.taking) ?? 'writes';
      const person = { id: user.id, name, color, taking, clients: [client], ...said };
      people.set(user.id, person);
      spoke.set(person, clock);
      continue;
    }
    known.clients.push(client);
    // Where somebody is, their busiest tab tells; of two alike the one that spoke last.
    const busier =
      Number(said.typing) * 2 + Number(said.listening) - Number(known.typing) * 2 - Number(known.listening);
    if (busier > 0 || (busier === 0 && clock > (spoke.get(known) ?? 0))) {
      Object.assign(known, said);
      spoke.set(known, clock);
    }
  }
  return [...people.values()];
}
