// Our own client against the real door: edits made offline arrive whole, and each end is reported with its reason.
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { passages } from '#sync/client/passages.ts';
import { Provider, type ClientWorld, type Ended, type WireEvents } from '#sync/client/provider.ts';
import { chipOf, type ChipKind } from '#sync/client/status.ts';
import { close, readFrame, schemaVersion, tooMuchWork, writeFrame, type Frame } from '#sync/protocol.ts';
import { openSync, type DoorOptions, type TestSync } from '../support/door.ts';
import { stored, tokensIn } from '../support/editors.ts';

const open = new Set<Page>();

interface PageOptions {
  guest?: string;
  as?: string;
  /** The client id to use again after a reload; this client stores nothing by itself. */
  doc?: Y.Doc;
}

/** A person's page: the real client over a real socket that can be cut. */
class Page {
  readonly doc: Y.Doc;
  readonly text: Y.Text;
  readonly provider: Provider;
  readonly sent: Frame[] = [];
  readonly typed: string[] = [];
  private line = true;
  private socket: WebSocket | null = null;

  constructor(sync: TestSync, user: string | null, room: string, { guest, as, doc = new Y.Doc() }: PageOptions = {}) {
    this.doc = doc;
    this.text = doc.getText('text');
    const world: ClientWorld = {
      now: () => performance.now(),
      // Comes back with a tenth of the patience.
      random: () => Math.random() * 0.1,
      later: (ms, work) => {
        const timer = setTimeout(work, ms);
        return { cancel: () => clearTimeout(timer) };
      },
      connect: (path, events) => {
        if (!this.line) {
          const timer = setTimeout(() => events.closed(1006), 1);
          return { send: () => {}, close: () => clearTimeout(timer) };
        }
        const who = user === null ? '' : `&user=${user}`;
        const socket = new WebSocket(`ws://127.0.0.1:${sync.port}/sync/${path}${who}`, { perMessageDeflate: false });
        this.socket = socket;
        socket.on('open', () => events.open());
        socket.on('message', (bytes: Buffer) => events.message(bytes));
        socket.on('error', () => {});
        socket.on('close', (code, reason) => events.closed(code, String(reason)));
        return {
          send: (bytes) => {
            if (socket.readyState !== WebSocket.OPEN) return;
            this.sent.push(readFrame(bytes));
            socket.send(bytes);
          },
          close: () => socket.terminate(),
        };
      },
    };
    this.provider = new Provider({
      room,
      doc,
      world,
      offline: null,
      ...(guest !== undefined && { guest }),
      ...(as !== undefined && { as }),
    });
    open.add(this);
  }

  cut(): void {
    this.line = false;
    this.socket?.terminate();
  }

  mend(): void {
    this.line = true;
  }

  get words(): string {
    return this.text.toString();
  }

  until(holds: (page: this) => boolean): Promise<void> {
    return vi.waitUntil(() => holds(this), { timeout: 60_000, interval: 20 }).then(() => {});
  }

  saved(): Promise<void> {
    return this.until(({ provider }) => provider.synced && provider.pending === 0);
  }

  leave(): void {
    open.delete(this);
    this.provider.destroy();
  }
}

let sync: TestSync;
beforeAll(async () => {
  sync = await openSync();
});
afterEach(async () => {
  for (const page of open) page.leave();
  await sync.leaveAll();
});
afterAll(() => sync.close());

async function scene(options?: DoorOptions) {
  const at = options ? await openSync({ ...options, database: sync.fresh }) : sync;
  const meeting = await at.meeting();
  const room = `${meeting}/transcript`;
  return {
    at,
    room,
    join: async (user?: string | null, how?: PageOptions) => {
      const page = new Page(at, user === undefined ? await at.person() : user, room, how);
      return page;
    },
  };
}

