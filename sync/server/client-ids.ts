import type { Claim, RoomContext } from './context.ts';
import type { Peer } from './session.ts';
import type { RoomState } from './state.ts';

/** The owners of client ids, as far as this room has asked for them (G3). */
export class ClientIds {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly owners = new Map<number, string>();

  constructor(room: RoomContext, state: RoomState) {
    this.room = room;
    this.state = state;
  }

  /** The owner, where it has been asked for. */
  ownerOf(clientId: number): string | undefined {
    return this.owners.get(clientId);
  }

  /**
   * Claims a client id for somebody who writes under it; resolves with its owner. `full`: nobody owns it, and the person
   * may have no more. Ids the server wrote under have no owner (null), and nobody can write under them.
   */
  async claimToWrite(clientId: number, userId: string): Promise<{ owner: string | null; full: boolean }> {
    const how = this.isWritten(clientId) ? 'look' : 'written';
    const known = this.owners.get(clientId);
    // Another's id is asked for again: after a restored backup people bring back each other's text.
    const owner = known === userId ? known : await this.claim(clientId, userId, how);
    if (owner !== null) this.owners.set(clientId, owner);
    return { owner, full: owner === null && how === 'written' };
  }

  /** Whether a person may be shown under a client id; somebody who may write owns it from then on. */
  mayShow(peer: Peer, clientId: number): boolean | Promise<boolean> {
    const owner = this.owners.get(clientId);
    if (owner !== undefined) return owner === peer.userId;
    const written = this.isWritten(clientId);
    // Writing under a reader's id does the reader no harm, so it takes no row.
    if (!peer.canWrite && !written) return true;
    return this.claim(clientId, peer.userId, written ? 'look' : 'seen').then((found) => {
      if (found !== null) this.owners.set(clientId, found);
      return found === null ? !written : found === peer.userId;
    });
  }

  private isWritten(clientId: number): boolean {
    return (this.state.accepted.get(clientId) ?? 0) > 0;
  }

  private claim(clientId: number, userId: string, how: Claim): Promise<string | null> {
    const { world, name, generation } = this.room;
    return world.claim(name, generation, clientId, userId, how);
  }
}
