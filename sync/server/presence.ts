import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { isSeenBy, takings, type Taking } from '#shared/roles.ts';
import { limits, writeFrame, type Limits } from '../protocol.ts';
import { Refused } from './inspect.ts';
import type { Peer } from './session.ts';

/** What others see of somebody; written by the server, whatever the client says. */
export interface Identity {
  id: string;
  name: string;
  color: string;
  /** How they take part in the meeting. */
  taking: Taking;
}

/** Somebody in a room who may say something there, for who only asks. */
export interface Seen {
  id: string;
  name: string;
  typing: boolean;
}

/** As it goes over the wire; `json` is 'null' for somebody who left. */
interface State {
  clientId: number;
  clock: number;
  json: string;
  /** As it stands in the JSON; of whoever left, everybody is told. */
  taking: Taking;
}

interface Shown extends State {
  /** The client's own clock; the one that goes out is ours. */
  said: number;
  /** False until it is known that nobody else owns the client id. */
  bound: boolean;
}

interface Heard extends State {
  at: number;
}

export interface PresenceOptions {
  /** Milliseconds of the clock all processes share. */
  now(): number;
  /** For the other processes. */
  tell(update: Uint8Array): void;
  /** Whether this client id may stand for that peer's person. */
  owns(peer: Peer, clientId: number): boolean | Promise<boolean>;
  limits?: Limits;
}

/** What a peer may do now; asked only when it does it. */
export interface Allowance {
  speak(): boolean;
}

/** Fields of a client's own state that are passed on; each only with a harmless shape. */
const positions = ['cursor', 'anchor', 'head', 'at', 'listening', 'typing', 'pane'] as const;
/** Who repeats what they heard of somebody who has just left does not become them. */
const rememberMs = 300_000;
const rememberMost = 5000;
const renewMs = 15_000;

/**
 * Who is here and where. Every socket has one state, under the client id it first spoke of; name, colour and id come
 * from the session, and so does the clock: it is the time, so that whoever comes back, here or at another process, is
 * newer than what others remember. A client that speaks of others (a stock one repeats everything it hears) is
 * answered with the truth where it differs.
 */
export class Presence {
  private readonly local = new Map<Peer, Shown>();
  private readonly holders = new Map<number, Peer>();
  /** States of sockets at other processes, by client id. */
  private readonly remote = new Map<number, Heard>();
  private readonly left = new Map<number, { userId: string; at: number }>();
  private readonly answered = new WeakMap<Peer, number>();
  private readonly options: PresenceOptions;
  private readonly limits: Limits;
  private clock = 0;
  private renewedAt = 0;

  constructor(options: PresenceOptions) {
    this.options = options;
    this.limits = options.limits ?? limits;
  }

  /** Rises always, also where the time stands still. */
  private tick(): number {
    this.clock = Math.max(this.clock + 1, Math.floor(this.options.now()));
    return this.clock;
  }

  /** Everybody else's state, for somebody who just came. Nobody's, too: the answer tells that the line is alive. */
  greet(peer: Peer): void {
    const states: State[] = [];
    for (const [other, state] of this.local) if (other !== peer && visible(state)) states.push(state);
    states.push(...this.remote.values());
    const seen = states.filter((state) => isSeen(state, peer));
    peer.send(writeFrame({ kind: 'presence', update: encodeStates(seen) }));
  }