describe('offline', () => {
  it.each([
    ['as much as people may do at once', {}, false],
    ['in pieces, where all at once would be too much work (G15)', { work: 2_000_000 }, true],
  ])(
    'D5 F45: 5,000 operations of three people are merged; nothing is lost or doubled: %s',
    async (_how, some, inPieces) => {
      const { at, room, join } = await scene({ limits: some });
      // Client ids, and who comes last, decide what so much costs.
      const docs = [1, 2, 3].map((id) => Object.assign(new Y.Doc(), { clientID: id * 1000 }));
      const people = await Promise.all(docs.map((doc) => join(undefined, { doc })));
      for (const page of people) await page.until(({ provider }) => provider.synced);
      for (const page of people) page.cut();
      const each = 1667;
      const gone: string[] = [];
      for (const [who, page] of people.entries()) {
        const made: Y.RelativePosition[] = [];
        for (let n = 0; n < each; n += 1) {
          const token = `[${who}.${n}]`;
          // Few places, so that people write beside each other, too.
          const { words } = page;
          const next = words.indexOf('[', Math.floor((words.length * ((n * 7) % 10)) / 10));
          const place = next < 0 ? words.length : next;
          page.text.insert(place, token);
          made.push(Y.createRelativePositionFromTypeIndex(page.text, place));
          page.typed.push(token);
          if (n % 10 !== 9) continue;
          // One of ten is undone.
          const last = Y.createAbsolutePositionFromRelativePosition(made.at(-1) as Y.RelativePosition, page.doc);
          page.text.delete(last?.index ?? 0, token.length);
          gone.push(token);
        }
        expect(page.provider.pending).toBe(each + Math.floor(each / 10));
        expect(chipOf([page.provider.state], performance.now() + 5000)).toMatchObject({ kind: 'notKept' });
      }
      for (const page of people) {
        page.mend();
        if (inPieces) await page.saved();
      }
      for (const page of people) await page.saved();
      const [first] = people;
      await vi.waitUntil(() => people.every(({ words }) => words === first?.words), { timeout: 60_000, interval: 50 });
      const wanted = people.flatMap(({ typed }) => typed).filter((token) => !gone.includes(token));
      const { text } = await stored(at.sql, room);
      expect(text).toBe(first?.words);
      expect(tokensIn(text).toSorted()).toEqual(wanted.map((token) => token.slice(1, -1)).toSorted());
      // Each came back with all of it in one message first.
      for (const page of people) expect(page.sent.filter(({ kind }) => kind === 'state')).toHaveLength(1);
      const pieces = people.map(({ sent }) => sent.filter(({ kind }) => kind === 'update').length);
      // The first one alone meets nobody.
      if (inPieces) expect([pieces[0], Math.max(...pieces) > 10]).toEqual([0, true]);
    },
  );

  it('G1: changes larger than one message are sent in pieces, each as it was made', async () => {
    const { at, room, join } = await scene();
    const page = await join();
    await page.until(({ provider }) => provider.synced);
    page.cut();
    const piece = 'x'.repeat(120_000);
    for (const n of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) page.text.insert(page.text.length, `[${n}]${piece}`);
    page.mend();
    await page.saved();
    expect(page.sent.some(({ kind }) => kind === 'state')).toBe(false);
    expect(page.sent.filter(({ kind }) => kind === 'update').length).toBeGreaterThan(1);
    expect((await stored(at.sql, room)).text).toBe(page.words);
    expect(page.provider.ended).toBeNull();
  });

  it('D1a: a guest with a name of the page owns what they wrote also after the line broke; without one, not', async () => {
    const { join } = await scene();
    const named = await join(null, { guest: 'abcdefghijklmnopqrstuv' });
    await named.until(({ provider }) => provider.synced);
    named.text.insert(0, 'one ');
    await named.saved();
    named.cut();
    named.text.insert(4, 'two');
    named.mend();
    await named.saved();
    expect(named.words).toBe('one two');

    const nameless = await join(null);
    await nameless.until(({ provider }) => provider.synced);
    nameless.text.insert(0, 'three ');
    await nameless.saved();
    nameless.cut();
    nameless.text.insert(6, 'four');
    nameless.mend();
    await nameless.until(({ provider }) => provider.ended !== null);
    expect(nameless.provider.ended).toBe('access');
  });
});

