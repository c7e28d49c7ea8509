// Files beside a recording and on comments (screens: attachments that are no voice notes): who opens them, and how long
// they stay.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachments } from '#db/schema/attachments.ts';
import { sweepAttachments } from '#server/attachments/attachments.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { mostAttachments, mostOwnAttachments, type FileView } from '#shared/attachments.ts';
import { newId } from '#shared/ids.ts';
import { writeAnnotation } from '#shared/meetings/annotations.ts';
import { roles } from '#shared/roles.ts';
import { closeEditors, Editor, until } from '#tests/support/editors.ts';
import { fileForm, pixel, sendFile, wordFile } from '#tests/support/files.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  closeEditors();
  await house?.close();
});

const good = async (asked: Promise<Answer>): Promise<any> => {
  const { status, body, text } = await asked;
  expect(status, text).toBeLessThan(300);
  return body;
};

/** Ann's recording, which Ben may comment on and Cleo may read, as a stranger with the link. */
async function scene() {
  const [ann, ben, cleo] = [await house.person('Ann'), await house.person('Ben'), await house.person('Cleo')];
  const stranger = house.stranger();
  const id = await makeRecording(house, ann);
  await share(house, id, ben, roles.canComment);
  await share(house, id, cleo, ['read']);
  await share(house, id, 'anonymous', ['read']);
  const all = { ann, ben, cleo, stranger };
  const say = async (by: Person, fields: object = {}): Promise<string> => {
    const comment = { start: 10, end: 14, text: 'See the file', ...fields };
    return (await good(by.post(`/api/meetings/${id}/comments`, comment))).comment.id as string;
  };
  const listOf = async (person: Person) =>
    ((await good(person.get(`/api/meetings/${id}/attachments`))) as { files: FileView[] }).files;
  /** People who may open it, by name; the list and the address say the same. */
  const openedBy = async (url: string): Promise<string> => {
    const found: string[] = [];
    for (const [name, person] of Object.entries(all)) {
      const { status } = await person.get(url);
      expect([200, 404]).toContain(status);
      expect(
        (await listOf(person)).some((file) => file.url === url),
        name,
      ).toBe(status === 200);
      if (status === 200) found.push(name);
    }
    return found.join(' ');
  };
  const remove = (by: Person, url: string) => by.post(`/api/meetings/${id}/delete-attachment`, { url });
  return { id, ...all, say, listOf, openedBy, remove };
}
const everybody = 'ann ben cleo stranger';
const later = async (seconds: number) => {
  house.clock.forward(seconds);
  await sweepAttachments(house.house);
  await sweepLeftovers(house.house);
  house.clock.forward(-seconds);
};

describe('a file beside a recording', () => {
  test('is for all its readers, sent by those who may edit, and never anything that runs', async () => {
    const { id, ann, ben, cleo, stranger, openedBy } = await scene();
    const url = await sendFile(ann, id, { name: 'Plän (A);.png', content: pixel });
    expect(await openedBy(url)).toBe(everybody);
    const { headers, bytes } = await stranger.get(url);
    expect(Buffer.from(bytes).equals(pixel)).toBe(true);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="Plan \(A\)_\.png"; filename\*=UTF-8''Pl%C3%A4n%20%28A%29%3B\.png$/,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; sandbox;/);
    for (const person of [ben, cleo]) {
      const { status, problem } = await person.post(`/api/meetings/${id}/attachment`, undefined, fileForm({}));
      expect([status, problem.code]).toEqual([403, 'NO_PERM']);
    }
    for (const content of [
      '<svg onload="alert(1)"/>',
      '<!doctype html>',
      await wordFile({ 'word/vbaProject.bin': 'x' }),
    ]) {
      const { status, problem } = await ann.post(
        `/api/meetings/${id}/attachment`,
        undefined,
        fileForm({ name: 'photo.png', content }),
      );
      expect([status, problem.info.errors]).toEqual([422, [{ field: 'file', code: 'file_type' }]]);
    }
  });

  test('is deleted by its sender or an editor, comes back for a day, and then neither its row nor its bytes are there', async () => {
    const { id, ann, ben, cleo, openedBy, remove } = await scene();
    await share(house, id, cleo, roles.canEdit);
    const url = await sendFile(cleo, id);
    const attachmentId = url.split('/').at(-1) ?? '';
    expect((await remove(ben, url)).status).toBe(403);
    expect((await remove(ann, url)).status).toBe(204);
    expect((await remove(ann, url)).status).toBe(204);
    expect(await openedBy(url)).toBe('');
    const restore = (by: Person) => by.post(`/api/meetings/${id}/attachments/${attachmentId}/restore`);
    expect((await restore(ben)).status).toBe(403);
    expect((await restore(cleo)).status).toBe(204);
    expect(await openedBy(url)).toBe(everybody);
    // A day later it is still there; voice notes without an annotation would not be.
    await later(86_401);
    expect(await openedBy(url)).toBe(everybody);
    await good(remove(ann, url));
    const [row] = await house.database.orm.select().from(attachments).where(eq(attachments.id, attachmentId));
    await later(86_401);
    expect(await house.house.store.size(row?.storeKey ?? '')).toBeNull();
    expect((await restore(ann)).status).toBe(404);
  });

  test('counts with voice notes towards the limits of a person and a recording', async () => {
    const { id, ann, remove } = await scene();
    const url = await sendFile(ann, id);
    const [{ storeKey: _, id: __, requestId: ___, ...row } = {} as never] = await house.database.orm
      .select()
      .from(attachments)
      .where(eq(attachments.meetingId, id));
    const more = (count: number, userId: string | null) =>
      house.database.orm.insert(attachments).values(
        Array.from({ length: count }, () => ({
          ...(row as object),
          id: newId(),
          storeKey: newId(),
          userId,
        })) as never,
      );
    await more(mostOwnAttachments - 1, ann.id);
    const refused = async () => {
      const { status, problem } = await ann.post(`/api/meetings/${id}/attachment`, undefined, fileForm({}));
      expect([status, problem.info.errors]).toEqual([422, [{ field: 'file', code: 'too_many' }]]);
    };
    await refused();
    await good(remove(ann, url));
    await sendFile(ann, id);
    const restored = await ann.post(`/api/meetings/${id}/attachments/${url.split('/').at(-1)}/restore`);
    expect(restored.status).toBe(422);
    await house.database.orm.delete(attachments).where(eq(attachments.meetingId, id));
    await more(mostAttachments, null);
    await refused();
  });

  test('is no voice note of an annotation', async () => {
    const { id, ann } = await scene();
    const url = await sendFile(ann, id, { name: 'a.txt' });
    const { status, problem } = await ann.post(`/api/meetings/${id}/comments`, { start: 1, end: 2, url });
    expect([status, problem.info.errors]).toEqual([422, [{ field: 'url', code: 'unknown' }]]);
  });

  test('takes a type that comes before it', async () => {
    const { id, ann } = await scene();
    const { raw = '', headers } = fileForm({ comment: 'x' });
    const odd = Buffer.from(raw as Uint8Array)
      .toString('latin1')
      .replace('name="type"', 'name="other"');
    const { status } = await ann.post(`/api/meetings/${id}/attachment`, undefined, {
      raw: odd,
      ...(headers && { headers }),
    });
    expect(status).toBe(415);
  });
});

