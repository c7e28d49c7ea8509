// The text of a PDF, read back, is the text that went in: in every language of the product, and with letters no font has.
import { expect, test } from 'vitest';
import type { Printed } from '#shared/formats/page.ts';
import { readPdf } from '#tests/support/pdf.ts';
import { writePdf } from './pdf.ts';

const said = {
  en: 'Good morning, and welcome. What happens right before an office “affair” – fluff, 1×2 → 3?',
  es: '¿Qué pasó mañana? Él dijo que sí; pingüinos y niños, a 20 €.',
  ru: 'Мы планировали это три раза: объём, ещё, «подъезд» — № 5.',
  zh: '我们开始吧，“今天”讨论（计划），然后回家……好的！镕喆〇',
  accents: 'Nai\u0308ve Йод, и\u0306 e\u0301',
  astral: 'Done 🙂 and 𠮷, 👍🏽; שלום (العربية) 한국어',
};
const segment = (text: string, name = 'Ann'): Printed => ({ kind: 'segment', name, time: '0:00', text });
const write = async (blocks: Printed[], about = { title: 'Talk', lang: 'en-US' }) =>
  readPdf(await writePdf({ kind: 'pdf', blocks, ...about }));

test.each(Object.entries(said))('text comes back as it was written: %s', async (_, text) => {
  const { pages } = await write([segment(text, text), segment(text.repeat(40))]);
  const whole = pages.join('').normalize('NFC');
  expect(whole).toContain(`${text} `.normalize('NFC'));
  expect(whole).toContain(text.repeat(40).normalize('NFC'));
});

test('title, language, headings and chapters are where a reader of PDFs looks for them', async () => {
  const { title, lang, bookmarks, pages } = await write(
    [
      { kind: 'title', text: 'Разговор 李明' },
      { kind: 'fact', name: 'Дата', value: '2024-03-12' },
      { kind: 'heading', level: 1, text: 'Расшифровка' },
      { kind: 'heading', level: 2, text: 'The goal' },
      segment('Yes.'),
      { kind: 'said', time: '0:43', head: 'Trust −', text: 'Well done — Ann', quote: 'Yes', reply: false },
      { kind: 'said', time: '', head: 'Ben', text: 'Indeed', quote: '', reply: true },
    ],
    { title: 'Разговор 李明', lang: 'ru-RU' },
  );
  expect({ title, lang }).toEqual({ title: 'Разговор 李明', lang: 'ru-RU' });
  expect(bookmarks).toEqual(expect.arrayContaining(['Расшифровка', 'The goal']));
  expect(pages).toHaveLength(1);
  for (const text of ['Дата: 2024-03-12', '0:43  Trust −: Well done — Ann', '“Yes”', 'Ben: Indeed'])
    expect(pages[0]).toContain(text);
});

test('a long transcript fills many pages without a word lost between them', async () => {
  const text = 'She planned it three times, and each time something happened that nobody expected. '.repeat(20).trim();
  const { pages } = await write(Array.from({ length: 60 }, () => segment(text)));
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.join('').split(text)).toHaveLength(61);
});

test('addresses longer than a page are broken and not lost', async () => {
  const text = 'https://example.org/'.repeat(2000);
  const { pages } = await write([segment(text), segment('')]);
  expect(pages.join('')).toContain(text);
  expect(pages.length).toBeGreaterThan(5);
});

test('a language that is none does not get into the file', async () => {
  expect((await write([segment('Yes.')], { title: '', lang: ')>> evil' })).lang).toBe('');
});
