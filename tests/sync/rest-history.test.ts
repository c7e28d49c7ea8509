// Programs edit a live document over REST while people type in it, at two processes, over connections that break: the
// answers are compared with the log.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readRows } from '#db/updates.ts';
import type { Running } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import type { MeetingView } from '#shared/meetings/meeting.ts';
import { editSegments } from '#shared/meetings/edits.ts';
import { merge, readSegments, replaceRanges, split } from '#shared/meetings/transcript.ts';
import { Chance } from '../sim/chance.ts';
import { closeEditors, Editor, until } from '../support/editors.ts';
import { openBeside, openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, ticketFor } from '../support/meetings.ts';
import type { Answer, Person } from '../support/people.ts';
import { openProxy, type FaultProxy } from '../support/proxy.ts';
import { statesOf, wrongIn, type Call, type Outcome } from './rest-history.ts';

let house: TestHouse;
let other: Running;
let proxy: FaultProxy;
beforeAll(async () => {
  house = await openHouse();
  other = await openBeside(house);
  proxy = await openProxy(house.port);
});
afterEach(closeEditors);
afterAll(async () => {
  await proxy?.close();
  await other?.stop();
  await house?.close();
});

const reads = 5;
const editsEach = 12;
/** REST_SEEDS=20 looks further. */
const seeds = Array.from({ length: Number(process.env['REST_SEEDS'] ?? 1) }, (_, i) => i + 1);

async function makeText(person: Person): Promise<string> {
  const id = await makeMeeting(house, person);
  await house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) =>
    replaceRanges(
      doc,
      [
        {
          at: 0,
          remove: 0,
          insert: ['one', 'two', 'three', 'four'].flatMap((word, i) => [{ s: `s${i}`, p: '' }, word]),
        },
      ],
      'test',
    ),
  );
  return id;
}

/** A token at the beginning or the end of some segment; now and then a segment more or less. */
function type(editor: Editor, chance: Chance, token: string): void {
  const { doc } = editor;
  const segments = readSegments(doc);
  const { start: at, text, id } = chance.pick(segments);
  const what = chance.next();
  if (what < 0.1) split(doc, at, 'hands');
  else if (what < 0.2 && text === '' && id !== null) merge(doc, id, 'hands');
  else
    replaceRanges(
      doc,
      [{ at: chance.happens(0.5) ? at : at + text.length, remove: 0, insert: [`[${token}]`] }],
      'hands',
    );
}

async function history(seed: number) {
  const chance = new Chance(seed);
  const ann = await house.person();
  const id = await makeText(ann);
  const path = `/api/meetings/${id}`;
  const calls: Call[] = [];
  let clock = 0;
  let over = false;
  let lost = 0;

  const hands = [house.port, other.port].map(async (port, nth) => {
    const room = `${id}/transcript`;
    const ticket = await ticketFor(ann, room);
    const editor = new Editor({ room, at: () => `http://127.0.0.1:${port}`, ticket });
    await until(() => editor.provider.synced);
    for (let i = 0; !over; i += 1) {
      type(editor, chance, `hand${nth}.${i}`);
      await new Promise((resolve) => setTimeout(resolve, chance.between(10, 60)));
    }
    await until(() => editor.provider.synced && editor.provider.pending === 0);
  });

  const program = async (who: string, person: Person, loses: boolean) => {
    let seen: MeetingView | null = null;
    const read = async (): Promise<MeetingView> => {
      const began = (clock += 1);
      let answer = await person.by(other.port).get(path);
      // A busy server asks to come again.
      while (answer.status === 503) answer = await person.by(other.port).get(path);
      expect(answer.status, answer.text).toBe(200);
      const view = answer.body as MeetingView;
      const texts = view.doc.transcript.segments.map(({ text }) => text);
      calls.push({ who, kind: 'read', began, ended: (clock += 1), version: view.version, texts });
      return view;
    };
    let made = false;
    const edit = async (i: number, latest: boolean) => {
      // Mostly a version read a while ago.
      if (latest || !seen || chance.happens(0.6)) seen = await read();
      const { segments } = seen.doc.transcript;
      const pos = chance.between(0, segments.length - 1);
      const { id: segment, text: old } = segments[pos] ?? { id: null, text: '' };
      const token = `${who}.${i}`;
      const wanted = {
        pos: chance.happens(0.5) || segment === null ? pos : segment,
        old,
        new: `${old}[${token}]`,
        version: seen.version,
      };
      const requestId = newId();
      const began = (clock += 1);
      let outcome: Outcome = 'unknown';
      // A program without an answer asks again under the same id, or never.
      for (let tries = 0; outcome === 'unknown' && tries < (chance.happens(0.5) ? 3 : 1); tries += 1) {
        if (loses && tries === 0 && chance.happens(0.5))
          proxy.cutAfter(chance.between(1, 200), chance.pick(['up', 'down']), 'rst');
        // The line goes elsewhere, the page is the house's.
        const headers = { 'X-Request-ID': requestId, Origin: loses ? house.origin : person.origin };
        const answer = await person.post(`${path}/edit`, wanted, { headers }).catch(() => null);
        if (answer === null) lost += 1;
        else expect([200, 409, 422, 503]).toContain(answer.status);
        outcome = outcomeOf(answer);
      }
      calls.push({
        who,
        kind: 'edit',
        token,
        segment: segment ?? '',
        old,
        new: wanted.new,
        began,
        ended: (clock += 1),
        outcome,
      });
      made ||= outcome !== 'unknown' && 'made' in outcome;
    };
    for (let i = 0; i < editsEach; i += 1) await edit(i, false);
    for (let i = 0; i < reads; i += 1) await read();
    /** Runs last: if people were always quicker before, an edit succeeds once they stop typing. */
    return async () => {
      for (let i = editsEach; !made; i += 1) await edit(i, true);
    };
  };
  const [lossy] = await Promise.all([
    program('lossy', ann.by(proxy.port), true),
    program('here', ann, false),
    program('there', ann.by(other.port), false),
  ]);
  over = true;
  await Promise.all(hands);
  await lossy();
  const { version } = (await ann.get(path)).body as MeetingView;
  const rows = await readRows(house.database.sql, `${id}/transcript`, 1, 0, version);
  return { calls, states: statesOf(rows), id, ann, lost };
}