describe('a file on a comment', () => {
  test('is sent by the author of the comment alone, and read by all who read it', async () => {
    const { id, ann, ben, say, openedBy, listOf, remove } = await scene();
    const comment = await say(ben);
    for (const by of [ann]) {
      const { status, problem } = await by.post(`/api/meetings/${id}/attachment`, undefined, fileForm({ comment }));
      expect([status, problem.info.errors]).toEqual([422, [{ field: 'comment', code: 'unknown' }]]);
    }
    const url = await sendFile(ben, id, { comment });
    expect(await openedBy(url)).toBe(everybody);
    expect((await listOf(ann))[0]).toMatchObject({ comment });
    // The owner deletes the comment, not its file.
    expect((await remove(ann, url)).status).toBe(404);
    await good(ann.delete(`/api/meetings/${id}/comments/${comment}`));
    expect(await openedBy(url)).toBe('');
    expect((await house.database.orm.select().from(attachments).where(eq(attachments.meetingId, id))).length).toBe(0);
  });

  test('is its author’s alone while the comment is private, and everybody’s once it is published', async () => {
    const { id, cleo, say, openedBy } = await scene();
    const comment = await say(cleo, { private: true });
    const url = await sendFile(cleo, id, { comment });
    expect(await openedBy(url)).toBe('cleo');
    const { ben, ...other } = await scene();
    const open = await other.say(ben, { private: true });
    const shown = await sendFile(ben, other.id, { comment: open });
    expect(await other.openedBy(shown)).toBe('ben');
    await good(ben.post(`/api/meetings/${other.id}/outcomes/${open}/reveal/comment`));
    expect(await other.openedBy(shown)).toBe(everybody);
  });

  test('goes with the words of a comment that has replies', async () => {
    const { id, ann, ben, say, openedBy } = await scene();
    const comment = await say(ben);
    const url = await sendFile(ben, id, { comment });
    await say(ann, { parent: comment });
    await good(ben.delete(`/api/meetings/${id}/comments/${comment}`));
    expect(await openedBy(url)).toBe('');
  });

  test('does not appear on a comment of another person through a private one with the same id', async () => {
    const { id, ann, cleo, say, openedBy } = await scene();
    const comment = await say(ann);
    const room = `${id}/notes`;
    const own = new Editor({ room, at: () => house.origin, ticket: await ticketFor(cleo, room) });
    await until(() => own.provider.synced);
    const forged = {
      ...{ id: comment, rev: 1, start: 1, end: 2, anchor: null, quote: '', createdAt: '', editTimestamp: null },
      ...{ author: { id: cleo.id, kind: 'user' as const, name: 'Cleo' }, parent: null, text: 'x', resolved: null },
      ...{ url: null, private: true },
    };
    writeAnnotation(own.doc, 'comment', forged as never, 'private', 'forger');
    const { status, body } = await cleo.post(`/api/meetings/${id}/attachment`, undefined, fileForm({ comment }));
    if (status === 200) expect(await openedBy((body as { url: string }).url)).not.toContain('ann');
    else expect(status).toBe(422);
  });
});
