import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { isSeenBy, takings, type Taking } from '#shared/roles.ts';
import { limits, writeFrame, type Limits } from '../protocol.ts';
import { Refused } from './inspect.ts';
import type { Peer } from './session.ts';

/** How a person is shown to others; written by the server, whatever the client sends. */
export interface Identity {
  id: string;
  name: string;
  color: string;
  /** How the person takes part in the meeting. */
  taking: Taking;
  /** Blind reviews that veil the person: only who oversees all of them sees them. */
  veil?: readonly string[];
}

/** A person in a room who may write something there, for callers who are not in it. */
export interface Seen {
  id: string;
  name: string;
  typing: boolean;
}

/** One state as it goes over the wire; `json` is 'null' for somebody who left. */
interface State {
  clientId: number;
  clock: number;
  json: string;
  /** The one in the JSON; 'writes' for somebody who left, so that everybody is told. */
  taking: Taking;
  /** The one in the JSON; stays when they leave, so that nobody else is told. */
  veil: readonly string[];
}

interface LocalState extends State {
  /** The client's own clock; the one that goes out is the server's. */
  clientClock: number;
  /** False until it is known that nobody else owns the client id. */
  bound: boolean;
}

interface RemoteState extends State {
  /** Last time another process sent it. */
  at: number;
}

interface PresenceOptions {
  /** Milliseconds of the clock that all processes share. */
  now(): number;
  /** Sends states to the other processes. */
  publish(update: Uint8Array): void;
  /** Whether that peer's person may be shown under this client id. */
  owns(peer: Peer, clientId: number): boolean | Promise<boolean>;
  limits?: Limits;
}

/** Rate limit of a peer's presence; each call uses some of it. */
interface Allowance {
  speak(): boolean;
}

/** Fields of a client's state that are passed on, each only with a harmless shape. */
const positions = ['cursor', 'anchor', 'head', 'at', 'listening', 'rate', 'typing', 'pane'] as const;
/** A client that repeats the state of somebody who has just left does not become them. */
const rememberMs = 300_000;
const rememberMost = 5000;
const renewMs = 15_000;

/**
 * The people in a room and where they are. Every socket has one state, under the client id it first spoke of. Name, colour
 * and id come from the session. The clock is the time, so that a person who comes back, here or at another process, is
 * newer than what others remember. A client that speaks of others (a stock one repeats everything it receives) is sent
 * the truth where it differs.
 */
export class Presence {
  private readonly local = new Map<Peer, LocalState>();
  private readonly holders = new Map<number, Peer>();
  /** States of sockets at other processes, by client id. */
  private readonly remote = new Map<number, RemoteState>();
  private readonly recentlyLeft = new Map<number, { userId: string; at: number }>();
  private readonly correctedAt = new WeakMap<Peer, number>();
  private readonly options: PresenceOptions;
  private readonly limits: Limits;
  private clock = 0;
  private renewedAt = 0;

  constructor(options: PresenceOptions) {
    this.options = options;
    this.limits = options.limits ?? limits;
  }

  /** Always rises, also where the time stands still. */
  private tick(): number {
    this.clock = Math.max(this.clock + 1, Math.floor(this.options.now()));
    return this.clock;
  }

  /** Sends everybody else's state to a newcomer; an empty one, too, as it shows that the connection is alive. */
  greet(peer: Peer): void {
    const states: State[] = [];
    for (const [other, state] of this.local) if (other !== peer && visible(state)) states.push(state);
    states.push(...this.remote.values());
    const seen = states.filter((state) => isSeen(state, peer));
    peer.send(writeFrame({ kind: 'presence', update: encodeStates(seen) }));
  }

  /** Stamps the state a peer sends of itself, and passes it on. */
  receive(peer: Peer, identity: Identity, update: Uint8Array, peers: Iterable<Peer>, allowance: Allowance): void {
    const wrong: State[] = [];
    for (const claimed of decodeStates(update)) {
      const own = this.local.get(peer);
      if (own?.clientId === claimed.clientId) {
        if (claimed.clock >= own.clientClock && allowance.speak()) this.say(peer, own, identity, claimed, peers);
        continue;
      }
      const truth = this.truthOf(claimed.clientId);
      if (!own && this.isFree(claimed.clientId, peer.userId)) {
        if (!isNothing(claimed.json) && allowance.speak()) this.bind(peer, identity, claimed, peers);
      } else if (truth && isSeen(truth, peer) && claimed.clock >= truth.clock && !sameBytes(claimed.json, truth.json))
        wrong.push(truth);
    }
    if (wrong.length > 0) this.correct(peer, wrong);
  }

  private truthOf(clientId: number): State | undefined {
    const holder = this.holders.get(clientId);
    return (holder && this.local.get(holder)) ?? this.remote.get(clientId);
  }

  /** Whether nobody has the client id, or the same person on a socket that is not known to be dead yet. */
  private isFree(clientId: number, userId: string): boolean {
    const holder = this.holders.get(clientId);
    if (holder) return holder.userId === userId;
    const remote = this.remote.get(clientId);
    if (remote) return (JSON.parse(remote.json) as { user?: Identity } | null)?.user?.id === userId;
    const left = this.recentlyLeft.get(clientId);
    return !left || left.userId === userId || left.at + rememberMs < this.options.now();
  }

