import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { limits, writeFrame } from '../protocol.ts';
import { Refused } from './inspect.ts';
import type { Peer } from './room.ts';

/** What others see of somebody; written by the server, whatever the client says. */
export interface Identity {
  id: string;
  name: string;
  color: string;
}

interface State {
  clientId: number;
  clock: number;
  /** JSON as it goes out; 'null' for somebody who left. */
  json: string;
}

/** Fields of a client's own state that are passed on; each only with a harmless shape. */
const positions = ['cursor', 'anchor', 'head', 'at', 'listening', 'typing', 'pane'] as const;
/** A clock far ahead could never be corrected again. */
const clockWindow = 1_000_000;

/**
 * Who is here and where. Every socket has one state, under the client id it first spoke of; name, colour and id come
 * from the session. A client that speaks of others (a stock one repeats what it heard after a reconnect) is answered
 * with the truth.
 */
export class Presence {
  private readonly local = new Map<Peer, State>();
  /** States of sockets at other processes, by client id. */
  private readonly remote = new Map<number, State>();
  private readonly tell: (update: Uint8Array) => void;

  constructor(tell: (update: Uint8Array) => void) {
    this.tell = tell;
  }

  private all(): State[] {
    return [...this.local.values(), ...this.remote.values()].filter(({ json }) => json !== 'null');
  }

  /** Everybody's state, for somebody who just came. Nobody's, too: the answer tells that the line is alive. */
  greet(peer: Peer): void {
    peer.send(writeFrame({ kind: 'presence', update: encodeStates(this.all()) }));
  }

  /** Takes what a peer says of itself and passes it on, stamped. */
  receive(peer: Peer, identity: Identity, update: Uint8Array, peers: Iterable<Peer>): void {
    let corrected = false;
    for (const claimed of decodeStates(update)) {
      const own = this.local.get(peer);
      const taken =
        [...this.local].some(([other, state]) => other !== peer && state.clientId === claimed.clientId) ||
        this.remote.has(claimed.clientId);
      if (taken || (own && own.clientId !== claimed.clientId)) {
        corrected = true;
        continue;
      }
      if (own && (claimed.clock < own.clock || claimed.clock > own.clock + clockWindow)) continue;
      if (!own && (claimed.json === 'null' || claimed.clock > clockWindow)) continue;
      const state = {
        clientId: claimed.clientId,
        clock: claimed.clock,
        json: claimed.json === 'null' ? 'null' : stamp(claimed.json, identity),
      };
      this.local.set(peer, state);
      this.spread(state, peers, peer);
    }
    if (corrected) this.greet(peer);
  }

  /** A socket closed: its person is no longer seen by it. */
  leave(peer: Peer, peers: Iterable<Peer>): void {
    const state = this.local.get(peer);
    if (!state) return;
    this.local.delete(peer);
    this.spread({ ...state, clock: state.clock + 1, json: 'null' }, peers, peer);
  }

  /** What another process says of its sockets. */
  news(update: Uint8Array, peers: Iterable<Peer>): void {
    for (const state of decodeStates(update)) {
      const have = this.remote.get(state.clientId);
      if (have && have.clock >= state.clock) continue;
      if (state.json === 'null') this.remote.delete(state.clientId);
      else this.remote.set(state.clientId, state);
      const frame = writeFrame({ kind: 'presence', update: encodeStates([state]) });
      for (const peer of peers) peer.send(frame);
    }
  }

  /** Everybody at this process, for processes that just came to the room. */
  localStates(): Uint8Array | null {
    return this.local.size > 0 ? encodeStates([...this.local.values()]) : null;
  }

  private spread(state: State, peers: Iterable<Peer>, except: Peer): void {
    const update = encodeStates([state]);
    const frame = writeFrame({ kind: 'presence', update });
    for (const peer of peers) if (peer !== except) peer.send(frame);
    this.tell(update);
  }

  get size(): number {
    return this.local.size;
  }
}

function stamp(json: string, identity: Identity): string {
  const claimed = JSON.parse(json) as Record<string, unknown>;
  const state: Record<string, unknown> = { user: identity };
  for (const key of positions) {
    const value = Object.hasOwn(claimed, key) ? harmless(claimed[key], 0) : undefined;
    if (value !== undefined) state[key] = value;
  }
  return JSON.stringify(state);
}

/** Numbers, booleans, short plain words, and what relative positions are made of. */
function harmless(value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return /^[\w:.-]{0,80}$/.test(value) ? value : undefined;
  if (typeof value !== 'object' || Array.isArray(value) || depth > 4) return undefined;
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value).slice(0, 12)) {
    const clean = /^\w{1,20}$/.test(key) && key !== '__proto__' ? harmless(inner, depth + 1) : undefined;
    if (clean !== undefined) result[key] = clean;
  }
  return result;
}

function decodeStates(update: Uint8Array): State[] {
  if (update.byteLength > limits.presenceBytes * 8) throw new Refused('too much presence');
  try {
    const decoder = decoding.createDecoder(update);
    const count = decoding.readVarUint(decoder);
    if (count > 200) throw new Refused('too much presence');
    const states: State[] = [];
    for (let i = 0; i < count; i += 1) {
      const clientId = decoding.readVarUint(decoder);
      const clock = decoding.readVarUint(decoder);
      const json = decoding.readVarString(decoder);
      if (json.length > limits.presenceBytes) throw new Refused('too large a presence');
      const value: unknown = JSON.parse(json);
      if (typeof value !== 'object' || Array.isArray(value)) throw new Refused('not a presence');
      states.push({ clientId, clock, json: value === null ? 'null' : json });
    }
    if (decoding.hasContent(decoder)) throw new Refused('bytes behind the presence');
    return states;
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('not a presence');
  }
}

function encodeStates(states: readonly State[]): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, states.length);
    for (const { clientId, clock, json } of states) {
      encoding.writeVarUint(encoder, clientId);
      encoding.writeVarUint(encoder, clock);
      encoding.writeVarString(encoder, json);
    }
  });
}