  /** Takes what a peer says of itself and passes it on, stamped. */
  receive(peer: Peer, identity: Identity, update: Uint8Array, peers: Iterable<Peer>, allowance: Allowance): void {
    const wrong: State[] = [];
    for (const claimed of decodeStates(update)) {
      const own = this.local.get(peer);
      if (own?.clientId === claimed.clientId) {
        if (claimed.clock >= own.said && allowance.speak()) this.say(peer, own, identity, claimed, peers);
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

  /** Nobody's, or the person's own from a socket that is not known to be dead yet. */
  private isFree(clientId: number, userId: string): boolean {
    const holder = this.holders.get(clientId);
    if (holder) return holder.userId === userId;
    const heard = this.remote.get(clientId);
    if (heard) return (JSON.parse(heard.json) as { user?: Identity } | null)?.user?.id === userId;
    const left = this.left.get(clientId);
    return !left || left.userId === userId || left.at + rememberMs < this.options.now();
  }

  private bind(peer: Peer, identity: Identity, claimed: Claimed, peers: Iterable<Peer>): void {
    const { clientId, clock: said } = claimed;
    const state: Shown = { clientId, clock: 0, json: 'null', said, bound: false, taking: identity.taking };
    this.local.set(peer, state);
    this.say(peer, state, identity, claimed, peers);
    const settle = (owns: boolean) => {
      if (this.local.get(peer) !== state) return;
      if (!owns || !this.isFree(state.clientId, peer.userId)) {
        this.local.delete(peer);
        return;
      }
      // The same page on an older line: that one is dead, or dying.
      const holder = this.holders.get(state.clientId);
      if (holder) this.local.delete(holder);
      this.holders.set(state.clientId, peer);
      this.left.delete(state.clientId);
      // It has come over from another process: what that one last said of it is over, and not to be taken for silence.
      this.remote.delete(state.clientId);
      state.bound = true;
      state.clock = this.tick();
      this.spread(state, peers, peer);
    };
    const owns = this.options.owns(peer, state.clientId);
    if (typeof owns === 'boolean') settle(owns);
    else owns.then(settle, () => settle(false));
  }

  private say(peer: Peer, state: Shown, identity: Identity, claimed: Claimed, peers: Iterable<Peer>): void {
    if (claimed.json.byteLength > this.limits.presenceBytes) return;
    const json = stamp(claimed.json, identity);
    state.said = claimed.clock;
    state.json = json;
    state.taking = identity.taking;
    if (!state.bound) return;
    state.clock = this.tick();
    this.spread(state, peers, peer);
  }

  /** How somebody takes part has changed: they are shown as they are now, and see whom they may see. */
  retake(peer: Peer, identity: Identity, peers: Iterable<Peer>): void {
    const state = this.local.get(peer);
    if (state && state.taking !== identity.taking && state.json !== 'null') {
      // For whoever may not see them any more they have gone.
      if (state.bound && identity.taking === 'reads')
        this.spread({ ...state, ...nobody, clock: this.tick() }, peers, peer);
      state.json = JSON.stringify({ ...(JSON.parse(state.json) as object), user: identity });
      state.taking = identity.taking;
      if (state.bound) {
        state.clock = this.tick();
        this.spread(state, peers, peer);
      }
    }
    this.greet(peer);
  }

  /** The truth of whom it spoke wrongly of, and not each time: a crowd that repeats each other would never end. */
  private correct(peer: Peer, states: State[]): void {
    const now = this.options.now();
    if (now - (this.answered.get(peer) ?? -Infinity) < this.limits.presenceAnswerMs) return;
    this.answered.set(peer, now);
    peer.send(writeFrame({ kind: 'presence', update: encodeStates(states) }));
  }

  /** A socket closed: its person is no longer seen by it. */
  leave(peer: Peer, peers: Iterable<Peer>): void {
    const state = this.local.get(peer);
    this.local.delete(peer);
    if (!state?.bound) return;
    this.holders.delete(state.clientId);
    if (this.left.size >= rememberMost) this.left.clear();
    this.left.set(state.clientId, { userId: peer.userId, at: this.options.now() });
    this.spread({ clientId: state.clientId, clock: this.tick(), ...nobody }, peers, peer);
  }

  /** What another process says of its sockets. */
  news(update: Uint8Array, peers: Iterable<Peer>): void {
    const at = this.options.now();
    for (const { clientId, clock, json: bytes } of decodeStates(update)) {
      const json = Buffer.from(bytes).toString();
      const have = this.remote.get(clientId);
      if (have && have.clock >= clock) {
        have.at = at;
        continue;
      }
      // Whoever came over to us is ours, whatever the process they left says of them.
      if (this.holders.has(clientId)) continue;
      const state = { clientId, clock, json, taking: takingIn(json) };
      if (json === 'null') {
        if (!this.remote.delete(clientId)) continue;
      } else this.remote.set(clientId, { ...state, at });
      this.show(state, peers);
    }
  }

  /** From time to time: says again who is here, and takes for gone who was not spoken of for long. */
  look(peers: Iterable<Peer>): void {
    const now = this.options.now();
    if (now - this.renewedAt >= renewMs) {
      this.renewedAt = now;
      const update = this.localStates();
      if (update) this.options.tell(update);
    }
    for (const [clientId, { at }] of this.remote) {
      if (now - at <= this.limits.presenceSilenceMs) continue;
      this.remote.delete(clientId);
      this.show({ clientId, clock: this.tick(), ...nobody }, peers);
    }
    for (const [clientId, { at }] of this.left) if (at + rememberMs < now) this.left.delete(clientId);
  }

  /** Everybody at this process, for processes that just came to the room. */
  localStates(): Uint8Array | null {
    const states = [...this.local.values()].filter(visible);
    return states.length > 0 ? encodeStates(states) : null;
  }

  /** Everybody who has the comments before them and may say something, each once, however many sockets they have. */
  seen(): Seen[] {
    const found = new Map<string, Seen>();
    const states: State[] = [...this.remote.values(), ...[...this.local.values()].filter(visible)];
    for (const { json } of states) {
      const { user, typing, pane } = JSON.parse(json) as { user?: Identity; typing?: unknown; pane?: unknown };
      // Every page is in this room, whatever it shows.
      if (typing !== true && !(typeof pane === 'string' && pane.startsWith('comments'))) continue;
      // Of those who only read, others who only read are told nothing, by no way.
      if (!user || takingIn(json) === 'reads') continue;
      const before = found.get(user.id);
      found.set(user.id, { id: user.id, name: user.name, typing: typing === true || before?.typing === true });
    }
    return [...found.values()];
  }

  private spread(state: State, peers: Iterable<Peer>, except: Peer): void {
    this.options.tell(this.show(state, peers, except));
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

/** Somebody who left, or was never there. */
const nobody = { json: 'null', taking: 'writes' } as const;

const isSeen = ({ json, taking }: Pick<State, 'json' | 'taking'>, by: Peer): boolean =>
  json === 'null' || isSeenBy(taking, by.taking ?? 'writes');

function takingIn(json: string): Taking {
  const { user } = (JSON.parse(json) ?? {}) as { user?: { taking?: unknown } };
  // A process that does not know of it yet says nothing of it.
  return takings.find((one) => one === user?.taking) ?? 'writes';
}

const visible = ({ bound, json }: Shown): boolean => bound && json !== 'null';

/** One state of a message, its JSON not looked into yet: most are only compared. */
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

/** As many as the frame holds: who repeats a large room is not punished for its size. */
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
