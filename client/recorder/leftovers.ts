import { parseResponse } from 'hono/client';

import { recorderLimits } from '#shared/recorder.ts';
import { Signal } from '#shared/signal.ts';

import type { Api } from '../api.ts';
import { awaitMeeting } from './lock.ts';
import { PieceSender, type SendTrouble } from './piece-sender.ts';
import { openPieceStore, type PieceStore, type StoredTake } from './piece-store.ts';
import type { RecorderWorld } from './recorder.ts';

/** Sound of one recording that an earlier visit left on this device. */
export interface Leftover {
  meeting: string;
  title: string;
  /** Milliseconds that are not at the server. */
  ms: number;
  state: 'sending' | 'waiting' | 'sent' | SendTrouble;
}

/** Sends what earlier visits of this person left in this browser. */
export class Leftovers {
  readonly subscribe: (callback: () => void) => () => void;
  private readonly signal = new Signal();
  private shown: readonly Leftover[] = [];
  private store: PieceStore | null = null;
  private readonly user: string;
  private readonly api: Api;
  private readonly world: RecorderWorld;
  private readonly senders = new Set<PieceSender>();
  private stopping = new AbortController();

  constructor(user: string, api: Api, world: RecorderWorld) {
    this.user = user;
    this.api = api;
    this.world = world;
    this.subscribe = this.signal.subscribe;
  }

  readonly now = (): readonly Leftover[] => this.shown;

  /** Resolves with whether something of this person is left in this browser. */
  async send(): Promise<boolean> {
    this.stopping = new AbortController();
    const store = await openPieceStore(this.user);
    this.store = store;
    const [takes, ends] = await Promise.all([store.takes(), store.ends()]);
    const meetings = new Set([...takes.map(({ meeting }) => meeting), ...ends]);
    await Promise.allSettled([...meetings].map((meeting) => this.sendMeeting(store, meeting)));
    const left = await Promise.all([store.takes(), store.ends()]);
    return left.some(({ length }) => length > 0);
  }

  stop(): void {
    this.stopping.abort();
    for (const sender of this.senders) sender.halt();
  }

  readonly wake = (): void => {
    for (const sender of this.senders) sender.wake();
  };

  /** Deletes what can no longer be sent. */
  async discard(meeting: string): Promise<void> {
    const takes = (await this.store?.takes()) ?? [];
    for (const { key } of takes.filter((one) => one.meeting === meeting)) await this.store?.forgetTake(key);
    await this.store?.forgetEnd(meeting);
    this.show(this.shown.filter((one) => one.meeting !== meeting));
  }

  private async sendMeeting(store: PieceStore, meeting: string): Promise<void> {
    // Another tab may record it, or send it.
    const held = await awaitMeeting(meeting, this.stopping.signal);
    try {
      const takes = (await store.takes()).filter((one) => one.meeting === meeting);
      const ends = (await store.ends()).includes(meeting);
      const keptOf = await this.keptTakes(meeting);
      let trouble: SendTrouble | null = null;
      for (const take of takes)
        trouble = (await this.sendTake(store, take, keptOf.get(take.take ?? '') ?? 0)) ?? trouble;
      if (this.stopping.signal.aborted || trouble) return;
      if (ends) {
        await this.world.say(meeting, 'end').catch(() => {});
        await store.forgetEnd(meeting);
      }
      this.show(this.shown.map((one) => (one.meeting === meeting ? { ...one, ms: 0, state: 'sent' } : one)));
    } finally {
      held.release();
    }
  }

  private async keptTakes(id: string): Promise<Map<string, number>> {
    try {
      const { takes } = await parseResponse(this.api.meetings[':id'].live.$get({ param: { id } }));
      return new Map(takes.map(({ take, kept }) => [take, kept]));
    } catch {
      // The senders find out why, and try again.
      return new Map();
    }
  }

  /** Resolves when the take is at the server, or cannot be sent. */
  private async sendTake(store: PieceStore, take: StoredTake, kept: number): Promise<SendTrouble | null> {
    const pieces = (await store.pieces(take.key)).filter(({ n }) => n > kept);
    const total = take.total ?? Math.max(kept, ...pieces.map(({ n }) => n));
    const show = (state: Leftover['state'], left: number) => {
      if (pieces.length === 0 && !this.shown.some((one) => one.meeting === take.meeting)) return;
      const one = { meeting: take.meeting, title: take.title, ms: left * recorderLimits.pieceMs, state };
      this.show([...this.shown.filter(({ meeting }) => meeting !== take.meeting), one]);
    };
    show('sending', pieces.length);
    return new Promise((resolve) => {
      const sender = new PieceSender(take, this.world, store, {
        stopped: () => {},
        changed: () => {
          const left = pieces.filter(({ n }) => n > Math.max(kept, sender.kept)).length;
          const { trouble } = sender;
          show(trouble === null ? 'sending' : trouble === 'network' ? 'waiting' : trouble, left);
          if (!sender.settled) return;
          this.senders.delete(sender);
          resolve(sender.done ? null : trouble);
        },
      });
      this.senders.add(sender);
      for (const piece of pieces) sender.add(piece);
      sender.finish(total);
      sender.start();
    });
  }

  private show(shown: readonly Leftover[]): void {
    this.shown = shown;
    this.signal.emit();
  }
}
