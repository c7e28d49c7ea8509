import { close, writeFrame } from '../protocol.ts';
import type { ClientIds } from './client-ids.ts';
import type { Committer } from './commit.ts';
import type { RoomContext } from './context.ts';
import type { RoomDocument } from './document.ts';
import type { EarlyUpdates } from './early.ts';
import type { Follower } from './follow.ts';
import { judge, type Judgement } from './gate.ts';
import { Refused, type Inspected, type Reason } from './inspect.ts';
import { logRefusal, notReady, refuse } from './refuse.ts';
import { askingSession, readySession, type Peer, type Sent, type Session } from './session.ts';
import { emptyUpdate, type RoomState } from './state.ts';

const noClientIds: readonly number[] = [];

interface Parts {
  document: RoomDocument;
  clientIds: ClientIds;
  early: EarlyUpdates;
  follower: Follower;
  committer: Committer;
  setSession(session: Session): void;
  /** An error that no rule foresees. */
  threw(error: unknown): void;
}

/** Judges the updates of peers, and hands those that pass to be stored. A promise only where the database is asked. */
export class Incoming {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly parts: Parts;

  constructor(room: RoomContext, state: RoomState, parts: Parts) {
    this.room = room;
    this.state = state;
    this.parts = parts;
  }

  receive(peer: Peer, update: Uint8Array): void {
    const session = this.room.sessions.get(peer);
    if (!session) return;
    session.received += 1;
    // Nothing of somebody who may not write is acknowledged: their first update holds back all behind it.
    if (peer.canWrite || session.notDurable.size === 0) session.notDurable.add(session.received);
    this.judgeInTurn({ peer, update, nth: session.received, at: this.room.world.now().getTime() });
  }

  /** Judges an update once those of its peer before it are judged. */
  judgeInTurn(sent: Sent): void {
    const { peer } = sent;
    const before = this.room.sessions.get(peer);
    if (!before) return;
    let work: Promise<void> | void;
    try {
      work = before.state === 'asking' ? before.done.then(() => this.consider(sent)) : this.consider(sent);
    } catch (error) {
      return this.parts.threw(error);
    }
    if (!work) return;
    const done = work
      .catch((error: unknown) => this.parts.threw(error))
      .finally(() => {
        const session = this.room.sessions.get(peer);
        if (session?.state === 'asking' && session.done === done) this.parts.setSession(readySession(session));
      });
    const session = this.room.sessions.get(peer);
    if (session) this.parts.setSession(askingSession(session, done));
  }

  /** `looked`: with everything the log has. `granted`: client ids that the sender may write under. */
  private consider(sent: Sent, looked = false, granted: readonly number[] = noClientIds): Promise<void> | void {
    const { room, state } = this;
    const { peer, update } = sent;
    if (room.dropped || !room.sessions.has(peer)) return;
    try {
      const judged = judge(room.part, state.accepted, update);
      if (!peer.canWrite || room.damage) return this.considerUnwritable(sent, judged, looked);
      if (judged.verdict === 'known') return this.accept(sent, emptyUpdate, null, noClientIds);
      if (judged.verdict === 'new') return this.considerNew(sent, judged, looked, granted);
      if (!looked) return this.lookAgain(sent);
      if (judged.verdict === 'beyond') throw new Refused('a deletion beyond what is known', 'order');
      this.parts.early.hold(sent, judged.lacks);
    } catch (error) {
      refuse(room, peer, error);
    }
  }

  /** Denies what somebody without the right to write, or anybody where the log is damaged, sends beyond what is known. */
  private considerUnwritable(sent: Sent, judged: Judgement, looked: boolean): Promise<void> | void {
    const { room } = this;
    if (judged.verdict === 'known') return;
    // A stock client that may only read repeats all deletions it knows of whenever it comes back.
    if (judged.verdict === 'new' && judged.newClients.length === 0) {
      const wait = this.parts.document.prepare();
      if (wait) return wait.then(() => this.consider(sent, looked));
      if (this.parts.document.knowsDeletions(judged.inspected, sent.peer)) return;
    }
    if (!looked && !room.damage) return this.lookAgain(sent);
    const [why, reason]: [string, Reason] = room.damage ? ['damaged', 'damaged'] : ['may not write', 'rights'];
    logRefusal(room, sent.peer, why, reason);
    sent.peer.send(writeFrame({ kind: 'auth', reason: 'permission denied' }));
  }

  private considerNew(
    sent: Sent,
    { inspected, newClients }: Judgement & { verdict: 'new' },
    looked: boolean,
    granted: readonly number[],
  ): Promise<void> | void {
    const { room } = this;
    const { peer, update } = sent;
    // Deletions make room again, so they pass where the document is full.
    if (this.state.isFull(update.byteLength, inspected, newClients.length > 0)) {
      logRefusal(room, peer, 'the document is full', 'full');
      peer.close(close.documentFull, 'the document is full');
      return;
    }
    const unclaimed = newClients.filter(
      (client) => this.parts.clientIds.ownerOf(client) !== peer.userId && !granted.includes(client),
    );
    if (unclaimed.length > 0) return this.claimAll(sent, unclaimed, looked);
    this.accept(sent, update, inspected, newClients);
  }

  private accept(
    { peer, nth, at }: Sent,
    update: Uint8Array,
    inspected: Inspected | null,
    clientIds: readonly number[],
  ): void {
    this.parts.committer.enqueue({ peer, nth, at, userId: peer.userId, applied: false, update, inspected, clientIds });
  }

  private async claimAll(sent: Sent, clients: readonly number[], looked: boolean): Promise<void> {
    const { room } = this;
    const { peer } = sent;
    try {
      for (const client of clients) {
        const { owner, full } = await this.parts.clientIds.claimToWrite(client, peer.userId);
        if (full) {
          logRefusal(room, peer, 'too many client ids', 'ids');
          if (room.sessions.has(peer)) peer.close(close.full, 'too many client ids');
          return;
        }
        if (owner === peer.userId) continue;
        if (!looked) return await this.lookAgain(sent);
        room.world.event('squatting', { room: room.name, user: peer.userId, reason: 'owner' satisfies Reason });
        if (room.sessions.has(peer)) peer.close(close.noAccess, 'a client id of somebody else');
        return;
      }
    } catch (error) {
      if (error instanceof Refused) refuse(room, peer, error);
      else notReady(room, peer, error);
      return;
    }
    await this.consider(sent, looked, clients);
  }

  /**
   * Asks the log before an update is refused or kept waiting (G7): a peer that comes from another process may bring
   * along, or build upon, what that one has stored and this one does not know yet.
   */
  private async lookAgain(sent: Sent): Promise<void> {
    try {
      await this.parts.follower.look();
    } catch (error) {
      notReady(this.room, sent.peer, error);
      return;
    }
    await this.consider(sent, true);
  }
}