  private bind(peer: Peer, identity: Identity, claimed: Claimed, peers: Iterable<Peer>): void {
    const { clientId, clock: clientClock } = claimed;
    const shown = { taking: identity.taking, veil: identity.veil ?? [] };
    const state: LocalState = { clientId, clock: 0, json: 'null', clientClock, bound: false, ...shown };
    this.local.set(peer, state);
    this.say(peer, state, identity, claimed, peers);
    const settle = (owns: boolean) => {
      if (this.local.get(peer) !== state) return;
      if (!owns || !this.isFree(state.clientId, peer.userId)) {
        this.local.delete(peer);
        return;
      }
      // The same page on an older connection, which is dead or dying.
      const holder = this.holders.get(state.clientId);
      if (holder) this.local.delete(holder);
      this.holders.set(state.clientId, peer);
      this.recentlyLeft.delete(state.clientId);
      // The page came over from another process: its state there is over, and must not expire here later.
      this.remote.delete(state.clientId);
      state.bound = true;
      state.clock = this.tick();
      this.spread(state, peers, peer);
    };
    const owns = this.options.owns(peer, state.clientId);
    if (typeof owns === 'boolean') settle(owns);
    else owns.then(settle, () => settle(false));
  }

  private say(peer: Peer, state: LocalState, identity: Identity, claimed: Claimed, peers: Iterable<Peer>): void {
    if (claimed.json.byteLength > this.limits.presenceBytes) return;
    const json = stamp(claimed.json, identity);
    state.clientClock = claimed.clock;
    state.json = json;
    state.taking = identity.taking;
    state.veil = identity.veil ?? [];
    if (!state.bound) return;
    state.clock = this.tick();
    this.spread(state, peers, peer);
  }

  /** Shows a person who takes part in another way now, to those who may see them, and sends them whom they may see. */
  retake(peer: Peer, identity: Identity, peers: Iterable<Peer>): void {
    const state = this.local.get(peer);
    const { taking, veil = [] } = identity;
    if (state && (state.taking !== taking || !sameVeil(state.veil, veil)) && state.json !== 'null') {
      // Peers that may not see them any more are told that they left.
      if (state.bound && (taking === 'reads' || veil.length > 0))
        this.spread({ ...state, ...nobody, clock: this.tick() }, peers, peer);
      state.json = JSON.stringify({ ...(JSON.parse(state.json) as object), user: identity });
      state.taking = taking;
      state.veil = veil;
      if (state.bound) {
        state.clock = this.tick();
        this.spread(state, peers, peer);
      }
    }
    this.greet(peer);
  }

  /** Sends a peer the truth, but not each time: peers that repeat each other would never end. */
  private correct(peer: Peer, states: State[]): void {
    const now = this.options.now();
    if (now - (this.correctedAt.get(peer) ?? -Infinity) < this.limits.presenceAnswerMs) return;
    this.correctedAt.set(peer, now);
    peer.send(writeFrame({ kind: 'presence', update: encodeStates(states) }));
  }

  /** Removes the state of a socket that closed. */
  leave(peer: Peer, peers: Iterable<Peer>): void {
    const state = this.local.get(peer);
    this.local.delete(peer);
    if (!state?.bound) return;
    this.holders.delete(state.clientId);
    if (this.recentlyLeft.size >= rememberMost) this.recentlyLeft.clear();
    this.recentlyLeft.set(state.clientId, { userId: peer.userId, at: this.options.now() });
    const { clientId, veil } = state;
    this.spread({ clientId, clock: this.tick(), ...nobody, veil }, peers, peer);
  }

  /** Takes states of sockets at another process. */
  receiveRemote(update: Uint8Array, peers: Iterable<Peer>): void {
    const at = this.options.now();
    for (const { clientId, clock, json: bytes } of decodeStates(update)) {
      const json = Buffer.from(bytes).toString();
      const have = this.remote.get(clientId);
      if (have && have.clock >= clock) {
        have.at = at;
        continue;
      }
      // A page that came over to this process is its own, whatever the other one sends of it.
      if (this.holders.has(clientId)) continue;
      const veil = json === 'null' ? (have?.veil ?? []) : veilIn(json);
      const state = { clientId, clock, json, taking: takingIn(json), veil };
      if (json === 'null') {
        if (!this.remote.delete(clientId)) continue;
      } else this.remote.set(clientId, { ...state, at });
      this.show(state, peers);
    }
  }

  /** Publishes from time to time who is here, and removes remote states that were not renewed for long. */
  sweep(peers: Iterable<Peer>): void {
    const now = this.options.now();
    if (now - this.renewedAt >= renewMs) {
      this.renewedAt = now;
      const update = this.localStates();
      if (update) this.options.publish(update);
    }
    for (const [clientId, { at, veil }] of this.remote) {
      if (now - at <= this.limits.presenceSilenceMs) continue;
      this.remote.delete(clientId);
      this.show({ clientId, clock: this.tick(), ...nobody, veil }, peers);
    }
    for (const [clientId, { at }] of this.recentlyLeft) if (at + rememberMs < now) this.recentlyLeft.delete(clientId);
  }

