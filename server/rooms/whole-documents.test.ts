// Answers of long transcripts: people take turns, however much one of them asks for, and what nobody waits for is not made.
import { afterAll, expect, test } from 'vitest';
import * as Y from 'yjs';
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
