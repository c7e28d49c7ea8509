// G6, G14, G14a, G14b, G14c, G17: an update that does not belong is refused, and only its sender notices (sync/SPEC.md).
import { connect } from 'node:net';
import * as Y from 'yjs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Part } from '#shared/meetings/parts.ts';
import type { Permission } from '#shared/roles.ts';
import { limits } from '#sync/protocol.ts';
import { anything, one, struct } from '../attacks/forge.ts';
import { openSync, type Raw, type TestSync } from '../support/door.ts';

let sync: TestSync;
beforeAll(async () => {
  sync = await openSync();
  sync.rights.set('rob', new Set<Permission>(['read']));
});
afterEach(() => sync.leaveAll());
afterAll(() => sync.close());

/** A word in everything that is refused, to find it should the log of events hold content. */
const canary = 'canary-4711';

const opening = 'The quick brown fox';
/** The content before: a text, and a paragraph of notes. */
function begin(part: Part, doc: Y.Doc): void {
  if (part === 'transcript') {
    doc.getText('text').insert(0, opening);
    doc.getText('text').insertEmbed(0, { s: 's1', p: 'p1' });
    doc.getMap('about').set('title', 'Standup');
  } else {
    const paragraph = new Y.XmlElement('paragraph');
    paragraph.insert(0, [new Y.XmlText('Note')]);
    doc.getXmlFragment('notes').insert(0, [paragraph]);
  }
}

const deepMap = (depth: number): Y.Map<unknown> =>
  new Y.Map<unknown>([['k', depth > 1 ? deepMap(depth - 1) : canary] as [string, unknown]]);
const element = (
  name: string,
  attributes: Record<string, unknown> = {},
  children: (Y.XmlElement | Y.XmlText)[] = [],
) => {
  const made = new Y.XmlElement(name);
  // Y.js's own type knows only text here; editors set numbers and flags, too.
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value as string);
  made.insert(0, children);
  return made;
};
const note = (doc: Y.Doc, ...made: Y.XmlElement[]) => doc.getXmlFragment('notes').insert(0, made);
const marked = (doc: Y.Doc, marks: Record<string, unknown>) => {
  const paragraph = new Y.XmlElement('paragraph');
  const text = new Y.XmlText();
  paragraph.insert(0, [text]);
  doc.getXmlFragment('notes').insert(0, [paragraph]);
  text.insert(0, canary, marks);
};

type Row = [what: string, part: Part, write: (doc: Y.Doc) => void];

const wrong: Row[] = [
  // Told by the bytes alone.
  ['a root nobody knows', 'transcript', (doc) => doc.getMap('evil').set('k', canary)],
  ['a text that is a map', 'transcript', (doc) => doc.getMap('text').set('k', canary)],
  ['a map that is a text', 'transcript', (doc) => doc.getText('segments').insert(0, canary)],
  ['a boundary without a speaker', 'transcript', (doc) => doc.getText('text').insertEmbed(0, { s: canary })],
  ['a boundary with more to it', 'transcript', (doc) => doc.getText('text').insertEmbed(0, { s: 'a', p: 'b', canary })],
  ['a boundary of numbers', 'transcript', (doc) => doc.getText('text').insertEmbed(0, { s: 1, p: 2 })],
  ['formatting in the transcript', 'transcript', (doc) => doc.getText('text').format(0, 5, { bold: canary })],
  ['an element in the transcript', 'transcript', (doc) => doc.getMap('about').set('k', element('paragraph'))],
  ['a document in the document', 'transcript', (doc) => doc.getMap('about').set('k', new Y.Doc())],
  ['a script', 'notes', (doc) => note(doc, element('script', {}, [new Y.XmlText(canary)]))],
  // The fragment, the element and its name are apart in the bytes: only applied together they show what is wrong.
  ['a link to a script', 'notes', (doc) => marked(doc, { link: { href: 'javascript:alert(1)' } })],
  ['a mark nobody knows', 'notes', (doc) => marked(doc, { blink: {} })],
  ['an embed in notes', 'notes', (doc) => (doc.getXmlFragment('notes').get(0) as Y.XmlElement).insert(0, [embedded()])],
  // Told by its place.
  ['a value in the text', 'transcript', (doc) => doc.getArray('text').insert(5, [{ canary }])],
  ['a map in the text', 'transcript', (doc) => doc.getArray('text').insert(5, [new Y.Map()])],
  ['bytes beside the times', 'transcript', (doc) => doc.getMap('about').set('title', new Uint8Array([1]))],
  ['times that are none', 'transcript', (doc) => doc.getMap('timings').set('9', canary)],
  ['a map in a plain root', 'transcript', (doc) => doc.getMap('segments').set('s', new Y.Map())],
  ['maps too deep in each other', 'transcript', (doc) => doc.getMap('about').set('k', deepMap(9))],
  [
    'a text with an attribute',
    'transcript',
    (doc) => {
      const text = new Y.Text(canary);
      doc.getMap('about').set('k', text);
      text.setAttribute('onclick', canary);
    },
  ],
  ['an attribute nobody knows', 'notes', (doc) => note(doc, element('paragraph', { onclick: canary }))],
  ['an attribute that cannot be', 'notes', (doc) => note(doc, element('heading', { level: 9 }))],
  ['text right in the fragment', 'notes', (doc) => doc.getArray('notes').insert(0, [canary])],
  ['a map among the notes', 'notes', (doc) => doc.getArray('notes').insert(0, [new Y.Map()])],
];

