import * as Y from 'yjs';
import { close, writeFrame } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { Lack } from './gate.ts';
import { logRefusal } from './refuse.ts';
import type { Peer, Sent } from './session.ts';
import type { RoomState } from './state.ts';

/** Updates that hang on something that has not arrived: they wait beside the room, seen and stored by nobody (G5). */
export class EarlyUpdates {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly judge: (sent: Sent) => void;
  private held: { sent: Sent; lacks: Lack }[] = [];
  private timer: { cancel(): void } | null = null;
  /** How much they take. */
  bytes = 0;

  constructor(room: RoomContext, state: RoomState, judge: (sent: Sent) => void) {
    this.room = room;
    this.state = state;
    this.judge = judge;
  }

  hold(sent: Sent, lacks: Lack): void {
    const { room } = this;
    const { peer, update } = sent;
    if (this.bytes + update.byteLength > room.limits.pendingBytes) {
      // The peer that fills it is closed, not the one that comes next.
      const bytesOf = new Map([[peer, update.byteLength]]);
      for (const { sent: one } of this.held)
        bytesOf.set(one.peer, (bytesOf.get(one.peer) ?? 0) + one.update.byteLength);
      const [most] = [...bytesOf].toSorted(([, a], [, b]) => b - a)[0] ?? [peer];
      logRefusal(room, most, 'too much out of order', 'order');
      most.close(close.badFrame, 'too much out of order');
      this.dropOf(most);
      return most === peer ? undefined : this.hold(sent, lacks);
    }
    // A peer that lost something on the way is asked for all that is missing here.
    if (!this.held.some((one) => one.sent.peer === peer))
      peer.send(writeFrame({ kind: 'ask', stateVector: Y.encodeStateVector(this.state.durable) }));
    this.held.push({ sent, lacks });
    this.bytes += update.byteLength;
    this.timer ??= room.world.later(room.limits.pendingMs, () => this.expire());
  }

  /** Judges again those whose forerunners have arrived. */
  retry(): void {
    if (this.held.length === 0) return;
    const has = ({ client, upTo }: Lack) => (this.state.accepted.get(client) ?? 0) >= upTo;
    const ready = this.held.filter(({ lacks }) => has(lacks));
    this.held = this.held.filter(({ lacks }) => !has(lacks));
    for (const { sent } of ready) {
      this.bytes -= sent.update.byteLength;
      this.judge(sent);
    }
  }

  dropOf(peer: Peer): void {
    this.held = this.held.filter(({ sent }) => sent.peer !== peer);
    this.bytes = this.held.reduce((sum, { sent }) => sum + sent.update.byteLength, 0);
  }

  /** Closes peers whose updates waited too long: they come again and bring everything along. */
  private expire(): void {
    const { room } = this;
    this.timer = null;
    if (room.dropped) return;
    const now = room.world.now().getTime();
    for (const { sent } of this.held.filter((one) => now - one.sent.at >= room.limits.pendingMs))
      if (room.sessions.has(sent.peer)) sent.peer.close(close.restart, 'what it hangs on never came');
    const oldest = Math.min(...this.held.map(({ sent }) => sent.at));
    if (this.held.length > 0)
      this.timer = room.world.later(room.limits.pendingMs - (now - oldest), () => this.expire());
  }
}
