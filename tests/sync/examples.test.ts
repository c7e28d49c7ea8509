// The examples for programs, run while a person types.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readSegments, replaceRanges } from '#shared/meetings/transcript.ts';
import { closeEditors, Editor, until } from '../support/editors.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, ticketFor } from '../support/meetings.ts';
import { endProcesses, run } from '../support/processes.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => {
  closeEditors();
  endProcesses();
});
afterAll(() => house?.close());

test('a word is corrected throughout a recording that a person is typing in, and no letter of theirs is lost', async () => {
  const ann = await house.person();
  const id = await makeMeeting(house, ann);
  const segments = Array.from({ length: 12 }, (_, i) => `so ${i} teh cat and teh dog`);
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) => {
    const insert = segments.flatMap((text, i) => [{ s: `s${i}`, p: '' }, text]);
    replaceRanges(doc, [{ at: 0, remove: 0, insert }], 'test');
  });
  const { token } = (await ann.post('/api/tokens', { name: 'an example' })).body as { token: string };
  const ticket = await ticketFor(ann, `${id}/transcript`);
  const editor = new Editor({ room: `${id}/transcript`, at: () => house.origin, ticket });
  await until(() => editor.provider.synced);

  let typed = 0;
  const type = (place: number) => {
    replaceRanges(
      editor.doc,
      [{ at: readSegments(editor.doc)[place]?.start ?? 0, remove: 0, insert: [`${typed} `] }],
      'hands',
    );
    typed += 1;
  };
  const typing = setInterval(() => type(typed % segments.length), 50);
  // Once the first word is corrected, the last one differs from the text the program has read.
  let first = true;
  editor.text.observe((_event, transaction) => {
    if (transaction.local || !first || !readSegments(editor.doc)[0]?.text.includes('the cat')) return;
    first = false;
    queueMicrotask(() => type(segments.length - 1));
  });
  const command = run('scripts/examples/correct.ts', { TOKEN: token }, { arguments: [house.origin, id, 'teh', 'the'] });
  const said = await command.heard(/corrected/);
  clearInterval(typing);
  expect(await command.ended).toBe(0);

  await until(() => editor.provider.pending === 0);
  const { doc } = (await ann.get(`/api/meetings/${id}`)).body as {
    doc: { transcript: { segments: { text: string }[] } };
  };
  const texts = doc.transcript.segments.map(({ text }) => text);
  expect(said).toMatch(/^12 corrected, [1-9]\d* times somebody else was quicker$/);
  for (const [i, text] of texts.entries()) expect(text).toMatch(new RegExp(`^(\\d+ )*so ${i} the cat and the dog$`));
  const numbers = texts.flatMap((text) => (/^(\d+ )*(?=so)/.exec(text)?.[0] ?? '').split(' ').filter(Boolean));
  expect(numbers.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: typed }, (_, i) => i));
});

test('a word is corrected live as a person types it, and stored', async () => {
  const ann = await house.person();
  const id = await makeMeeting(house, ann);
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) => {
    const insert = [{ s: 's0', p: '' }, 'so teh dog ', { s: 's1', p: '' }, 'tehran'];
    replaceRanges(doc, [{ at: 0, remove: 0, insert }], 'test');
  });
  const { token } = (await ann.post('/api/tokens', { name: 'an example' })).body as { token: string };
  const ticket = await ticketFor(ann, `${id}/transcript`);
  const editor = new Editor({ room: `${id}/transcript`, at: () => house.origin, ticket });
  await until(() => editor.provider.synced);

  const command = run('scripts/examples/live.ts', { TOKEN: token }, { arguments: [house.origin, id, 'teh', 'the'] });
  await until(() => editor.text.toString().startsWith('so the dog'));
  for (const letter of 'and teh cat ') {
    const [first] = readSegments(editor.doc);
    if (!first) throw new Error('the first paragraph is gone');
    const at = first.start + first.text.length;
    replaceRanges(editor.doc, [{ at, remove: 0, insert: [letter] }], 'hands');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await until(() => editor.text.toString().includes('the cat'));
  await command.heard(/^all corrections are stored$/);
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(0);

  const { doc } = (await ann.get(`/api/meetings/${id}`)).body as {
    doc: { transcript: { segments: { text: string }[] } };
  };
  expect(doc.transcript.segments.map(({ text }) => text)).toEqual(['so the dog and the cat ', 'tehran']);
});