describe('close codes of a real door', () => {
  it('D1a: a page of one person never enters as another, and keeps its words', async () => {
    const { at, room, join } = await scene();
    const [ann, ben] = [await at.person(), await at.person()];
    const doc = new Y.Doc();
    doc.getText('text').insert(0, 'of Ann');
    const page = await join(ben, { as: ann, doc });
    page.text.insert(0, 'words ');
    await page.until(({ provider }) => provider.ended !== null);
    expect([page.provider.ended, page.provider.pending]).toEqual(['session', 1]);
    expect((await stored(at.sql, room)).text).toBe('');
  });

  it('R9: another generation is reported before anything is merged', async () => {
    const { at, room, join } = await scene();
    const page = await join();
    await page.until(({ provider }) => provider.synced);
    page.text.insert(0, 'old');
    await page.saved();
    page.cut();
    page.text.insert(3, ' mine');
    const [meeting = ''] = room.split('/');
    await at.rooms.renew(meeting, 'transcript', { userId: null }, Y.encodeStateAsUpdate(new Y.Doc()));
    page.mend();
    await page.until(({ provider }) => provider.ended !== null);
    expect(page.provider.ended).toBe('generation');
    expect(passages(page.doc, page.provider.pendingUpdates)).toBe('old mine');
    expect((await stored(at.sql, room)).text).toBe('');
  });

  it('G8: a full document takes no more, says so, and the words stay with their writer', async () => {
    const { at, join } = await scene({ limits: { documentBytes: 5000, documentWarnBytes: 2000 } });
    const page = await join();
    await page.until(({ provider }) => provider.synced);
    page.text.insert(0, 'x'.repeat(4900));
    await page.saved();
    page.text.insert(0, 'the last words '.repeat(20));
    await page.until(({ provider }) => provider.ended !== null);
    expect(page.provider.ended).toBe('full');
    expect(passages(page.doc, page.provider.pendingUpdates)).toContain('the last words');
    expect(chipOf([page.provider.state], performance.now()).kind).toBe('notKept');
    page.leave();
    await at.close();
  });

  it('G6: a person who may only read now is told at their first change, and nothing of it is stored', async () => {
    const { at, room, join } = await scene();
    const reader = await at.person();
    at.rights.set(reader, new Set(['read']));
    const page = await join(reader);
    await page.until(({ provider }) => provider.synced);
    expect(page.provider.canWrite).toBe(false);
    page.text.insert(0, 'not mine to write');
    expect(chipOf([page.provider.state], performance.now()).kind).toBe('notKept');
    expect(passages(page.doc, page.provider.pendingUpdates)).toBe('not mine to write');
    expect((await stored(at.sql, room)).text).toBe('');
  });
});

/** A client with a fake server, of which only the close code matters, and a fake clock. */
function alone() {
  let now = 0;
  let timers: { at: number; work: () => void }[] = [];
  const connects: { path: string; at: number; events: WireEvents }[] = [];
  const provider = new Provider({
    room: 'meeting/transcript',
    doc: new Y.Doc(),
    offline: null,
    world: {
      now: () => now,
      random: () => 0.5,
      later: (ms, work) => {
        const timer = { at: now + ms, work };
        timers.push(timer);
        return { cancel: () => (timers = timers.filter((one) => one !== timer)) };
      },
      connect: (path, events) => {
        connects.push({ path, at: now, events });
        return { send: () => {}, close: () => {} };
      },
    },
  });
  const hear = (frame: Frame) => connects.at(-1)?.events.message(writeFrame(frame));
  return {
    provider,
    connects,
    hear,
    hello: (generation = 1, schema: number = schemaVersion, history = true) =>
      hear({ kind: 'hello', hello: { generation, schema, canWrite: true, history } }),
    ask: () => hear({ kind: 'ask', stateVector: Y.encodeStateVector(new Y.Doc()) }),
    closed: (code: number, reason = '') => connects.at(-1)?.events.closed(code, reason),
    type: (words = 'words') => provider.doc.getText('text').insert(0, words),
    /** Lets time pass, and runs everything that is due by then. */
    pass(ms: number, meanwhile = () => {}) {
      const end = now + ms;
      for (;;) {
        const next = timers.toSorted((a, b) => a.at - b.at)[0];
        if (!next || next.at > end) break;
        timers = timers.filter((one) => one !== next);
        now = next.at;
        next.work();
        meanwhile();
      }
      now = end;
    },
    chip: () => chipOf([provider.state], now),
  };
}

