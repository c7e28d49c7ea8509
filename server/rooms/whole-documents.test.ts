// Work on long transcripts in threads: people take turns, however much one of them asks for, what nobody waits for is not
// made, and what a thread refuses is refused as it is without one.
import { afterAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { limits as usualLimits } from '#sync/protocol.ts';
import { DocumentFull } from '#sync/server/document.ts';
import { WholeDocuments } from './whole-documents.ts';

const wholes = new WholeDocuments();
afterAll(() => wholes.close());

const doc = new Y.Doc();
doc.getText('text').insert(0, 'Hello');
const pieces = [Y.encodeStateAsUpdate(doc)];
const ask = (id: string, gone?: AbortSignal) => wholes.answer({ id, gone }, pieces, 1, 'subtitles', []);

test('people take turns; one person can wait for twenty answers, and what is given up makes room', async () => {
  const order: string[] = [];
  const gone = new AbortController();
  const note = (id: string) => ask(id).then(() => order.push(id));
  const all = [...Array.from({ length: 19 }, () => note('ann')), note('ben')];
  const givenUp = ask('ann', gone.signal);
  const refused = { code: 'UNAVAILABLE', retryAfter: 5 };
  await expect(ask('ann')).rejects.toMatchObject(refused);
  gone.abort();
  await expect(givenUp).rejects.toMatchObject(refused);
  all.push(note('ann'));
  await Promise.all(all);
  expect(order.slice(0, 3)).toEqual(['ann', 'ann', 'ben']);
  expect(order).toHaveLength(21);
});

test('a job may always wait', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => wholes.answer(null, pieces, 1, 'subtitles', [])));
  expect(new Set(answers.map((bytes) => Buffer.from(bytes).toString())).size).toBe(1);
});

const limits = { ...usualLimits, documentBytes: 1 };
const copying = { generation: 1, title: 'Copy', removeMarkup: false, limits };

test.each([
  ['here', Infinity],
  ['in a thread', 0],
])('a copy that is too large is refused as one, made %s', async (_, long) => {
  wholes.long = long;
  await expect(wholes.do('copied', pieces, copying)).rejects.toBeInstanceOf(DocumentFull);
});

test('work that takes too long is to be tried again later', async () => {
  const hurried = new WholeDocuments({ milliseconds: 1, megabytes: 1024 });
  hurried.long = 0;
  await expect(hurried.do('about', pieces)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 5 });
  await hurried.close();
});
