// Export and import again over the API, like a person who moves recordings from one server to another.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { facets, vendorFormats } from '#shared/formats/formats.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed } from '#tests/support/intake.ts';
import { readPdf } from '#tests/support/pdf.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let ann: Person;
let id: string;
let before: MeetingView['doc'];
beforeAll(async () => {
  house = await openHouse();
  ann = await house.person('Ann');
  id = await makeRecording(house, ann);
  before = await documentOf(id);
});
afterAll(() => house.close());

const documentOf = async (meeting: string) => ((await ann.get(`/api/meetings/${meeting}`)).body as MeetingView).doc;

/** Words by speaker, with neighbouring segments of one speaker joined. */
function said({ transcript: { segments, speakers } }: MeetingView['doc']): string[] {
  const names = new Map(speakers.map((one) => [one.id, one.name]));
  const turns: string[] = [];
  let last: string | null = null;
  for (const { speaker, text } of segments) {
    if (speaker === last) turns.push(`${turns.pop()} ${text}`);
    else turns.push(`${names.get(speaker) ?? ''}: ${text}`);
    last = speaker;
  }
  return turns;
}

const ways = vendorFormats.flatMap((format) =>
  facets[format].fileTypes.filter((one) => one !== 'pdf').map((fileType) => [format, fileType] as const),
);

test.each(ways)('%s as %s comes back as what was said, by whom', async (format, fileType) => {
  const file = await ann.post(`/api/export/${id}`, { format, options: { fileType } });
  expect(file.status, file.text).toBe(200);
  const transcript = { fileName: `talk.${fileType}`, content: file.bytes };
  const created = await createMeeting(ann, external({ title: 'Again', transcript, transcriptType: format }));
  expect((await beginProcessing(ann, created.id, { title: 'Again' })).status).toBeLessThan(300);
  expect(await processed(ann, created.id)).toMatchObject({ percentage: 100, failures_present: false });
  const after = await documentOf(created.id);
  expect(said(after)).toEqual(said(before));
  if (fileType !== 'docx' || format !== 'RAE') return;
  // Ours is the very same: ids, colours, the time of every word, and how sure the recogniser was of it.
  expect(after.transcript).toEqual(before.transcript);
  expect(after.tags).toEqual(before.tags);
});

test('private annotations are in a file if their author asks for them, and labelled', async () => {
  const meeting = await makeRecording(house, ann);
  const secrets = ['PRIVATE-OUTCOME', 'PRIVATE-COMMENT', 'PRIVATE-POINT'] as const;
  const [outcome, comment, point] = secrets;
  const at = { start: 0, end: 1, private: true };
  for (const answer of await Promise.all([
    ann.post(`/api/meetings/${meeting}/outcomes`, { outcome: { ...at, type: 'actionItems', text: outcome } }),
    ann.post(`/api/meetings/${meeting}/comments`, { ...at, text: comment }),
    ann.post(`/api/meetings/${meeting}/comments`, { ...at, private: false, text: 'For everybody' }),
    ann.put(`/api/meetings/${meeting}/summary/own`, { summary: [{ text: point }] }),
  ]))
    expect(answer.status, answer.text).toBe(200);
  const wanted = { summary: true, outcomes: true, comments: true };
  const write = async (format: string, options: object) =>
    (await ann.post(`/api/export/${meeting}`, { format, options: { ...wanted, ...options } })).text;
  for (const format of ['RAE', 'MARKDOWN', 'JSON']) {
    const without = await write(format, {});
    expect(without, format).toContain('For everybody');
    const within = await write(format, { private: true });
    for (const secret of secrets) {
      expect(without, format).not.toContain(secret);
      expect(within, format).toContain(secret);
      const line = within.split('\n').find((one) => one.includes(secret));
      expect(line, format).toMatch(format === 'JSON' ? /"private":true/ : /\(private\)/);
    }
  }
  const print = async (options: object) =>
    readPdf(
      (await ann.post(`/api/export/${meeting}`, { format: 'RAE', options: { ...wanted, fileType: 'pdf', ...options } }))
        .bytes,
    );
  const without = await print({});
  expect(without.pages.join('')).toContain('For everybody');
  const within = (await print({ private: true })).pages.join('');
  for (const secret of secrets) {
    // Neither on a page nor unseen in the file.
    expect(without.whole).not.toContain(secret);
    expect(within).toContain(`(private) ${secret}`);
  }
});