  /** All states of this process, for processes that just opened the room. */
  localStates(): Uint8Array | null {
    const states = [...this.local.values()].filter(visible);
    return states.length > 0 ? encodeStates(states) : null;
  }

  /** Accounts of everybody whose page is in this room, whatever it shows; who is here is told to nobody by it. */
  present(): ReadonlySet<string> {
    const states: State[] = [...this.remote.values(), ...this.local.values()];
    return new Set(
      states.flatMap(({ json }) => {
        const { user } = JSON.parse(json) as { user?: Identity };
        return user ? [user.id] : [];
      }),
    );
  }

  /** Everybody who has the comments open and may write, once each, however many sockets they have. */
  seen(): Seen[] {
    const found = new Map<string, Seen>();
    const states: State[] = [...this.remote.values(), ...[...this.local.values()].filter(visible)];
    for (const { json } of states) {
      const { user, typing, pane } = JSON.parse(json) as { user?: Identity; typing?: unknown; pane?: unknown };
      // Every page is in this room, also one that does not show the comments.
      if (typing !== true && !(typeof pane === 'string' && pane.startsWith('comments'))) continue;
      // People who only read are never shown to others who only read (P3a).
      if (!user || takingIn(json) === 'reads' || veilIn(json).length > 0) continue;
      const before = found.get(user.id);
      found.set(user.id, { id: user.id, name: user.name, typing: typing === true || before?.typing === true });
    }
    return [...found.values()];
  }

  /** Encoded positions of the carets of everybody who types and is not veiled. */
  typing(): unknown[] {
    const states: State[] = [...this.remote.values(), ...[...this.local.values()].filter(visible)];
    return states.flatMap(({ json, veil }) => {
      if (veil.length > 0) return [];
      const { typing, cursor } = JSON.parse(json) as { typing?: unknown; cursor?: { head?: unknown } | null };
      return typing === true && cursor?.head !== undefined ? [cursor.head] : [];
    });
  }

  private spread(state: State, peers: Iterable<Peer>, except: Peer): void {
    this.options.publish(this.show(state, peers, except));
  }

  private show(state: State, peers: Iterable<Peer>, except?: Peer): Uint8Array {
    const update = encodeStates([state]);
    const shared = { frames: [writeFrame({ kind: 'presence', update })], upTo: 0 };
    for (const peer of peers) if (peer !== except && isSeen(state, peer)) peer.sendShared(shared);
    return update;
  }

  get size(): number {
    return this.local.size;
  }
}

/** The state of somebody who left. */
const nobody = { json: 'null', taking: 'writes' } as const;

const isSeen = ({ json, taking, veil }: Pick<State, 'json' | 'taking' | 'veil'>, by: Peer): boolean =>
  veil.every((review) => by.oversees?.includes(review)) && (json === 'null' || isSeenBy(taking, by.taking ?? 'writes'));

const sameVeil = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((review) => other.includes(review));

function takingIn(json: string): Taking {
  const { user } = (JSON.parse(json) ?? {}) as { user?: { taking?: unknown } };
  // Missing where the other process runs an older version.
  return takings.find((one) => one === user?.taking) ?? 'writes';
}

function veilIn(json: string): readonly string[] {
  const { user } = (JSON.parse(json) ?? {}) as { user?: Identity };
  return user?.veil ?? [];
}

const visible = ({ bound, json }: LocalState): boolean => bound && json !== 'null';

/** One state of a message. Its JSON is not parsed yet, as most are only compared. */
interface Claimed {
  clientId: number;
  clock: number;
  json: Uint8Array;
}

const isNothing = (json: Uint8Array): boolean => Buffer.from(json).toString().trim() === 'null';
const sameBytes = (json: Uint8Array, other: string): boolean => Buffer.from(other).equals(json);

function stamp(json: Uint8Array, identity: Identity): string {
  let claimed: unknown;
  try {
    claimed = JSON.parse(Buffer.from(json).toString());
  } catch {
    throw new Refused('not a presence');
  }
  if (claimed === null) return 'null';
  if (typeof claimed !== 'object' || Array.isArray(claimed)) throw new Refused('not a presence');
  const state: Record<string, unknown> = { user: identity };
  for (const key of positions) {
    const value = Object.hasOwn(claimed, key) ? harmless((claimed as Record<string, unknown>)[key], 0) : undefined;
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

/** Reads as many states as the frame holds: a client that repeats a large room is not punished for its size. */
function decodeStates(update: Uint8Array): Claimed[] {
  try {
    const decoder = decoding.createDecoder(update);
    const count = decoding.readVarUint(decoder);
    const states: Claimed[] = [];
    for (let i = 0; i < count; i += 1) {
      const clientId = decoding.readVarUint(decoder);
      const clock = decoding.readVarUint(decoder);
      states.push({ clientId, clock, json: decoding.readVarUint8Array(decoder) });
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
