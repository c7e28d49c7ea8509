import type * as Y from 'yjs';
import {
  annotationKinds,
  privateRoot,
  readAnnotations,
  rootOf,
  type Annotation,
  type AnnotationKind,
  type AnnotationOf,
} from '#shared/meetings/annotations.ts';
import { newId } from '#shared/ids.ts';
import { Signal } from '#shared/signal.ts';
import { KeptCommands } from '#sync/client/commands.ts';
import type { Ended } from '#sync/client/provider.ts';

import { AfterPaint } from '../../base/after-paint.ts';
import type { PageRoom } from '../../live/page-rooms.ts';
import { LiveRoom } from '../../live/room.ts';
import {
  isShown,
  layOver,
  wordsOf,
  type Answer,
  type Answered,
  type Command,
  type CommandOf,
  type Annotations,
} from './commands.ts';
import { voiceOf } from './recordings.ts';
import { CommandQueue, type QueueWorld } from './queue.ts';

/** All that is said about a recording, as far as this person may see it. A new one for each change. */
export interface AnnotationsView extends Annotations {
  /** It is known what there is, or what this browser kept of it. */
  ready: boolean;
  /** Ids of what the server has not taken yet. */
  waiting: ReadonlySet<string>;
}

interface MeetingAnnotationsOptions {
  meeting: string;
  /** Null where nobody is signed in: they read. */
  userId: string | null;
  name: string;
  send(command: Command, signal: AbortSignal): Promise<Answer>;
  whyRefused(room: string): Promise<Ended | null>;
  refused: QueueWorld['refused'];
  found: QueueWorld['found'];
  /** Of the same recording, left before all was sent. */
  before: MeetingAnnotations | null;
}

/** A room that has not shown by then what the server answered will not: somebody has changed it since. */
const patience = 10_000;

const none: AnnotationsView = { outcome: new Map(), comment: new Map(), ready: false, waiting: new Set() };

interface Watched {
  live: LiveRoom;
  /** What of a document says something: own notes are typed into the same one as private items. */
  root: string;
  doc: Y.Doc | null;
}

/** Outcomes and comments of one recording: those in its rooms, and what this person is doing to them. */
export class MeetingAnnotations implements PageRoom {
  readonly options: MeetingAnnotationsOptions;
  readonly queue: CommandQueue;
  private readonly kept: KeptCommands<Command> | null;
  private readonly rooms: Record<AnnotationKind, Watched> & { notes: Watched | null };
  private readonly signal = new Signal();
  private readonly ends: (() => void)[] = [];
  private answered: (Answered & { at: number })[] = [];
  private view: AnnotationsView = none;
  private closed = false;
  private readonly soon = new AfterPaint(() => this.look());

  constructor(options: MeetingAnnotationsOptions) {
    this.options = options;
    const { userId, meeting, send, refused, found, before } = options;
    this.kept = userId === null ? null : new KeptCommands<Command>(userId, meeting);
    const { kept } = this;
    this.queue = new CommandQueue({
      send,
      keeper: kept && {
        load: () => kept.load((commands) => this.queue.take(commands)),
        keep: (command) => kept.keep(command),
        drop: (command) => kept.drop(command),
      },
      now: () => performance.now(),
      wall: () => Date.now(),
      later: (ms, work) => {
        const timer = setTimeout(work, ms);
        return { cancel: () => clearTimeout(timer) };
      },
      random: Math.random,
      online: () => navigator.onLine,
      // One's own is on the screen with the next paint.
      changed: () => this.look(),
      answered: (done) => {
        this.answered.push({ ...done, at: performance.now() });
      },
      refused,
      found,
    });
    // What somebody else gave is nobody's here: it stays kept for them.
    if (before && before.options.userId === userId) this.queue.inherit(before.queue);
    else before?.queue.close();
    const room = (part: string, root: string): Watched => {
      const live = new LiveRoom({
        room: `${meeting}/${part}`,
        userId,
        whyRefused: () => options.whyRefused(`${meeting}/${part}`),
      });
      return { live, root, doc: null };
    };
    this.rooms = {
      outcome: room('outcomes', rootOf.outcome),
      comment: room('comments', rootOf.comment),
      notes: userId === null ? null : room('notes', privateRoot),
    };
    for (const one of this.all()) {
      this.ends.push(one.live.subscribe(() => this.watch(one)));
      this.watch(one);
    }
    window.addEventListener('online', this.queue.wake);
    window.addEventListener('pagehide', this.queue.depart);
    void this.queue.open();
  }

  private all(): Watched[] {
    const { outcome, comment, notes } = this.rooms;
    return notes ? [outcome, comment, notes] : [outcome, comment];
  }

  /** Another document each time the room was started anew. */
  private watch(one: Watched): void {
    const { doc } = one.live.read();
    if (doc !== one.doc) {
      one.doc?.getMap(one.root).unobserveDeep(this.soon.ask);
      doc.getMap(one.root).observeDeep(this.soon.ask);
      one.doc = doc;
    }
    this.soon.ask();
  }

  /** The same person has signed in again. */
  resume(): void {
    for (const { live } of this.all()) if (live.read().ended === 'session') live.resume();
    this.queue.wake();
  }

