// Fuzz test of ten thousand damaged files: each is read, or refused with the one error class; none takes long.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importFormats } from './formats.ts';
import { readDocx } from './read-docx.ts';
import { readTranscript } from './read.ts';
import { decodeText, InvalidTranscript, textSource, type Source } from './source.ts';

const folder = join(import.meta.dirname, 'golden');
const originals = readdirSync(folder)
  .filter((name) => !name.endsWith('.expected'))
  .map((name) => ({ docx: name.endsWith('.xml'), text: readFileSync(join(folder, name), 'utf8') }));

const mutants = Number(process.env['FUZZ_FORMATS'] ?? 10_000);
/** Pseudo-random numbers of their own for each file: a seed and a step always make the same file. */
function chance(seed: number) {
  let state = seed * 2654435761 + 1;
  return (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % Math.max(1, below);
  };
}

const spices = [
  '\n',
  '\n\n',
  ':',
  '\t',
  '  ',
  '[',
  ']',
  '(',
  ')',
  '-->',
  '0:15',
  '00:00:99',
  '999:59:59',
  '<',
  '>',
  '&',
  '\u2028',
  '\uD800',
  '王',
  '</w:p>',
  '<w:tr>',
  '<w:p>',
  '\\',
  '#',
  'S1:',
  '\0',
];

function mutant(seed: number): { docx: boolean; text: string } {
  const roll = chance(seed + 1);
  const { docx, text } = originals[roll(originals.length)] ?? { docx: false, text: '' };
  let made = text;
  for (let change = 1 + roll(6); change > 0; change -= 1) {
    const [from, to] = [roll(made.length), roll(made.length)].toSorted((one, other) => one - other) as [number, number];
    const spice = spices[roll(spices.length)] ?? '';
    const other = originals[roll(originals.length)]?.text ?? '';
    made =
      [
        () => made.slice(0, from) + made.slice(Math.min(to, from + 40)),
        () => made.slice(0, from) + spice.repeat(1 + roll(30)) + made.slice(from),
        () => made.slice(0, to) + made.slice(from, to) + made.slice(to),
        () => made.slice(0, from),
        () => made.slice(0, from) + other.slice(roll(other.length)),
        () => made.replaceAll(made.charAt(from), spice),
      ][roll(6)]?.() ?? made;
    made = made.slice(0, 20_000);
  }
  return { docx, text: made };
}

function sourceOf({ docx, text }: { docx: boolean; text: string }): Source {
  return docx
    ? readDocx((part) => (part === 'word/document.xml' ? text : null))
    : textSource(decodeText(Buffer.from(text)));
}

test(`${mutants} mutants are read or refused by name`, () => {
  const seen = { read: 0, refused: 0 };
  for (let seed = 0; seed < mutants; seed += 1) {
    const file = mutant(seed);
    const format = importFormats[seed % importFormats.length] ?? 'REV';
    try {
      const { seed: made, until } = readTranscript(sourceOf(file), format, { mediaMs: seed % 3 ? undefined : 60_000 });
      seen.read += 1;
      if (!Number.isFinite(until) || made.segments.length === 0) throw new Error('nothing was read');
      for (const { words, text = '' } of made.segments)
        if (text === '' || words.some(({ f, t }) => !(f >= 0 && t >= f))) throw new Error(`no such times: ${text}`);
    } catch (error) {
      if (!(error instanceof InvalidTranscript)) throw new Error(`mutant ${seed} as ${format}`, { cause: error });
      if (!error.message.startsWith('Invalid transcript: ')) throw error;
      seen.refused += 1;
    }
  }
  // Both results must be frequent, or the test would prove nothing.
  expect(seen.read).toBeGreaterThan(mutants / 20);
  expect(seen.refused).toBeGreaterThan(mutants / 20);
});