function outcomeOf(answer: Answer | null): Outcome {
  if (answer?.status === 200) return { made: answer.body.version as number };
  if (answer?.status === 409) return { refused: answer.problem.info['version'] as number };
  // The place may not exist in that version; then nothing was tried.
  if (answer?.status === 422) return { refused: 0 };
  return 'unknown';
}

describe('the answers programs get about a document that people type in', () => {
  for (const seed of seeds)
    test(`are true, each edit made once (seed ${seed})`, async () => {
      const { calls, states, lost } = await history(seed);
      const edits = calls.flatMap((call) => (call.kind === 'edit' ? [call.outcome] : []));
      expect(wrongIn(calls, states), `SEED=${seed}`).toEqual([]);
      // Something of each kind happened, or nothing was shown.
      const kinds = new Set(edits.map((outcome) => (outcome === 'unknown' ? outcome : Object.keys(outcome)[0])));
      expect([...kinds]).toEqual(expect.arrayContaining(['made', 'refused']));
      expect(lost).toBeGreaterThan(0);
      const lossy = calls.filter(({ who, kind }) => who === 'lossy' && kind === 'edit');
      expect(lossy.some((call) => call.kind === 'edit' && call.outcome !== 'unknown' && 'made' in call.outcome)).toBe(
        true,
      );
      expect(edits.length).toBeGreaterThanOrEqual(3 * editsEach);
      expect(states.length).toBeGreaterThan(edits.length);
    });

  test('are noticed where they are not', async () => {
    const { calls, states, id, ann } = await history(1000);
    expect(wrongIn(calls, states)).toEqual([]);
    const made = calls.find((call) => call.kind === 'edit' && call.outcome !== 'unknown' && 'made' in call.outcome);
    const read = calls.findLast((call) => call.kind === 'read');
    if (made?.kind !== 'edit' || read?.kind !== 'read') throw new Error('nothing happened');
    const instead = (one: Call, other: Call) => calls.map((call) => (call === one ? other : call));
    const version = (made.outcome as { made: number }).made;
    const lies: Record<string, Call[]> = {
      'an edit is acknowledged and not there': instead(made, { ...made, token: 'nowhere' }),
      'an edit is refused and there': instead(made, { ...made, outcome: { refused: version } }),
      'an edit was made of another text': instead(made, { ...made, old: `${made.old}x` }),
      'an edit was made at another version': instead(made, { ...made, outcome: { made: version + 1 } }),
      'an old state is read': instead(read, { ...read, version: 1, texts: [...(states[1]?.values() ?? [])] }),
      'a state is read that never was': instead(read, { ...read, texts: [...read.texts, 'more'] }),
    };
    const found = Object.entries(lies).map(([lie, told]) => [lie, wrongIn(told, states).length > 0]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(Object.keys(lies).map((lie) => [lie, true])));

    // A write not judged by what is stored, such as by a process that is behind.
    const before = (await ann.get(`/api/meetings/${id}`)).body as MeetingView;
    const { id: segment, text: old } = before.doc.transcript.segments[0] ?? { id: null, text: '' };
    await ann.post(`/api/meetings/${id}/edit`, { pos: 0, old, new: `${old}[first]`, version: before.version });
    await house.house.rooms.change(id, 'transcript', { userId: ann.id, origin: 'test' }, (doc) =>
      editSegments(doc, [{ pos: 0, old: `${old}[first]`, new: `${old}[blind]` }], () => null, 'test'),
    );
    const rows = await readRows(house.database.sql, `${id}/transcript`, 1, 0, before.version + 2);
    const blind: Call = {
      who: 'blind',
      kind: 'edit',
      token: 'blind',
      segment: segment ?? '',
      old,
      new: `${old}[blind]`,
      began: 0,
      ended: 1,
      outcome: { made: before.version + 2 },
    };
    expect(wrongIn([blind], statesOf(rows))).toEqual(['blind: made of another text than it named']);
  });
});

test('an edit saved over a socket is in the next read at any process, with a version that includes it (D9)', async () => {
  const ann = await house.person();
  const id = await makeText(ann);
  const ticket = await ticketFor(ann, `${id}/transcript`);
  const editor = new Editor({ room: `${id}/transcript`, at: () => house.origin, ticket });
  await until(() => editor.provider.synced);
  let last = 0;
  for (let i = 0; i < 10; i += 1) {
    replaceRanges(editor.doc, [{ at: 1, remove: 0, insert: [`[d9.${i}]`] }], 'hands');
    await until(() => editor.provider.pending === 0);
    for (const reader of [ann, ann.by(other.port)]) {
      const { version, doc } = (await reader.get(`/api/meetings/${id}`)).body as MeetingView;
      expect(doc.transcript.segments[0]?.text).toContain(`[d9.${i}]`);
      expect(version).toBeGreaterThanOrEqual(last + (reader === ann ? 1 : 0));
      last = version;
    }
  }
});