describe('how it ends, and how it reconnects', () => {
  it('H3 a page that may no longer have deleted text ends once everything made there is stored', () => {
    const page = alone();
    page.hello();
    page.ask();
    page.type();
    page.hello(1, schemaVersion, false);
    expect(page.provider.ended).toBeNull();
    page.hear({ kind: 'saved', count: 1 });
    expect([page.provider.pending, page.provider.ended]).toEqual([0, 'history']);
    // A page that never had the permission stays connected.
    const reader = alone();
    reader.hello(1, schemaVersion, false);
    reader.closed(1006);
    reader.pass(20_000);
    reader.hello(1, schemaVersion, false);
    expect(reader.provider.ended).toBeNull();
  });

  it.each<[string, (it: ReturnType<typeof alone>) => void, Ended | null, ChipKind]>([
    ['4401: signed out', (it) => it.closed(close.sessionEnded), 'session', 'notKept'],
    ['4403: no access any more', (it) => it.closed(close.noAccess), 'access', 'notKept'],
    ['4409: started anew', (it) => it.closed(close.otherGeneration, 'another generation'), 'generation', 'notKept'],
    ['4409: the page is too old', (it) => it.closed(close.otherGeneration, 'another schema'), 'schema', 'notKept'],
    ['4400: refused', (it) => it.closed(close.badFrame), 'refused', 'notKept'],
    ['4413: full', (it) => it.closed(close.documentFull), 'full', 'notKept'],
    ['1012: restart', (it) => it.closed(close.restart), null, 'notKept'],
    ['1013: come again later', (it) => it.closed(close.full), null, 'notKept'],
    ['4429: too fast', (it) => it.closed(close.tooFast), null, 'notKept'],
    ['the line broke', (it) => it.closed(1006), null, 'notKept'],
    ['D4: not stored', (it) => it.hear({ kind: 'notSaved' }), null, 'notKept'],
    [
      'a hello of another generation',
      (it) => {
        it.closed(1006);
        it.pass(20_000);
        it.hello(2);
      },
      'generation',
      'notKept',
    ],
    [
      'a hello of another schema',
      (it) => {
        it.closed(1006);
        it.pass(20_000);
        it.hello(1, schemaVersion + 1);
      },
      'schema',
      'notKept',
    ],
    ['G6: no right to write', (it) => it.hear({ kind: 'auth', reason: 'permission denied' }), null, 'notKept'],
    ['what cannot be read', (it) => it.connects.at(-1)?.events.message(new Uint8Array([99])), null, 'notKept'],
  ])('%s', (_name, end, ended, kind) => {
    const page = alone();
    page.hello();
    page.ask();
    page.type();
    expect(page.chip().kind).toBe('saved');
    end(page);
    const before = page.connects.length;
    page.pass(4900, () => page.connects.length > before && page.closed(1006));
    expect(page.provider.ended).toBe(ended);
    // In a browser that stores nothing the state is `notKept`, and the words are still there.
    page.pass(200);
    expect(page.chip().kind).toBe(kind);
    expect(passages(page.provider.doc, page.provider.pendingUpdates)).toBe('words');
    page.pass(60_000);
    if (ended) expect(page.connects.length).toBe(before);
    page.provider.destroy();
  });

  it('1013 is waited out longer than a broken line', () => {
    const after = (code: number) => {
      const page = alone();
      page.closed(code);
      page.pass(120_000);
      page.provider.destroy();
      return (page.connects[1]?.at ?? 0) - 0;
    };
    expect(after(close.full)).toBeGreaterThanOrEqual(5000);
    expect(after(1006)).toBeLessThan(1000);
  });

  it('F45: an hour without a line is no storm, and its end is noticed at once', () => {
    const page = alone();
    page.closed(1006);
    page.pass(3_600_000, () => page.closed(1006));
    // Five seconds between two, after the first few.
    expect(page.connects.length).toBeGreaterThan(600);
    expect(page.connects.length).toBeLessThan(740);
    page.provider.destroy();
  });

  it('G15: what is too much work in one message is sent in ever smaller pieces, down to single changes', () => {
    const page = alone();
    page.hello();
    page.ask();
    for (let n = 0; n < 3; n += 1) page.type();
    const refused = (reason: string): [number, string | null] => {
      page.closed(close.badFrame, reason);
      page.pass(5_000);
      return [page.connects.length, page.provider.ended];
    };
    // All at once, then a hundred, ten, and each alone.
    for (const connects of [2, 3, 4]) expect(refused(tooMuchWork)).toEqual([connects, null]);
    expect(refused(tooMuchWork)).toEqual([4, 'refused']);
    expect(page.provider.pending).toBe(3);
    const other = alone();
    other.hello();
    other.ask();
    other.type();
    other.type();
    other.closed(close.badFrame, 'a misfit');
    expect(other.provider.ended).toBe('refused');
    for (const { provider } of [page, other]) provider.destroy();
  });

  it('signed in again, it continues with its unsent changes', () => {
    const page = alone();
    page.hello();
    page.ask();
    page.type();
    page.closed(close.sessionEnded);
    page.pass(60_000);
    expect(page.connects).toHaveLength(1);
    page.provider.resume();
    expect(page.connects).toHaveLength(2);
    page.hello();
    page.ask();
    page.hear({ kind: 'saved', count: 1 });
    expect([page.provider.ended, page.provider.pending]).toEqual([null, 0]);
    // Other ends are final: nothing that was refused is sent again by itself.
    page.closed(close.noAccess);
    page.provider.resume();
    expect(page.provider.ended).toBe('access');
    page.provider.destroy();
  });

  it('W4: what is said to be saved is counted by messages of this line, not of the one before', () => {
    const page = alone();
    page.hello();
    page.ask();
    page.type('a');
    page.type('b');
    page.hear({ kind: 'saved', count: 1 });
    expect(page.provider.pending).toBe(1);
    page.closed(1006);
    page.pass(20_000);
    page.hello();
    page.ask();
    page.hear({ kind: 'saved', count: 1 });
    expect(page.provider.pending).toBe(0);
    page.provider.destroy();
  });
});

it('with several documents, the worst state is shown, and all unsent changes are counted', async () => {
  const one = await scene();
  const other = await scene();
  const [a, b] = [await one.join(), await other.join()];
  for (const page of [a, b]) await page.until(({ provider }) => provider.synced);
  const chip = (later = 0) => chipOf([a.provider.state, b.provider.state], performance.now() + later);
  expect(chip()).toMatchObject({ kind: 'saved', pending: 0 });
  b.cut();
  a.text.insert(0, 'here');
  b.text.insert(0, 'there');
  b.text.insert(0, 'and ');
  await a.saved();
  expect(chip(5000)).toMatchObject({ kind: 'notKept', pending: 2 });
  b.mend();
  await b.saved();
  expect(chip()).toMatchObject({ kind: 'saved', pending: 0 });
});
