import type * as Y from 'yjs';
import {
  annotationKinds,
  privateRoot,
  readAnnotations,
  rootOf,
  type Annotation,
  type AnnotationKind,
  type AnnotationOf,
  type Author,
} from '#shared/meetings/annotations.ts';
import type { GradeChange } from '#shared/meetings/annotation-inputs.ts';
import { gradesRoot, readGrades, type SheetGrade } from '#shared/meetings/grades.ts';
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
  type CommandKind,
  type CommandOf,
  type Annotations,
} from './commands.ts';
import { voiceOf } from './recordings.ts';
import { CommandQueue, type QueueWorld } from './queue.ts';

/** Snapshot of all annotations this person may see. A new object for each change. */
export interface AnnotationsView extends Annotations {
  /** Whether the annotations are loaded, from the server or from this browser's copy. */
  ready: boolean;
  /** Ids of annotations with commands the server has not confirmed. */
  waiting: ReadonlySet<string>;
}

interface MeetingAnnotationsOptions {
  /** Id of the recording or layer. */
  meeting: string;
  /** Whether it is a layer's: then one room has both kinds, and none is private. */
  layer: boolean;
  /** Null when signed out: then the annotations are read-only. */
  userId: string | null;
  name: string;
  /** Row that is the author in an anonymous review; null: the account. */
  reviewerId: string | null;
  send(command: Command, signal: AbortSignal): Promise<Answer>;
  whyRefused(room: string): Promise<Ended | null>;
  refused: QueueWorld['refused'];
  found: QueueWorld['found'];
  /** Previous instance of the same recording that still sends commands. */
  before: MeetingAnnotations | null;
}

/**
 * Time in milliseconds after which a connected room without the server's response no longer waits for it: a later
 * change replaced it.
 */
const patience = 10_000;

const none: AnnotationsView = {
  outcome: new Map(),
  comment: new Map(),
  grade: new Map(),
  ready: false,
  waiting: new Set(),
};

interface Watched {
  live: LiveRoom;
  /** Root of annotations in the document: typing in private notes changes the same document and is ignored. */
  root: string;
  doc: Y.Doc | null;
}

/** Outcomes and comments of one recording: those of its rooms, and this person's unconfirmed changes. */
export class MeetingAnnotations implements PageRoom {
  readonly options: MeetingAnnotationsOptions;
  readonly queue: CommandQueue;
  private readonly kept: KeptCommands<Command> | null;
  private readonly rooms: Record<AnnotationKind, Watched> & { notes: Watched | null; grade: Watched | null };
  private readonly signal = new Signal();
  private readonly ends: (() => void)[] = [];
  private answered: (Answered & { at: number })[] = [];
  private view: AnnotationsView = none;
  private closed = false;
  private readonly soon = new AfterPaint(() => this.look());