function embedded(): Y.XmlText {
  const text = new Y.XmlText();
  text.insertEmbed(0, { image: canary });
  return text;
}

const right: Row[] = [
  ['typing', 'transcript', (doc) => doc.getText('text').insert(5, 'x')],
  ['a split', 'transcript', (doc) => doc.getText('text').insertEmbed(5, { s: 's2', p: 'p1' })],
  // Later versions of Yjs write one like this.
  ['a boundary as a value', 'transcript', (doc) => doc.getArray('text').insert(5, [{ s: 's2', p: 'p1' }])],
  ['a merge', 'transcript', (doc) => doc.getText('text').delete(0, 1)],
  ['a speaker', 'transcript', (doc) => doc.getMap('speakers').set('p1', new Y.Map([['name', 'Ann']]))],
  ['a change of speaker', 'transcript', (doc) => doc.getMap('segments').set('s1', { p: 'p2' })],
  ['times', 'transcript', (doc) => doc.getMap('timings').set('9', new Uint8Array(5000))],
  ['what an undo brought back', 'transcript', (doc) => doc.getMap('identities').set('9:0', [0, 4, 7, 1])],
  ['a text within a map', 'transcript', (doc) => doc.getMap('summary').set('k', new Y.Text('well'))],
  ['a list within a map', 'transcript', (doc) => doc.getMap('toc').set('k', Y.Array.from([1, 'a', { at: 1 }]))],
  ['maps as deep as they may', 'transcript', (doc) => doc.getMap('about').set('k', deepMap(8))],
  ['the same value once more', 'transcript', (doc) => doc.getMap('about').set('title', 'Retro')],
  ['NUL in the text', 'transcript', (doc) => doc.getText('text').insert(0, 'a\u0000b')],
  [
    'notes of all kinds',
    'notes',
    (doc) =>
      note(
        doc,
        element('heading', { level: 2 }, [new Y.XmlText('Plan')]),
        element('orderedList', { start: 1 }, [element('listItem', {}, [element('paragraph')])]),
        element('taskList', {}, [element('taskItem', { checked: true })]),
        element('codeBlock', { language: 'ts' }, [new Y.XmlText('let x')]),
        element('horizontalRule'),
      ),
  ],
  [
    'marks of all kinds',
    'notes',
    (doc) => marked(doc, { bold: {}, italic: {}, link: { href: 'https://example.test/a?b=c', target: '_blank' } }),
  ],
];

/** A person in a room with content, and the update that their writing makes. */
async function prepare([, part, write]: Row): Promise<{
  ann: Raw;
  ben: Raw;
  update: Uint8Array;
  rows(): Promise<number>;
}> {
  const meeting = await sync.meeting();
  const room = `${meeting}/${part}`;
  // Everybody has their own notes room: the witness is the same person there.
  const self = part === 'notes' ? await sync.person() : 'ann';
  const ann = await (await sync.join(self, room, 'saved=1')).sync();
  begin(part, ann.doc);
  await ann.until(() => ann.heard.some((frame) => frame.kind === 'saved' && frame.count >= (part === 'notes' ? 1 : 3)));
  const ben = await (await sync.join(part === 'notes' ? self : 'ben', room, 'saved=1')).sync();
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(ann.doc));
  copy.clientID = ann.doc.clientID;
  const before = Y.encodeStateVector(copy);
  write(copy);
  const rows = async () =>
    Number((await sync.sql`select count(*) as n from room_updates where room like ${`${room}%`}`)[0]?.['n']);
  return { ann, ben, update: Y.encodeStateAsUpdate(copy, before), rows };
}

