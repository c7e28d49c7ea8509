import { expect } from 'vitest';
import type { Doc } from 'yjs';
import { readFile } from '#server/intake/read-file.ts';
import { rules } from '#server/limits.ts';
import { exportFormats, facets, importFormats, type ImportFormat } from '#shared/formats/formats.ts';
import { readTranscript } from '#shared/formats/read.ts';
import { textSource } from '#shared/formats/source.ts';
import { writeAbout } from '#shared/meetings/about.ts';
import { writeEntries } from '#shared/meetings/entries.ts';
import { replaceRanges } from '#shared/meetings/transcript.ts';
import { readPdf } from '#tests/support/pdf.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
import type { Answer } from '#tests/support/people.ts';
import { askFor, seenBy } from '#tests/support/reviews.ts';
import type { Row, Scene, Table } from '#tests/support/table.ts';

const own = async ({ house, caller }: Scene) => ({ id: await makeRecording(house, caller) });

/** A recording with one corrected word, in the live document and not in the original transcript. */
const corrected = async (scene: Scene) => {
  const { id } = await own(scene);
  const { house, caller } = scene;
  await house.house.rooms.change(id, 'transcript', { userId: caller.id, origin: 'test' }, (doc) => {
    const at = doc.getText('text').toString().indexOf('conversion');
    expect(at).toBeGreaterThan(0);
    // Behind the boundaries of the segments before it, each of which counts one.
    const text = doc.getText('text').toDelta() as { insert: string | object }[];
    let seen = 0;
    let boundaries = 0;
    for (const { insert } of text) {
      if (typeof insert !== 'string') boundaries += 1;
      else if ((seen += insert.length) > at) break;
    }
    replaceRanges(doc, [{ at: at + boundaries, remove: 'conversion'.length, insert: ['conversation'] }], 'test');
  });
  return { id };
};

const change = async ({ house, caller }: Scene, write: (doc: Doc) => void) => {
  const id = await makeRecording(house, caller);
  await house.house.rooms.change(id, 'transcript', { userId: caller.id, origin: 'test' }, write);
  return { id };
};
const withChapter = (scene: Scene) =>
  change(scene, (doc) => writeEntries(doc, 'toc', [{ id: 'one', start: 12, title: 'The goal' }], 'test'));
/** Puts a person's name, in braces, into the text and the title. */
const marked = (scene: Scene) =>
  change(scene, (doc) => {
    writeAbout(doc, { title: 'Talk with {Maria Lopez}' }, 'test');
    replaceRanges(doc, [{ at: 1, remove: 4, insert: ['My name is {Maria Lopez} and good'] }], 'test');
  });

const names: Record<string, string> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  pdf: 'application/pdf',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json',
};

