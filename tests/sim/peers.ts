import * as Y from 'yjs';
import { Provider, type ClientWorld } from '#sync/client/provider.ts';
import type { OfflineCopy } from '#sync/client/offline.ts';
import { close, writeFrame } from '#sync/protocol.ts';
import { Socket, roomName, type Server, type Setting } from './servers.ts';

/** The offline copy of a browser, which survives its page. */
class Kept {
  generation: number | null = null;
  loading = false;
  /** `own`: not known to be durable; `counts`: one of those its page counts. */
  rows: { update: Uint8Array; own: boolean; counts: boolean }[] = [];
}

function offlineCopy(kept: Kept, setting: Setting): OfflineCopy {
  let closed = false;
  let room: number | null = null;
  const note = () => {
    if (!closed) kept.generation = room;
  };
  return {
    healthy: true,
    broken: false,
    unstored: 0,
    watch: () => {},
    async load(doc, origin) {
      const rows = [...kept.rows];
      for (const row of rows) row.counts = row.own;
      await setting.time.pause(setting.chance.between(1, 20));
      kept.loading = true;
      doc.transact(() => {
        for (const { update } of rows) Y.applyUpdate(doc, update, origin);
      }, origin);
      kept.loading = false;
      return {
        generation: kept.generation,
        canWrite: true,
        history: false,
        unsaved: rows.filter(({ own }) => own).map(({ update }) => update),
        clientId: null,
      };
    },
    setRoom: (generation) => {
      room = generation;
      if (kept.generation !== null || kept.rows.length > 0) note();
    },
    setFilled: note,
    keep: (update, own) => {
      if (closed) return;
      kept.rows.push({ update, own, counts: own });
      if (room !== null) note();
    },
    settled: () => null,
    saved: (count) => {
      if (closed) return;
      let own = 0;
      for (const row of kept.rows.filter((one) => one.counts)) if ((own += 1) <= count) row.own = false;
    },
    close: () => {
      closed = true;
    },
  };
}

const byHand = 'by hand';
/** A token that is typed; two halves of tokens never make up a third. */
const whole = /\[(\d+\.\d+):\1\]/g;
const embedSign = '\ufffc';

/** A person with a page open: the real provider, and random edits of the transcript. */
export class Person {
  doc!: Y.Doc;
  provider!: Provider;
  socket: Socket | null = null;
  canWrite: boolean;
  readonly userId: string;
  /** Tokens this person has put in, and those that went while this person deleted or undid something. */
  readonly written: string[] = [];
  readonly gone = new Set<string>();

  private readonly setting: Setting;
  private readonly servers: readonly Server[];
  private readonly number: number;
  private readonly kept = new Kept();
  private undo!: Y.UndoManager;
  private count = 0;
  private page = 0;
  /** Own updates of this page in the order they were made; those said to be saved are taken out. */
  private own: Uint8Array[] = [];

  constructor(setting: Setting, servers: readonly Server[], number: number, userId: string, canWrite: boolean) {
    this.setting = setting;
    this.servers = servers;
    this.number = number;
    this.userId = userId;
    this.canWrite = canWrite;
    this.open();
  }