  constructor(options: MeetingAnnotationsOptions) {
    this.options = options;
    const { userId, meeting, layer, send, refused, found, before } = options;
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
      // Own changes show with the next paint.
      changed: () => this.look(),
      answered: (done) => {
        this.answered.push({ ...done, at: performance.now() });
      },
      refused,
      found,
    });
    // Commands of another user stay stored for them.
    if (before && before.options.userId === userId) this.queue.inherit(before.queue);
    else before?.queue.close();
    const open = (part: string) =>
      new LiveRoom({
        room: `${meeting}/${part}`,
        userId,
        whyRefused: () => options.whyRefused(`${meeting}/${part}`),
      });
    const watched = (live: LiveRoom, root: string): Watched => ({ live, root, doc: null });
    const outcomes = open(layer ? 'layer' : 'outcomes');
    this.rooms = {
      outcome: watched(outcomes, rootOf.outcome),
      comment: watched(layer ? outcomes : open('comments'), rootOf.comment),
      notes: userId === null ? null : watched(open('notes'), privateRoot),
      grade: layer ? watched(outcomes, gradesRoot) : null,
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
    return Object.values(this.rooms).filter((one) => one !== null);
  }

  private lives(): Set<LiveRoom> {
    return new Set(this.all().map(({ live }) => live));
  }

  /** Observes the current document; the room replaces it when it starts anew. */
  private watch(one: Watched): void {
    const { doc } = one.live.read();
    if (doc !== one.doc) {
      one.doc?.getMap(one.root).unobserveDeep(this.soon.ask);
      doc.getMap(one.root).observeDeep(this.soon.ask);
      one.doc = doc;
    }
    this.soon.ask();
  }

  /** Continues after the same person signed in again. */
  resume(): void {
    for (const live of this.lives()) if (live.read().ended === 'session') live.resume();
    this.queue.wake();
  }

  /** Closes the recording. Commands already given are still sent, and subscribers called, until `ended` is called. */
  close(ended: () => void): void {
    this.closed = true;
    this.soon.drop();
    for (const end of this.ends) end();
    for (const { root, doc } of this.all()) doc?.getMap(root).unobserveDeep(this.soon.ask);
    for (const live of this.lives()) live.close();
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

  /** Room of a kind, for presence and typing. */
  room(kind: AnnotationKind): LiveRoom {
    return this.rooms[kind].live;
  }

  /** Private room, which also holds the notes; null when signed out. */
  get notes(): LiveRoom | null {
    return this.rooms.notes?.live ?? null;
  }

  /** State for the save chip. */
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
    const privates = notes && !this.options.layer ? readAnnotations(notes.live.read().doc, kind, 'private') : [];
    // A published annotation is in both rooms for a moment; the shared one wins.
    for (const item of [...privates, ...readAnnotations(this.rooms[kind].live.read().doc, kind, 'shared')])
      found.set(item.id, item);
    return found;
  }

  private readonly look = (): void => {
    if (this.closed) return this.tell();
    const grade: ReadonlyMap<string, SheetGrade> = this.rooms.grade
      ? readGrades(this.rooms.grade.live.read().doc)
      : new Map();
    const items: Annotations = { outcome: this.inRooms('outcome'), comment: this.inRooms('comment'), grade };
    const now = performance.now();
    const connected = (kind: CommandKind) => this.rooms[kind]?.live.read().state.connected ?? true;
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

  // ---- Commands --------------------------------------------------------------------------------

  /** Sends a command for an annotation; false after the recording was closed. */
  do<K extends AnnotationKind>(kind: K, itemId: string, what: WhatOf<K>): boolean {
    const command = this.order(kind, itemId, what);
    return command !== null && this.queue.push(command);
  }

  /** Sets the grade of a sheet, by its key. */
  grade(key: string, change: GradeChange): boolean {
    const command = this.order('grade', key, { do: 'change', change });
    return command !== null && this.queue.push(command);
  }

  /** Typing in the note of an outcome. */
  typing(itemId: string): Typing {
    return this.typed((text, textWas) => this.order('outcome', itemId, { do: 'change', change: { text, textWas } }));
  }

  /** Typing why a grade is given. */
  typingGrade(key: string): Typing {
    return this.typed((words, wordsWas) => this.order('grade', key, { do: 'change', change: { words, wordsWas } }));
  }

  /** Typing that is stored and shown with each letter, and sent in pauses. */
  private typed(order: (text: string, textWas: string) => Command | null): Typing {
    let last: Command | null = null;
    const rest = () => {
      if (last) this.queue.release(last);
      last = null;
    };
    const write = (text: string, textWas: string) => {
      const next = order(text, textWas);
      if (!next) return;
      const same = last && { ...next, id: last.id };
      if (last && same && this.queue.amend(last, same)) last = same;
      else last = this.queue.push(next, true) ? next : null;
    };
    return { write, rest };
  }

  /** Sends a refused command again, with a new id: the server has answered the old one. False as for `discard`. */
  again(given: Command): Promise<boolean> {
    const { refused: _, sentAt: __, ...command } = given;
    this.queue.push({ ...command, id: newId(), at: new Date().toISOString() });
    return this.queue.discard(given);
  }

  /** Unsent voice note of an annotation. */
  voice(itemId: string): Blob | null {
    const found = this.queue.commands.find((command) => command.itemId === itemId && command.do === 'add');
    return found ? voiceOf(found) : null;
  }

  /**
   * Hides the annotation at once, and deletes it when `over` is called. Until then `takeBack` undoes it; false if too
   * late.
   */
  delete(kind: AnnotationKind, itemId: string): { takeBack(): boolean; over(): void } {
    const command = this.order(kind, itemId, { do: 'delete' });
    if (!command || !this.queue.push(command, true)) return { takeBack: () => false, over: () => {} };
    return { takeBack: () => this.queue.takeBack(command), over: () => this.queue.release(command) };
  }

  private order<K extends CommandKind>(kind: K, itemId: string, what: WhatOf<K>): Command | null {
    if (this.options.userId === null) return null;
    const by = this.author();
    return { id: newId(), kind, itemId, at: new Date().toISOString(), by, ...what } as unknown as Command;
  }

  /** Common fields of a new annotation of this person. */
  begin(place: Pick<Annotation, 'anchor' | 'start' | 'end' | 'quote'>, isPrivate: boolean): Annotation {
    const createdAt = new Date().toISOString();
    const author = this.author();
    return { ...place, id: newId(), rev: 0, author, private: isPrivate, createdAt, editTimestamp: null };
  }

  private author(): Author {
    const { userId, name, reviewerId } = this.options;
    if (reviewerId !== null) return { id: reviewerId, kind: 'reviewer', name: '' };
    return { id: userId ?? '', kind: 'user', name };
  }
}

/** A field whose text is a command: `rest` sends what was written. */
interface Typing {
  write(text: string, textWas: string): void;
  rest(): void;
}

type WhatOf<K extends CommandKind> = K extends AnnotationKind
  ? WhatOfAnnotation<K>
  : { do: 'change'; change: GradeChange };
type WhatOfAnnotation<K extends AnnotationKind> =
  | Omit<Extract<CommandOf<K>, { do: 'add' }>, OrderKey>
  | ChangeOf<K>
  | { do: 'delete' | 'reveal' };
type ChangeOf<K extends AnnotationKind> = Omit<Extract<CommandOf<K>, { do: 'change' }>, OrderKey>;
type OrderKey = 'id' | 'kind' | 'itemId' | 'at' | 'by';