describe('G14: content of the wrong kind for its place', () => {
  it.each(wrong)('%s (%s) is refused, and only its sender notices', async (...row) => {
    const { ann, ben, update, rows } = await prepare(row);
    const before = JSON.stringify([await rows(), state(ben)]);
    ann.send({ kind: 'update', update });
    expect(await ann.ended).toBe(4400);
    expect(JSON.stringify([await rows(), state(ben)])).toBe(before);
    expect(ben.code).toBeNull();
    // The room works as before.
    const saved = ben.count('saved');
    if (row[1] === 'notes') note(ben.doc, element('paragraph'));
    else ben.doc.getText('text').insert(0, 'on ');
    await ben.until(() => ben.count('saved') > saved);
  });

  it.each(right)('%s (%s) is taken', async (...row) => {
    const { ann, ben, update } = await prepare(row);
    const saved = ann.count('saved');
    const heard = ben.count('update');
    ann.send({ kind: 'update', update });
    await ann.until(() => ann.count('saved') > saved || ann.code !== null);
    expect(ann.code).toBeNull();
    await ben.until(() => ben.count('update') > heard);
  });

  it('S8: logs contain nothing of what people sent', () => {
    expect(sync.events.some(({ name }) => name === 'refused')).toBe(true);
    expect(JSON.stringify(sync.events)).not.toContain(canary);
  });
});

const state = (raw: Raw): string =>
  JSON.stringify(Object.fromEntries([...Y.decodeStateVector(Y.encodeStateVector(raw.doc))]));

describe('G14a: a letter between two that stand the other way round', () => {
  // Text ABCDEFGH of client 777; one letter of client 9, its left and its right neighbour by their clocks.
  it.each([
    ['honest', 3, 4, true],
    ['two that were apart', 1, 6, true],
    ['crossed', 5, 3, false],
    ['the same one twice', 3, 3, false],
  ])('%s: %i and %i', async (_what, left, right, taken) => {
    const room = `${await sync.meeting()}/transcript`;
    const ann = await (await sync.join('ann', room, 'saved=1', 777)).sync();
    ann.doc.getText('text').insert(0, 'ABCDEFGH');
    await ann.until(() => ann.count('saved') > 0);
    const eve = await (await sync.join('eve', room, 'saved=1')).sync();
    const hex = `01010900c48906${`0${left}`}8906${`0${right}`}013000`;
    eve.send({ kind: 'update', update: Buffer.from(hex, 'hex') });
    if (taken) {
      await eve.until(() => eve.count('saved') > 0);
      expect(eve.code).toBeNull();
    } else expect(await eve.ended).toBe(4400);
    expect(ann.code).toBeNull();
  });
});

describe('G14c: a structure whose beginning is stored', () => {
  it.each([
    ['goes on in the text', struct.string({ root: 'text' }, 'ab'), struct.string({ root: 'text' }, 'abcd'), true],
    [
      'goes on in the text, though a value of a map stands there',
      struct.any({ root: 'segments', key: 's1' }, [anything('p1')]),
      struct.string({ root: 'text' }, 'abcd'),
      false,
    ],
    [
      'goes on as another key',
      struct.any({ root: 'segments', key: 's1' }, [anything('p1')]),
      struct.any({ root: 'segments', key: 's2' }, [anything('p1'), anything('p2')]),
      false,
    ],
  ])('%s', async (_what, first, second, taken) => {
    const room = `${await sync.meeting()}/transcript`;
    const eve = await (await sync.join('eve', room, 'saved=1')).sync();
    eve.send({ kind: 'update', update: one(9, first) });
    await eve.until(() => eve.count('saved') > 0);
    eve.send({ kind: 'update', update: one(9, second) });
    if (taken) await eve.until(() => eve.heard.some((frame) => frame.kind === 'saved' && frame.count >= 2));
    else expect(await eve.ended).toBe(4400);
  });
});

