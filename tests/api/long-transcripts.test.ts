// Transcripts longer than what one update of a peer may hold: days of speech, or a single paragraph.
// Longer ones: LONG_WORDS=250000 npm test -- tests/api/long-transcripts.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ImportFormat } from '#shared/formats/formats.ts';
import { Editor, closeEditors, settled, until } from '#tests/support/editors.ts';
import { openBeside, openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, multipart, processed } from '#tests/support/intake.ts';
import type { Answer, Person } from '#tests/support/people.ts';

// Millions of letters, five times over.
vi.setConfig({ testTimeout: 900_000 });

/** 1.3 MB of letters alone, where a peer's update may hold 1 MiB. */
const count = Number(process.env['LONG_WORDS'] ?? 125_000);

let house: TestHouse;
beforeAll(async () => {
  // No limit of time here: another test shows that a file may take no longer than ten seconds.
  house = await openHouse({ reading: { milliseconds: 600_000 } });
});
afterEach(closeEditors);
afterAll(() => house?.close());

const time = (seconds: number): string =>
  `${Math.floor(seconds / 3600)}:${String(Math.floor(seconds / 60) % 60).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;

/** So many paragraphs of so many words, each word with its number. */
const otter = (turns: number, words: number, name = 'word'): string =>
  Array.from({ length: turns }, (_, i) => {
    const said = Array.from({ length: words }, (__, j) => `${name}${i * words + j}`);
    return `${i % 2 ? 'Ann' : 'Ben'}  ${time(i)}  \n${said.join(' ')}\n\n`;
  }).join('');

const transcript = (content: string, transcriptType: ImportFormat = 'OTTERAI') => ({
  transcript: { fileName: 'long.txt', content },
  transcriptType,
});

interface Plain {
  version: number;
  doc: { transcript: { segments: { text: string; words: { w: string }[] }[] } };
}
const plain = async (person: Person, id: string): Promise<Plain> => (await person.get(`/api/meetings/${id}`)).body;
const wordsIn = ({ doc }: Plain) => doc.transcript.segments.flatMap(({ words }) => words.map(({ w }) => w));
const numbered = (count: number, name = 'word') => Array.from({ length: count }, (_, i) => `${name}${i}`);

/** Repeats a call that says it is not ready, as clients do: a slow disk takes longer than a statement may. */
async function patiently(call: () => Promise<Answer>): Promise<Answer> {
  let answer = await call();
  for (let tries = 1; answer.status === 503 && tries < 5; tries += 1) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await sleep(5000);
    answer = await call();
  }
  return answer;
}

describe.each([
  ['in turns of eight', count / 8, 8],
  ['in a single turn', 1, count],
])(`${count} words %s`, (_which, turns, words) => {
  test('are imported, edited, read by another process, replaced and restored', async () => {
    const ann = await house.person();
    const { given } = house.house.wholes;
    const { id } = await createMeeting(ann, external(transcript(otter(turns, words))));
    expect((await beginProcessing(ann, id)).status).toBe(200);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
    // The thread had it: the document was made and counted there.
    const { wholes } = house.house;
    expect(wholes.given - given).toBeGreaterThanOrEqual(2);
    const first = await plain(ann, id);
    expect(first.doc.transcript.segments).toHaveLength(turns);
    expect(wordsIn(first)).toEqual(numbered(turns * words));

    // A client like that of the page writes into it.
    const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const room = `${id}/transcript`;
    const editor = new Editor({ room, at: () => house.origin, headers: { Cookie: cookie, Origin: house.origin } });
    await until(() => editor.text.length > 0);
    await settled([editor]);
    editor.text.insert(1, 'Now. ');
    await settled([editor]);
    editor.close();

    // Reads from a process that has only the log.
    const beside = await openBeside(house);
    try {
      const there = await plain(ann.by(beside.port), id);
      expect(there.doc.transcript.segments[0]?.text).toMatch(/^Now\. word0/);
      expect(wordsIn(there)).toEqual(['Now.', ...numbered(turns * words)]);
    } finally {
      await beside.stop();
    }

    const other = otter(turns, words, 'other');
    const before = wholes.given;
    const replaced = await patiently(() =>
      ann.post(`/api/meetings/${id}/replace`, undefined, multipart(transcript(other))),
    );
    expect(replaced.status, replaced.text).toBe(200);
    expect(wholes.given - before).toBeGreaterThanOrEqual(3);
    expect(wordsIn(await plain(ann, id))).toEqual(numbered(turns * words, 'other'));

    const back = await patiently(() => ann.post(`/api/meetings/${id}/versions/${first.version}/restore`));
    expect(back.status, back.text).toBe(200);
    expect(wordsIn(await plain(ann, id))).toEqual(numbered(turns * words));
  });
});

test('a file that takes too much to read is refused at once, with advice', async () => {
  const ann = await house.person();
  const turns = Array.from({ length: 199_000 }, (_, i) => `S${(i % 2) + 1} ${time(i)} ${'a'.repeat(36)}`);
  const form = external(transcript(turns.join('\n'), 'TRME'));
  const answer = await ann.post('/api/meetings-fast', undefined, form);
  expect(answer.status).toBe(422);
  // Limited by memory here; on a slow machine the limit of time may come first.
  expect(answer.problem.message).toMatch(/^Invalid transcript: expected a file that .+; cut it into several files$/);
});