  /** Leaves the recording. Commands given before are still sent, and subscribers called, until `ended` is called. */
  close(ended: () => void): void {
    this.closed = true;
    this.soon.drop();
    for (const end of this.ends) end();
    for (const { live, root, doc } of this.all()) {
      doc?.getMap(root).unobserveDeep(this.soon.ask);
      live.close();
    }
    this.queue.finish(() => {
      window.removeEventListener('online', this.queue.wake);
      window.removeEventListener('pagehide', this.queue.depart);
      this.kept?.close();
      this.signal.clear();
      ended();
    });
  }

  // ---- Reading ---------------------------------------------------------------------------------

  readonly subscribe = this.signal.subscribe;

  readonly now = (): AnnotationsView => this.view;

  /** For who is here, and types. */
  room(kind: AnnotationKind): LiveRoom {
    return this.rooms[kind].live;
  }

  /** One's own, in which notes are typed, too; none for who is not signed in. */
  get notes(): LiveRoom | null {
    return this.rooms.notes?.live ?? null;
  }

  /** For the chip of the page. */
  read(): ReturnType<PageRoom['read']> {
    return { state: this.queue.state() };
  }

  readonly unsentWords = (): string =>
    this.queue.commands
      .map(wordsOf)
      .filter((words) => words !== '')
      .join('\n');

  private inRooms<K extends AnnotationKind>(kind: K): Map<string, AnnotationOf[K]> {
    const found = new Map<string, AnnotationOf[K]>();
    const { notes } = this.rooms;
    const own = notes ? readAnnotations(notes.live.read().doc, kind, 'private') : [];
    // What was revealed stands in both for a moment.
    for (const item of [...own, ...readAnnotations(this.rooms[kind].live.read().doc, kind, 'shared')])
      found.set(item.id, item);
    return found;
  }

  private readonly look = (): void => {
    if (this.closed) return this.tell();
    const items: Annotations = { outcome: this.inRooms('outcome'), comment: this.inRooms('comment') };
    const now = performance.now();
    const connected = (kind: AnnotationKind) => this.rooms[kind].live.read().state.connected;
    this.answered = this.answered.filter(
      (done) => !isShown(items, done) && !(connected(done.command.kind) && now - done.at > patience),
    );
    const { commands } = this.queue;
    this.view = {
      ...layOver(items, this.answered, commands),
      ready: annotationKinds.every((kind) => this.rooms[kind].live.read().ready),
      waiting: new Set(commands.map(({ itemId }) => itemId)),
    };
    this.tell();
  };

  private tell(): void {
    this.signal.emit();
  }

  // ---- Doing -----------------------------------------------------------------------------------

  /** The command as it was given: what it refers to does not change under it. False where it is too late for any. */
  do<K extends AnnotationKind>(kind: K, itemId: string, what: WhatOf<K>): boolean {
    const command = this.order(kind, itemId, what);
    return command !== null && this.queue.push(command);
  }

  /** What is typed about an outcome: kept and shown with each letter, and sent when it comes to rest. */
  typing(itemId: string): { write(text: string, textWas: string): void; rest(): void } {
    let last: Command | null = null;
    const rest = () => {
      if (last) this.queue.release(last);
      last = null;
    };
    const write = (text: string, textWas: string) => {
      const next = this.order('outcome', itemId, { do: 'change', change: { text, textWas } });
      if (!next) return;
      const same = last && { ...next, id: last.id };
      if (last && same && this.queue.amend(last, same)) last = same;
      else last = this.queue.push(next, true) ? next : null;
    };
    return { write, rest };
  }

  /** What the server refused, once more: its id is another one, as it was answered. */
  again(given: Command): void {
    const { refused: _, sentAt: __, ...command } = given;
    this.queue.push({ ...command, id: newId(), at: new Date().toISOString() });
    this.queue.letGo(given);
  }

  /** What was spoken, as long as it stands nowhere but here. */
  voice(itemId: string): Blob | null {
    const found = this.queue.commands.find((command) => command.itemId === itemId && command.do === 'add');
    return found ? voiceOf(found) : null;
  }

  /** Gone at once, and for good when it is over; until then it can be taken back, which says whether it was. */
  delete(kind: AnnotationKind, itemId: string): { takeBack(): boolean; over(): void } {
    const command = this.order(kind, itemId, { do: 'delete' });
    if (!command || !this.queue.push(command, true)) return { takeBack: () => false, over: () => {} };
    return { takeBack: () => this.queue.takeBack(command), over: () => this.queue.release(command) };
  }

  private order<K extends AnnotationKind>(kind: K, itemId: string, what: WhatOf<K>): Command | null {
    const { userId, name } = this.options;
    if (userId === null) return null;
    const by = { id: userId, kind: 'user' as const, name };
    return { id: newId(), kind, itemId, at: new Date().toISOString(), by, ...what } as unknown as Command;
  }

  /** What an item of one's own begins with. */
  begin(place: Pick<Annotation, 'anchor' | 'start' | 'end' | 'quote'>, own: boolean): Annotation {
    const { userId, name } = this.options;
    const createdAt = new Date().toISOString();
    const author = { id: userId ?? '', kind: 'user' as const, name };
    return { ...place, id: newId(), rev: 0, author, private: own, createdAt, editTimestamp: null };
  }
}

type WhatOf<K extends AnnotationKind> =
  | Omit<Extract<CommandOf<K>, { do: 'add' }>, OrderKey>
  | ChangeOf<K>
  | { do: 'delete' | 'reveal' };
type ChangeOf<K extends AnnotationKind> = Omit<Extract<CommandOf<K>, { do: 'change' }>, OrderKey>;
type OrderKey = 'id' | 'kind' | 'itemId' | 'at' | 'by';
