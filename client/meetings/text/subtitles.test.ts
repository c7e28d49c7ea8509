import { expect, it } from 'vitest';
import { cueText } from '#shared/formats/cues.ts';
import type { Word } from '#shared/meetings/words.ts';

import { cuesOf } from './subtitles.ts';

/** Words of 300 ms, each followed by a blank; `|` is a pause of two seconds. */
function said(text: string): { text: string; words: Word[] } {
  let [at, now] = [0, 0];
  const words: Word[] = [];
  for (const one of text.split(' ')) {
    if (one === '|') {
      now += 2_000;
      continue;
    }
    words.push({ at, text: one, from: now, to: now + 300 } as Word);
    at += one.length + 1;
    now += 300;
  }
  return { text: words.map((word) => word.text).join(' '), words };
}

it.each([
  ['nothing', '', []],
  ['a short answer', 'Yes.', ['Yes.']],
  ['short sentences stay together', 'Yes. No. Perhaps.', ['Yes. No. Perhaps.']],
  [
    'a sentence of some length ends its cue',
    'I keep putting off the conversation. What would help?',
    ['I keep putting off the conversation.', 'What would help?'],
  ],
  ['a long pause', 'I keep | putting', ['I keep', 'putting']],
  [
    'two lines are enough',
    'aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh iiiiiiiii',
    ['aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh', 'iiiiiiiii'],
  ],
])('%s', (_name, text, expected) => {
  const segment = text === '' ? { text: '', words: [] } : said(text);
  expect(cuesOf(segment).map((cue) => cue.text)).toEqual(expected);
});

it('a cue lasts from its first word to its last and never overlaps the next', () => {
  const [first, second] = cuesOf(said('I keep | putting'));
  expect([first, second]).toEqual([
    { from: 0, to: 600, text: 'I keep' },
    { from: 2_600, to: 2_900, text: 'putting' },
  ]);
  const { text, words } = said('I keep putting off the conversation. What would help?');
  const late = words.map((word) => (word.text === 'conversation.' ? { ...word, to: 2_200 } : word));
  expect(cuesOf({ text, words: late }).map(({ from, to }) => [from, to])).toEqual([
    [0, 1_800],
    [1_800, 2_700],
  ]);
});

it('spoken text never becomes markup', () => {
  expect(cueText('a < b && c > <b>d</b>')).toBe('a &lt; b &amp;&amp; c &gt; &lt;b&gt;d&lt;/b&gt;');
});