describe('G6: a person who may only read', () => {
  it('repeats what everybody knows, deletions with it, and is not scolded', async () => {
    const room = `${await sync.meeting()}/transcript`;
    const ann = await (await sync.join('ann', room, 'saved=1')).sync();
    ann.doc.getText('text').insert(0, 'some words');
    ann.doc.getText('text').delete(2, 3);
    await ann.until(() => ann.heard.some((frame) => frame.kind === 'saved' && frame.count >= 2));
    const rob = await (await sync.join('rob', room)).sync();
    await rob.until(() => rob.doc.getText('text').length === 7);
    rob.send({ kind: 'state', update: Y.encodeStateAsUpdate(rob.doc) });
    rob.send({ kind: 'state', update: Y.encodeStateAsUpdate(rob.doc, Y.encodeStateVector(rob.doc)) });
    await rob.sync();
    expect(rob.count('auth')).toBe(0);
    // A deletion that nobody made before is unknown.
    rob.doc.getText('text').delete(0, 1);
    await rob.until(() => rob.count('auth') === 1);
    expect(ann.doc.getText('text').length).toBe(7);
  });
});

it('G5, G07: an update that depends on a missing one is not sent on or stored, and its sender is closed after a minute', async () => {
  expect(limits.pendingMs).toBe(60_000);
  const hasty = await openSync({ database: sync.fresh, limits: { pendingMs: 500 } });
  const room = `${await hasty.meeting()}/transcript`;
  const witness = await (await hasty.join('ben', room)).sync();
  const ann = await (await hasty.join('ann', room, 'saved=1')).sync();
  const asked = ann.count('ask');
  const lost = new Y.Doc();
  lost.getText('text').insert(0, 'lost on the way');
  const before = Y.encodeStateVector(lost);
  lost.getText('text').insert(15, ', and this hangs on it');
  ann.send({ kind: 'update', update: Y.encodeStateAsUpdate(lost, before) });
  await ann.until(() => ann.count('ask') > asked);
  expect(await ann.ended).toBe(1012);
  await witness.beat();
  expect([witness.code, witness.count('update')]).toEqual([null, 0]);
  expect(await hasty.sql`select 1 from room_updates where room = ${room}`).toHaveLength(0);
  await hasty.close();
});

describe('G3: what the server wrote', () => {
  it('belongs to nobody: no client may use its client id', async () => {
    const meeting = await sync.meeting();
    const id = await sync.rooms.change(meeting, 'transcript', { userId: null, origin: 'import' }, (doc) => {
      doc.getText('text').insert(0, 'imported');
      return doc.clientID;
    });
    const eve = await (await sync.join('eve', `${meeting}/transcript`)).sync();
    eve.doc.clientID = id;
    eve.doc.getText('text').insert(0, 'forged ');
    expect(await eve.ended).toBe(4403);
  });
});

