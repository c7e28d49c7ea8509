// F50: the built product contains the threads, beside the file that starts them.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { makeSnapshot } from '#sync/server/snapshot.ts';
import { readPdf } from '#tests/support/pdf.ts';
import { stale } from '../../scripts/build.mjs';

const root = join(import.meta.dirname, '../..');

test('the built thread makes the same snapshot', async ({ skip }) => {
  if (stale(root).some(({ name }) => name === 'server'))
    skip('the server is not built of these sources (npm test does)');
  const built = join(root, 'dist/server');
  expect(readFileSync(join(built, 'main.js'), 'utf8')).toContain('startThread("compact-thread", import.meta.url');
  const doc = new Y.Doc();
  doc.getText('text').insert(0, 'what was said '.repeat(10_000));
  const pieces = [Y.encodeStateAsUpdate(doc)];
  const thread = new Worker(join(built, 'compact-thread.js'));
  thread.postMessage({ id: 7, task: { kind: 'snapshot', pieces } });
  const [message] = (await once(thread, 'message')) as [{ id: number; answer: Uint8Array }];
  await thread.terminate();
  expect(message.id).toBe(7);
  expect(Buffer.from(message.answer).equals(makeSnapshot(pieces))).toBe(true);
});

test('the built thread reads a transcript', async ({ skip }) => {
  if (stale(root).some(({ name }) => name === 'server'))
    skip('the server is not built of these sources (npm test does)');
  const built = join(root, 'dist/server');
  expect(readFileSync(join(built, 'main.js'), 'utf8')).toContain(
    'startThread("read-transcript-thread", import.meta.url',
  );
  const thread = new Worker(join(built, 'read-transcript-thread.js'));
  expect(await once(thread, 'message')).toEqual(['ready']);
  thread.postMessage({ bytes: Buffer.from('Ann  0:00  \nHello there.\n'), format: 'OTTERAI' });
  const [answer] = (await once(thread, 'message')) as [{ words: number; segments: number }];
  await thread.terminate();
  expect(answer).toMatchObject({ words: 2, segments: 1, speakers: 1 });
});

test('the built thread does work on whole documents', async ({ skip }) => {
  if (stale(root).some(({ name }) => name === 'server'))
    skip('the server is not built of these sources (npm test does)');
  const built = join(root, 'dist/server');
  expect(readFileSync(join(built, 'main.js'), 'utf8')).toContain(
    'startThread("whole-documents-thread", import.meta.url',
  );
  const doc = new Y.Doc();
  doc.getMap('about').set('title', 'Talk');
  const thread = new Worker(join(built, 'whole-documents-thread.js'));
  thread.postMessage({ id: 3, task: { kind: 'about', with: [[Y.encodeStateAsUpdate(doc)]] } });
  const [answer] = (await once(thread, 'message')) as [unknown];
  await thread.terminate();
  expect(answer).toMatchObject({ id: 3, answer: { title: 'Talk' } });
});

test('the built thread writes a PDF', async ({ skip }) => {
  if (stale(root).some(({ name }) => name === 'server'))
    skip('the server is not built of these sources (npm test does)');
  const built = join(root, 'dist/server');
  expect(readFileSync(join(built, 'main.js'), 'utf8')).toContain('startThread("pdf-thread", import.meta.url');
  const thread = new Worker(join(built, 'pdf-thread.js'));
  const blocks = [{ kind: 'segment', name: 'Ann', time: '0:00', text: 'Hello, привет, 你好.' }];
  thread.postMessage({ id: 5, task: { kind: 'pdf', blocks, title: 'Talk', lang: 'en' } });
  const [answer] = (await once(thread, 'message')) as [{ id: number; answer: Uint8Array }];
  await thread.terminate();
  expect(answer.id).toBe(5);
  expect(readPdf(Buffer.from(answer.answer)).pages.join('')).toContain('Hello, привет, 你好.');
});
