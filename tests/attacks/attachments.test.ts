// Attacks on voice notes: B16 a voice note opened as a page, J13 files that are no sound or far too large, X25 and X26
// addresses that lead elsewhere. S1 for sounds: no byte of a private voice note reaches another person before it is
// revealed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportFormats } from '#shared/formats/formats.ts';
import { newId } from '#shared/ids.ts';
import { roles } from '#shared/roles.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { multipart } from '#tests/support/intake.ts';
import { share } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { sendVoice, spoken } from '#tests/support/voice.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const good = async (asked: Promise<Answer>): Promise<any> => {
  const { status, body, text } = await asked;
  expect(status, text).toBeLessThan(300);
  return body;
};
const at = { start: 10, end: 14 };

describe('a private voice note', () => {
  test('reaches nobody but its author, by any address and in any file, until it is revealed', async () => {
    const [ann, ben, cleo] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cleo')];
    const stranger = house.stranger();
    const id = await makeRecording(house, ann);
    await share(house, id, ben, roles.canEdit);
    await share(house, id, cleo, roles.canEditShare);
    await share(house, id, 'anonymous', ['read']);
    const secrets = { comment: `canary${newId()}`, note: `canary${newId()}`, unused: `canary${newId()}` };
    const urls = {
      comment: await sendVoice(ben, id, spoken(1, secrets.comment)),
      note: await sendVoice(ben, id, spoken(1, secrets.note), 'vnote'),
      unused: await sendVoice(ben, id, spoken(1, secrets.unused)),
    };
    const own = { ...at, private: true };
    const { comment } = await good(ben.post(`/api/meetings/${id}/comments`, { ...own, url: urls.comment }));
    await good(ben.post(`/api/meetings/${id}/outcomes`, { outcome: { ...own, type: 'vNotes', url: urls.note } }));

    const look = async (): Promise<Buffer> => {
      const heard: Uint8Array[] = [];
      for (const person of [ann, cleo, stranger]) {
        for (const url of Object.values(urls)) {
          const attachmentId = url.split('/').at(-1);
          for (const path of [url, `/api/meetings/${id}/media/${attachmentId}`, `/store/files/${attachmentId}`])
            for (const headers of [{}, { Range: 'bytes=0-5000' }, { 'If-None-Match': '*' }] as Record<string, string>[])
              heard.push((await person.get(path, { headers })).bytes);
          for (const [kind, what] of [
            ['comments', { ...at, text: 'x', url }],
            ['outcomes', { outcome: { ...at, type: 'vNotes', url } }],
          ] as const)
            heard.push((await person.post(`/api/meetings/${id}/${kind}`, what)).bytes);
          heard.push((await person.post(`/api/meetings/${id}/delete-attachment`, { url })).bytes);
        }
        for (const path of ['', '/about', '/versions'])
          heard.push((await person.get(`/api/meetings/${id}${path}`)).bytes);
        for (const format of exportFormats)
          heard.push(
            (await person.post(`/api/export/${id}`, { format, options: { outcomes: true, comments: true } })).bytes,
          );
      }
      heard.push(Buffer.from(house.log()));
      return Buffer.concat(heard);
    };
    const found = (bytes: Buffer) => Object.entries(secrets).filter(([, secret]) => bytes.includes(secret));
    const before = await look();
    expect(found(before)).toEqual([]);
    // Its address is not sent either.
    for (const url of Object.values(urls)) expect(before.includes(`"${url}"`)).toBe(false);
    for (const [name, url] of Object.entries(urls))
      expect(Buffer.from((await ben.get(url)).bytes).includes(secrets[name as 'note'])).toBe(true);

    await good(ben.post(`/api/meetings/${id}/outcomes/${comment.id}/reveal/comment`));
    expect(found(await look()).map(([name]) => name)).toEqual(['comment']);
  });

  test('is in the files of people who may hear it and ask for it, and in no others', async () => {
    const [ann, ben] = [await house.person('Ann'), await house.person('Ben')];
    const id = await makeRecording(house, ann);
    await share(house, id, ben, roles.canEdit);
    const url = await sendVoice(ben, id);
    const { comment } = await good(ben.post(`/api/meetings/${id}/comments`, { ...at, url, private: true }));
    const file = async (person: Person, format: string, options = {}) =>
      (await person.post(`/api/export/${id}`, { format, options: { comments: true, ...options } })).text;
    const also = { private: true };
    expect(await file(ben, 'JSON', also)).toContain(url);
    expect(await file(ben, 'MARKDOWN', also)).toContain(url.split('/').at(-1));
    expect(await file(ben, 'JSON')).not.toContain(url);
    expect(await file(ann, 'JSON', also)).not.toContain(url);
    await good(ben.post(`/api/meetings/${id}/outcomes/${comment.id}/reveal/comment`));
    expect(await file(ann, 'JSON')).toContain(url);
  });
});

describe('a file sent as a voice note', () => {
  const page = '<!doctype html><script>document.title="ran"</script>';
  const id3 = (content: string) =>
    Buffer.concat([
      Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, content.length >> 7, content.length & 127]),
      Buffer.from(content),
    ]);

  test.each([
    ['a page', Buffer.from(page)],
    ['a page that begins as a tag of a sound', id3(page)],
    ['a page and a sound', Buffer.concat([Buffer.from(page), spoken()])],
    ['a sound and a page', Buffer.concat([spoken(), Buffer.from(page)])],
    ['a sound, and an archive behind it', Buffer.concat([spoken(), Buffer.from('PK\x03\x04'), Buffer.alloc(500)])],
    ['a picture that may act', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
    ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/secret\n')],
    ['a program', Buffer.concat([Buffer.from('\x7fELF', 'latin1'), Buffer.alloc(1000)])],
    ['zeros', Buffer.alloc(100_000)],
  ])('is refused where it is %s, whatever it is called', async (_, content) => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    for (const fileName of ['voice.mp3', 'voice.html', '../../voice.mp3', 'voice.mp3\0.html'.replace('\0', '%00')]) {
      const form = multipart({ file: { fileName, content }, type: 'vnote' });
      const { status, problem, text } = await ann.post(`/api/meetings/${id}/attachment`, undefined, form);
      expect([status, problem.code]).toEqual([415, 'TYPE']);
      expect(text).not.toContain(fileName);
    }
  });

  test('is never a page of ours: its tags are removed, and it opens as a file for everybody', async () => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    const { bytes, headers } = await ann.get(await sendVoice(ann, id, Buffer.concat([id3(page), spoken()])));
    expect(Buffer.from(bytes).includes('<script')).toBe(false);
    expect(headers.get('content-type')).toBe('audio/mpeg');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-disposition')).toBe('attachment');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  test('keeps nothing of what was refused', async () => {
    const ann = await house.person();
    const id = await makeRecording(house, ann);
    const form = multipart({ file: { fileName: 'a.mp3', content: page } });
    await ann.post(`/api/meetings/${id}/attachment`, undefined, form);
    const wrong = multipart({ file: { fileName: 'a.mp3', content: spoken() }, type: 'x' });
    await ann.post(`/api/meetings/${id}/attachment`, undefined, wrong);
    const rows = await house.database.sql`select 1 from attachments where meeting_id = ${id}`;
    expect(rows).toHaveLength(0);
  });
});