describe('E10: what is no handshake of ours', () => {
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const answer = (text: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(sync.port, '127.0.0.1', () => socket.write(text.replaceAll('\n', '\r\n')));
      let heard = '';
      socket.on('data', (bytes) => (heard += bytes.toString()));
      socket.on('close', () => resolve(heard.split('\r\n')[0] ?? ''));
      socket.on('error', () => {});
    });
  const upgrade = (path: string, headers: string, start = 'GET', version = '1.1') =>
    answer(`${start} ${path} HTTP/${version}\nHost: house\nConnection: Upgrade\n${headers}\n\n`);
  const good = `Upgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: ${key}`;
  const path = '/sync/abc/transcript?user=ann';

  it.each([
    ['another path', () => upgrade('/api/login', good), '404 Not Found'],
    ['another protocol', () => upgrade(path, 'Upgrade: h2c'), '426 Upgrade Required'],
    ['version 8', () => upgrade(path, good.replace('13', '8')), '426 Upgrade Required'],
    ['no key', () => upgrade(path, good.replace(key, '')), '400 Bad Request'],
    ['a key of another length', () => upgrade(path, good.replace(key, 'abc=')), '400 Bad Request'],
    ['POST', () => upgrade(path, good, 'POST'), '400 Bad Request'],
  ])('%s', async (_what, ask, expected) => {
    expect(await ask()).toBe(`HTTP/1.1 ${expected}`);
    const ann = await sync.join('ann', `${await sync.meeting()}/transcript`);
    expect(ann.code).toBeNull();
  });

  it('an extension of a strange name is not offered back', async () => {
    const heard = new Promise<string>((resolve) => {
      const socket = connect(sync.port, '127.0.0.1', () =>
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: house\r\nConnection: Upgrade\r\n${good.replaceAll('\n', '\r\n')}\r\nSec-WebSocket-Extensions: constructor\r\n\r\n`,
        ),
      );
      socket.once('data', (bytes) => {
        resolve(bytes.toString());
        socket.destroy();
      });
      socket.on('error', () => {});
    });
    expect(await heard).not.toContain('constructor');
  });
});

describe('G17 by a layer of a blind review', () => {
  type Edit = [what: string, write: (doc: Y.Doc) => void];
  const beside: Edit[] = [
    ['a title that takes the place of one', (doc) => doc.getMap('about').set('title', canary)],
    ['a title that is deleted', (doc) => doc.getMap('about').delete('title')],
    ['a highlight', (doc) => doc.getMap('highlights').set('h', { canary })],
    ['a chapter inside of one', (doc) => (doc.getMap('toc').get('c') as Y.Map<unknown>).set('title', canary)],
    ['a chapter that is deleted with what is in it', (doc) => doc.getMap('toc').delete('c')],
    [
      'words together with a tag',
      (doc) =>
        doc.transact(() => {
          doc.getText('text').insert(5, 'x');
          doc.getMap('tags').set('t', 1);
        }),
    ],
  ];
  const words: Edit[] = [
    ['typing', (doc) => doc.getText('text').insert(5, 'x')],
    ['a deletion', (doc) => doc.getText('text').delete(5, 2)],
    ['a speaker', (doc) => doc.getMap('speakers').set('p1', new Y.Map([['name', 'Ann']]))],
    ['a change of speaker', (doc) => doc.getMap('segments').set('s1', { p: 'p2' })],
    ['a word that is checked', (doc) => doc.getMap('checked').set('1', true)],
    ['characters that an undo brings back', (doc) => doc.getMap('identities').set('1', [1, 2, 3])],
  ];

  /** A recording with a chapter, and somebody who came by a layer. */
  async function opened(): Promise<{ room: string; vera: Raw; ann: Raw }> {
    const meeting = await sync.meeting();
    const room = `${meeting}/transcript`;
    const ann = await sync.join('ann', room);
    begin('transcript', ann.doc);
    ann.doc.getMap('toc').set('c', new Y.Map([['title', 'Opening']]));
    sync.wordsOnly.add('vera');
    const vera = await sync.join('vera', room);
    await vi.waitUntil(() => vera.doc.getMap('toc').has('c') && vera.doc.getText('text').length > 5);
    return { room, vera, ann };
  }

  it.each(beside)('%s is refused', async (_, write) => {
    const { vera, ann } = await opened();
    write(vera.doc);
    expect(await vera.ended).toBe(4400);
    expect(ann.doc.getMap('about').get('title')).toBe('Standup');
    expect(ann.doc.getMap('toc').has('c')).toBe(true);
    expect(JSON.stringify([...ann.doc.share.values()].map((root) => root.toJSON()))).not.toContain(canary);
  });

  it.each(words)('%s is taken', async (_, write) => {
    const { vera, ann } = await opened();
    const before = JSON.stringify(Y.encodeStateAsUpdate(ann.doc));
    write(vera.doc);
    await vi.waitUntil(() => JSON.stringify(Y.encodeStateAsUpdate(ann.doc)) !== before);
    expect(vera.code).toBeNull();
  });

  it('a page that comes back with deletions beside the words that it only knows of is taken', async () => {
    const { room, vera, ann } = await opened();
    ann.doc.getMap('toc').delete('c');
    await vi.waitUntil(() => !vera.doc.getMap('toc').has('c'));
    vera.ws.terminate();
    await vera.ended;
    const again = await sync.join('vera', room);
    Y.applyUpdate(again.doc, Y.encodeStateAsUpdate(vera.doc));
    again.doc.getText('text').insert(5, 'back');
    await vi.waitUntil(() => ann.doc.getText('text').toString().includes('back'));
    expect(again.code).toBeNull();
  });

  it('once the review has opened, all is taken again', async () => {
    const { vera, ann, room } = await opened();
    sync.wordsOnly.delete('vera');
    await sync.door.revoke({ meeting: room.split('/')[0] ?? '' });
    vera.doc.getMap('about').set('title', 'Renamed');
    await vi.waitUntil(() => ann.doc.getMap('about').get('title') === 'Renamed');
  });
});