  /** A new page: a document and client id of its own, filled from the offline copy. */
  private open(): void {
    this.page += 1;
    const doc = new Y.Doc();
    doc.clientID = this.number * 1000 + this.page;
    this.doc = doc;
    this.own = this.kept.rows.filter(({ own }) => own).map(({ update }) => update);
    this.undo = new Y.UndoManager([this.text, this.doc.getMap('segments')], {
      trackedOrigins: new Set([byHand]),
      // Steps of undo must not depend on the real clock.
      captureTimeout: 0,
    });
    const provider = new Provider({
      room: roomName,
      doc,
      world: this.world(),
      offline: offlineCopy(this.kept, this.setting),
    });
    this.provider = provider;
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== provider && !this.kept.loading) this.own.push(update);
    });
  }

  private world(): ClientWorld {
    const { setting, servers } = this;
    const { time, chance } = setting;
    return {
      now: () => time.now,
      later: (ms, work) => time.later(ms, work),
      random: chance.next,
      connect: (path, events) => {
        const server = chance.pick(servers);
        const generation = new URLSearchParams(path.split('?')[1]).get('generation');
        if (!server.up) time.later(chance.between(1, 50), () => events.closed(1006));
        else if (generation !== null && Number(generation) !== setting.disk.generation)
          time.later(1, () => events.closed(close.otherGeneration));
        else {
          const page = this.provider;
          const socket = new Socket(
            setting,
            server,
            {
              userId: this.userId,
              canWrite: this.canWrite,
              afterMessage: ({ kind }) => {
                if (kind === 'saved' && page === this.provider) this.checkSaved();
              },
            },
            events,
          );
          this.socket = socket;
          return { send: (bytes) => socket.submit(bytes), close: () => socket.hangUp() };
        }
        return { send: () => {}, close: () => {} };
      },
    };
  }

  /** Checks that updates the provider takes for saved are on the disk already. */
  private checkSaved(): void {
    while (this.own.length > this.provider.pending) {
      const update = this.own.shift();
      if (update && !this.setting.disk.holds(update))
        this.setting.violation(`${this.userId} was told that something is saved, and it is not`);
    }
  }

  /** Closes the page and opens it again. */
  reload(): void {
    this.undo.destroy();
    this.provider.destroy();
    this.doc.destroy();
    this.open();
  }

  leave(): void {
    this.undo.destroy();
    this.provider.destroy();
    this.doc.destroy();
  }

  // ---- Hands -----------------------------------------------------------------------------------

  private get text(): Y.Text {
    return this.doc.getText('text');
  }

  /** Makes one edit, and notes which tokens it removed. */
  act(): void {
    const before = tokens(this.text);
    this.doc.transact(() => this.something(), byHand);
    this.note(before);
  }

  undoOrRedo(): void {
    const before = tokens(this.text);
    if (this.setting.chance.happens(0.7)) this.undo.undo();
    else this.undo.redo();
    this.note(before);
  }

  private note(before: Map<string, number>): void {
    const after = tokens(this.text);
    for (const token of before.keys()) if (!after.has(token)) this.gone.add(token);
  }

  private something(): void {
    const { chance } = this.setting;
    const content = flat(this.text);
    const signs = Array.from(content, (_, at) => at).filter((at) => content[at] === embedSign);
    const kind = chance.next();
    if (kind < 0.55 || content.length === 0) {
      const token = this.token();
      this.text.insert(this.gap(content), `[${token}:${token}]`);
    } else if (kind < 0.66) {
      const at = chance.between(0, content.length - 1);
      const length = Math.min(chance.between(1, 40), content.length - at);
      // A token that is only cut may seem whole here, and be in two pieces for others.
      for (const { 0: all, 1: token, index } of content.matchAll(whole))
        if (token && index < at + length && index + all.length > at) this.gone.add(token);
      this.text.delete(at, length);
    } else if (kind < 0.76) {
      const id = this.token();
      this.text.insertEmbed(this.gap(content), { s: id, p: `p${chance.between(1, 4)}` });
    } else if (kind < 0.84 && signs.length > 0) this.text.delete(chance.pick(signs), 1);
    else if (kind < 0.92) this.doc.getMap('segments').set(`s${chance.between(1, 5)}`, `p${chance.between(1, 4)}`);
    else if (kind < 0.97)
      this.doc.getMap('speakers').set(`p${chance.between(1, 4)}`, { name: `Name ${chance.between(1, 1000)}` });
    else this.doc.getMap('segments').delete(`s${chance.between(1, 5)}`);
  }

  private token(): string {
    const token = `${this.number}.${(this.count += 1)}`;
    this.written.push(token);
    return token;
  }

  /** A place that is not inside a token. */
  private gap(content: string): number {
    let at = this.setting.chance.between(0, content.length);
    while (at < content.length && at > 0 && content[at - 1] !== ']' && content[at - 1] !== embedSign) at += 1;
    return at;
  }

  // ---- Malice ----------------------------------------------------------------------------------

  /** Sends, past the provider, an update that this person has no right to make. */
  forge(): void {
    if (!this.socket || !this.provider.connected) return;
    const copy = new Y.Doc();
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(this.doc));
    const before = Y.encodeStateVector(copy);
    copy.clientID = this.number * 1000 + 999;
    const text = copy.getText('text');
    if (text.length > 4 && this.setting.chance.happens(0.5)) text.delete(0, 3);
    else text.insert(0, 'forged');
    this.socket.submit(writeFrame({ kind: 'update', update: Y.encodeStateAsUpdate(copy, before) }));
    copy.destroy();
  }

  /** Takes the clocks another person is about to use: what they write next would be thrown away by everybody. */
  squat(victim: Person): void {
    if (!this.socket || !this.provider.connected || !this.setting.disk.isOwned(victim.doc.clientID)) return;
    const copy = new Y.Doc();
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(this.doc));
    const before = Y.encodeStateVector(copy);
    copy.clientID = victim.doc.clientID;
    copy.getText('text').insert(0, 'squat');
    this.socket.submit(writeFrame({ kind: 'update', update: Y.encodeStateAsUpdate(copy, before) }));
    copy.destroy();
  }
}

/** The text as characters, each embed as one. */
function flat(text: Y.Text): string {
  return (text.toDelta() as { insert: unknown }[])
    .map(({ insert }) => (typeof insert === 'string' ? insert : embedSign))
    .join('');
}

/** Number of times each token is in the text, including tokens of embeds. */
export function tokens(text: Y.Text): Map<string, number> {
  const found = new Map<string, number>();
  const add = (token: string) => found.set(token, (found.get(token) ?? 0) + 1);
  let run = '';
  for (const { insert } of text.toDelta() as { insert: string | { s: string } }[]) {
    if (typeof insert === 'string') run += insert;
    else {
      add(insert.s);
      run += embedSign;
    }
  }
  for (const [, token] of run.matchAll(whole)) if (token) add(token);
  return found;
}
