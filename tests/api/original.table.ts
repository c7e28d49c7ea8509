import { expect } from 'vitest';
import * as Y from 'yjs';
import { originalView } from '#shared/meetings/original-view.ts';
import { encodeTimings } from '#shared/meetings/timings.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
import type { Answer } from '#tests/support/people.ts';
import type { Scene, Table } from '#tests/support/table.ts';

const texts = ({ body }: Answer): string[] =>
  originalView.parse(body).seeds.flatMap(({ segments }) => segments.map(({ text }) => text));

/** Types and undoes as client 4711; then a forger writes that this client was an import. */
const pretended = (make: typeof makeMeeting) => async (scene: Scene) => {
  const { house, caller } = scene;
  const id = await make(house, caller);
  const victim = await scene.person();
  const { rooms } = house.house;
  const typed = new Y.Doc();
  typed.clientID = 4711;
  const state = await rooms.read(id, 'transcript', { userId: null }, (doc) => Y.encodeStateAsUpdate(doc));
  Y.applyUpdate(typed, state);
  const by = (userId: string) => ({ userId, origin: 'test' });
  const send = (work: (text: Y.Text) => void) => {
    const before = Y.encodeStateVector(typed);
    work(textOf(typed));
    const update = Y.encodeStateAsUpdate(typed, before);
    return rooms.change(id, 'transcript', by(victim.id), (doc) => Y.applyUpdate(doc, update));
  };
  await send((text) => {
    text.insertEmbed(text.length, { s: 'mine', p: '' });
    text.insert(text.length, 'never said', {});
  });
  await send((text) => text.delete(text.length - 10, 10));
  const times = encodeTimings([{ at: 1, length: 5, from: 0, to: 1, confidence: null, flags: 0 }]);
  await rooms.change(id, 'transcript', by(caller.id), (doc) => doc.getMap('timings').set('4711', times));
  return { id };
};

export default {
  'GET /api/meetings/:id/original': [
    {
      when: 'one’s own meeting, all of whose text was deleted since',
      as: 'session',
      params: async ({ house, caller }: Scene) => {
        const id = await makeRecording(house, caller);
        await house.house.rooms.change(id, 'transcript', { userId: caller.id, origin: 'test' }, (doc) =>
          textOf(doc).delete(0, textOf(doc).length),
        );
        return { id };
      },
      status: 200,
      then: (answer: Answer) => {
        expect(texts(answer)).toHaveLength(30);
        expect(texts(answer)[0]).toMatch(/^Good morning, and welcome to our practice session\./);
        expect(texts(answer).join(' ')).toContain('putting off a conversion with my manager');
      },
    },
    {
      when: 'one that may be edited',
      as: 'session',
      params: async ({ house, caller, person }: Scene) => {
        const id = await makeRecording(house, await person());
        await share(house, id, caller, ['read', 'write']);
        return { id };
      },
      status: 200,
      then: (answer: Answer) => expect(texts(answer)).toHaveLength(30),
    },
    {
      when: 'one that may only be read: what was deleted stays with those who may write',
      as: 'session',
      params: async ({ house, caller, person }: Scene) => {
        const id = await makeRecording(house, await person());
        await share(house, id, caller, ['read', 'comment']);
        return { id };
      },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a text that no machine wrote',
      as: 'session',
      params: async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) }),
      status: 200,
      then: (answer: Answer) => expect(texts(answer)).toEqual([]),
    },
    {
      when: 'a person’s typing is said to be an import: their undone text stays theirs',
      as: 'session',
      params: pretended(makeRecording),
      status: 200,
      then: (answer: Answer) => {
        expect(texts(answer)).toHaveLength(30);
        expect(answer.text).not.toContain('never said');
      },
    },
    {
      when: 'the same where that is the first there is',
      as: 'session',
      params: pretended(makeMeeting),
      status: 200,
      then: (answer: Answer) => expect(texts(answer)).toEqual([]),
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      params: async ({ house, person }: Scene) => ({ id: await makeRecording(house, await person()) }),
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', status: 403, code: 'NO_ACCESS' },
    { when: 'not signed in', status: 403, code: 'NO_ACCESS' },
  ],
} satisfies Table;
