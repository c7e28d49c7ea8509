// One person's exports wait for each other, not those of others.
import { afterAll, expect, test } from 'vitest';
import { PdfDesk, type PdfPage } from './pdf-desk.ts';

const desk = new PdfDesk();
afterAll(() => desk.close());

const page = (text: string): PdfPage => ({
  kind: 'pdf',
  title: text,
  lang: 'en-US',
  blocks: [{ kind: 'segment', name: 'Ann', time: '0:00', text }],
});

test('people take turns, and one person can wait for five at most', async () => {
  const written: string[] = [];
  const write = (asker: string) => desk.write(page(asker), asker).then(() => written.push(asker));
  const all = [...Array.from({ length: 5 }, () => write('ann')), write('ben'), write('cyd')];
  await expect(desk.write(page('ann'), 'ann')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await Promise.all(all);
  expect(written).toEqual(['ann', 'ann', 'ben', 'cyd', 'ann', 'ann', 'ann']);
});