const each = exportFormats.flatMap((format) =>
  facets[format].fileTypes.map((fileType): Row => ({
    when: `${format} as ${fileType}`,
    as: 'session',
    params: corrected,
    body: { format, options: { fileType } },
    status: 200,
    then: ({ headers, bytes, text }: Answer) => {
      expect(headers.get('content-type')).toBe(names[fileType]);
      const name = `Practice session asking for a decision.${fileType}`;
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="${name}"; filename*=UTF-8''${name.replaceAll(' ', '%20')}`,
      );
      if (fileType === 'pdf') {
        const { title, lang, pages, bookmarks } = readPdf(bytes);
        expect({ title, lang }).toEqual({ title: 'Practice session: asking for a decision', lang: 'en-US' });
        expect(bookmarks).toContain('Transcript');
        expect(pages.join('')).toContain('putting off a conversation with my manager');
        expect(pages.join('')).toContain('Speakers: Moderator, Coach, Client');
        return;
      }
      const reader = importFormats.find((one): one is ImportFormat => one === format);
      if (!reader) {
        expect(text).toContain('conversation');
        return;
      }
      const { seed } = readTranscript(fileType === 'docx' ? readFile(bytes) : textSource(text), reader);
      const said = seed.segments.map((segment) => segment.text).join(' ');
      expect(said).toContain('putting off a conversation with my manager');
      expect(seed.speakers.map((speaker) => speaker.name).toSorted()).toEqual(['Client', 'Coach', 'Moderator']);
    },
  })),
);

/** The caller's assessment in a review of another person's recording, and an outcome in each of the two. */
const assessment = async ({ house, caller, person }: Scene, withOutcome = true) => {
  const leader = await person('Lea');
  const id = await makeRecording(house, leader);
  const outcome = { type: 'listening', start: 10, end: 12 };
  const review = await askFor(leader, id, { roles: [[caller, 'required']] });
  const { cloneId } = await seenBy(caller, review);
  const all = [
    [leader, id, 'of the recording'],
    [caller, cloneId, 'of the assessment'],
  ] as const;
  for (const [who, at, text] of withOutcome ? all : []) {
    const answer = await who.post(`/api/meetings/${at}/outcomes`, { outcome: { ...outcome, text } });
    expect(answer.status, answer.text).toBe(200);
  }
  const answer = await caller.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 3, words: 'in the sheet' });
  expect(answer.status, answer.text).toBe(200);
  return { id: cloneId ?? '', meeting: id };
};

export default {
  'POST /api/export/:id': [
    ...each,
    ...(['MARKDOWN', 'RAE'] as const).map((format): Row => ({
      when: `an assessment as ${format}, by its layer: its grades and outcomes, and not those of the recording`,
      as: 'session',
      params: assessment,
      body: { format, options: { outcomes: true } },
      status: 200,
      then: ({ text }) => {
        expect(text).toContain('of the assessment');
        expect(text).toContain('in the sheet');
        expect(text).not.toContain('of the recording');
      },
    })),
    {
      when: 'an assessment that has grades alone: with the name of the person who set them',
      as: 'session',
      params: (scene: Scene) => assessment(scene, false),
      body: { format: 'MARKDOWN', options: { outcomes: true } },
      status: 200,
      then: ({ text }) => expect(text).toMatch(/in the sheet, \w+ Test/),
    },
    {
      when: 'an assessment as a PDF',
      as: 'session',
      params: assessment,
      body: { format: 'RAE', options: { fileType: 'pdf', outcomes: true } },
      status: 200,
      then: ({ bytes }) => {
        const said = readPdf(bytes).pages.join('\n');
        expect(said).toContain('of the assessment');
        expect(said).toContain('in the sheet');
        expect(said).not.toContain('of the recording');
      },
    },
    {
      when: 'the recording itself, by who has a part in its review alone',
      as: 'session',
      params: async (scene: Scene) => ({ id: (await assessment(scene)).meeting }),
      body: { format: 'TRME' },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'above our own text stand its day and how long the recording is',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await own(scene);
        const { sql } = scene.house.database;
        await sql`update meetings set created_at = '2024-03-12T23:30:00Z' where id = ${id}`;
        await sql`update media set duration_ms = 3850000 where meeting_id = ${id} and duration_ms is not null`;
        return { id };
      },
      body: { format: 'RAE' },
      status: 200,
      then: ({ text }) => expect(text.split('\n')[1]).toMatch(/^# Date: 2024-03-12 {3}Length: 01:04:10 {3}Language: /),
    },
    {
      when: 'its chapters, where they are wanted',
      as: 'session',
      params: withChapter,
      body: { format: 'RAE', options: { contents: true } },
      status: 200,
      then: ({ text }) => expect(text).toContain('\n# > Contents   00:00:12   The goal\n'),
    },
    {
      when: 'its chapters, as bookmarks of a PDF',
      as: 'session',
      params: withChapter,
      body: { format: 'RAE', options: { fileType: 'pdf', contents: true } },
      status: 200,
      then: ({ bytes }) => {
        const { bookmarks, pages } = readPdf(bytes);
        expect(bookmarks).toContain('The goal');
        expect(pages[0]).toContain('0:12  The goal');
      },
    },
    {
      when: 'a PDF without what stands in braces, its properties too',
      as: 'session',
      params: marked,
      body: { format: 'RAE', options: { fileType: 'pdf', redacted: true } },
      status: 200,
      then: ({ bytes }) => {
        const { whole, title } = readPdf(bytes);
        expect(whole).toContain('My name is [redacted] and good');
        expect(title).toBe('Talk with [redacted]');
        expect(whole).not.toContain('Lopez');
      },
    },
    {
      when: 'its chapters, in the shape of the API',
      as: 'session',
      params: withChapter,
      body: { format: 'JSON', options: { contents: true } },
      status: 200,
      then: ({ body }) => expect(body.toc).toEqual([{ id: 'one', start: 12, title: 'The goal' }]),
    },
    {
      when: 'its chapters, if they are not asked for',
      as: 'session',
      params: withChapter,
      body: { format: 'RAE' },
      status: 200,
      then: ({ text }) => expect(text).not.toContain('The goal'),
    },
    ...exportFormats.map((format): Row => ({
      when: `${format} without what stands in braces, its name too`,
      as: 'session',
      params: marked,
      body: { format, options: { redacted: true, fileType: 'txt' } },
      status: 200,
      then: ({ headers, bytes, text }: Answer) => {
        const docx = facets[format].fileTypes[0] === 'docx';
        const said = docx
          ? readFile(bytes)
              .lines.map((line) => [line.text, ...(line.cells ?? [])].join(' '))
              .join(' ')
          : text;
        expect(said).toMatch(/\[redacted\\?\]/);
        expect(said + headers.get('content-disposition')).not.toContain('Lopez');
      },
    })),
    {
      when: 'what is chosen is left out',
      as: 'session',
      params: own,
      body: { format: 'MARKDOWN', options: { speakers: false, times: false } },
      status: 200,
      then: ({ text }) => {
        expect(text).toContain('\n\nGood morning, and welcome');
        expect(text).not.toMatch(/\*\*Moderator\*\*|00:00:/);
      },
    },
    {
      when: 'a choice the format does not have is passed over',
      as: 'session',
      params: own,
      body: { format: 'ZOOM', options: { fileType: 'docx', times: false } },
      status: 200,
      then: ({ text }) => expect(text).toMatch(/^WEBVTT\n\n1\n00:00:00\.460 --> /),
    },
    {
      when: 'no options at all: a program that only wants the file',
      as: 'token',
      params: own,
      body: { format: 'OTTERAI' },
      status: 200,
      then: ({ text }) => expect(text).toMatch(/^Moderator {2}0:00 {2}\nGood morning/),
    },
    {
      when: 'a title of any letters names the file, and what no file system takes is left out',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await own(scene);
        await scene.house.house.rooms.change(id, 'transcript', { userId: scene.caller.id, origin: 'test' }, (doc) =>
          writeAbout(doc, { title: '../Évaluation "четыре"\u202E: \r\nSet-Cookie' }, 'test'),
        );
        return { id };
      },
      body: { format: 'SRT' },
      status: 200,
      then: ({ headers }) => {
        expect(headers.get('set-cookie')).toBeNull();
        expect(headers.get('content-disposition')).toBe(
          `attachment; filename="Evaluation ______ Set-Cookie.srt"; filename*=UTF-8''${encodeURIComponent('Évaluation четыре Set-Cookie.srt')}`,
        );
      },
    },
    {
      when: 'one that may be read',
      as: 'session',
      params: async ({ house, caller, person }: Scene) => {
        const id = await makeRecording(house, await person());
        await share(house, id, caller, ['read']);
        return { id };
      },
      body: { format: 'VTT' },
      status: 200,
    },
    {
      when: 'anybody with the link, who is not signed in',
      params: async ({ house, person }: Scene) => {
        const id = await makeRecording(house, await person());
        await share(house, id, 'anonymous', ['read']);
        return { id };
      },
      body: { format: 'VTT' },
      status: 200,
    },
    {
      when: 'a recording in which nothing is said',
      as: 'session',
      params: async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) }),
      body: { format: 'JSON' },
      status: 200,
      then: ({ body, headers }) => {
        expect(body).toEqual({ title: '', lang: '', tags: [], transcript: { speakers: [], segments: [] } });
        expect(headers.get('content-disposition')).toContain('filename="Transcript.json"');
      },
    },
    {
      when: 'a format there is none of',
      as: 'session',
      params: own,
      body: { format: 'PDF' },
      status: 422,
      code: 'INVALID',
      fields: { format: 'invalid' },
    },
    {
      when: 'more files than anybody wants in a minute',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.export, scene.caller.id);
        return own(scene);
      },
      body: { format: 'JSON' },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      params: async ({ house, person }: Scene) => ({ id: await makeRecording(house, await person()) }),
      body: { format: 'JSON' },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a meeting that was deleted',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await own(scene);
        expect((await scene.caller.delete(`/api/meetings/${id}`)).status).toBe(204);
        return { id };
      },
      body: { format: 'JSON' },
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', body: { format: 'JSON' }, status: 403, code: 'NO_ACCESS' },
    { when: 'not signed in', body: { format: 'JSON' }, status: 403, code: 'NO_ACCESS' },
  ],
} satisfies Table;
