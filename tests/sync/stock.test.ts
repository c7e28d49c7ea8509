// A stock y-websocket client edits durably and gets no more than its session allows (sync/SPEC.md).
import * as encoding from 'lib0/encoding';
import { WebSocket } from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, share, ticketFor } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

let house: TestHouse;
let ann: Person;
let ben: Person;
const providers: WebsocketProvider[] = [];
const patient = { timeout: 60_000 };

/** The client from npm, with an address, a room and a ticket. */
async function join(person: Person, meeting: string, part = 'transcript') {
  const doc = new Y.Doc();
  const room = `${meeting}/${part}`;
  const provider = new WebsocketProvider(`${house.origin.replace('http', 'ws')}/sync`, room, doc, {
    params: { ticket: await ticketFor(person, room) },
    WebSocketPolyfill: WebSocket as never,
    disableBc: true,
  });
  providers.push(provider);
  await vi.waitFor(() => expect(provider.synced).toBe(true), patient);
  return { doc, provider, text: doc.getText('text') };
}

beforeAll(async () => {
  house = await openHouse();
  [ann, ben] = (await house.people(2)) as [Person, Person];
});
afterAll(async () => {
  for (const provider of providers) provider.destroy();
  await house.close();
});

describe('a stock y-websocket client', () => {
  it('syncs, edits, and finds it all again when it comes back', async () => {
    const meeting = await makeMeeting(house, ann);
    await share(house, meeting, ben, ['read', 'comment', 'write', 'discover']);
    const a = await join(ann, meeting);
    const b = await join(ben, meeting);
    a.text.insert(0, 'Hello');
    await vi.waitFor(() => expect(b.text.toString()).toBe('Hello'), patient);
    b.text.insert(5, ' there');
    await vi.waitFor(() => expect(a.text.toString()).toBe('Hello there'), patient);
    const late = await join(ben, meeting);
    expect(late.text.toString()).toBe('Hello there');
  });

  it('shows presence under the name of the session, not the claimed one', async () => {
    const meeting = await makeMeeting(house, ann);
    await share(house, meeting, ben, ['read', 'discover']);
    const a = await join(ann, meeting);
    const b = await join(ben, meeting);
    b.provider.awareness.setLocalState({ user: { name: 'Ann (CEO)', color: 'red' }, cursor: { anchor: 1, head: 2 } });
    await vi.waitFor(() => {
      const seen = a.provider.awareness.getStates().get(b.doc.clientID);
      expect(seen).toMatchObject({ user: { name: 'Ben Test' }, cursor: { anchor: 1, head: 2 } });
    }, patient);
  });

  it('cannot change a byte when it may only read', async () => {
    const meeting = await makeMeeting(house, ann);
    await share(house, meeting, ben, ['read', 'discover']);
    const a = await join(ann, meeting);
    a.text.insert(0, 'fixed');
    const b = await join(ben, meeting);
    b.text.insert(0, 'not ');
    a.text.insert(5, '!');
    await vi.waitFor(() => expect(b.text.toString()).toBe('not fixed!'), patient);
    expect(a.text.toString()).toBe('fixed!');
    expect((await join(ann, meeting)).text.toString()).toBe('fixed!');
  });

  it('is closed when its session ends', async () => {
    const meeting = await makeMeeting(house, ann);
    const a = await join(ann, meeting);
    const codes: number[] = [];
    a.provider.on('connection-close', (event: { code: number } | null) => event && codes.push(event.code));
    expect((await ann.post('/api/logout')).status).toBe(204);
    await vi.waitFor(() => expect(codes[0]).toBe(4401), patient);
  });

  it('P1: cannot crash the server by an empty presence', async () => {
    const meeting = await makeMeeting(house, await house.person('Chen'));
    await share(house, meeting, ben, ['read', 'discover']);
    const ticket = await ticketFor(ben, `${meeting}/transcript`);
    const socket = new WebSocket(`${house.origin.replace('http', 'ws')}/sync/${meeting}/transcript?ticket=${ticket}`);
    await new Promise((resolve) => socket.once('open', resolve));
    const presence = encoding.encode((encoder) => {
      encoding.writeVarUint(encoder, 1);
      encoding.writeVarUint8Array(
        encoder,
        encoding.encode((inner) => {
          encoding.writeVarUint(inner, 1);
          encoding.writeVarUint(inner, 4711);
          encoding.writeVarUint(inner, 1);
          encoding.writeVarString(inner, ' null');
        }),
      );
    });
    socket.send(presence);
    const late = await join(ben, meeting);
    expect(late.provider.synced).toBe(true);
    socket.close();
  });

  it('G1a: cannot keep a room from others by structures that hang on each other', async () => {
    const dana = await house.person('Dana');
    const meeting = await makeMeeting(house, dana);
    const d = await join(dana, meeting);
    d.text.insert(0, 'kept');
    const ticket = await ticketFor(dana, `${meeting}/transcript`);
    const socket = new WebSocket(`${house.origin.replace('http', 'ws')}/sync/${meeting}/transcript?ticket=${ticket}`);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    // Client 8's letter follows client 9's, and the other way round.
    socket.send(
      Buffer.from('00 02 12 02 01 09 00 84 08 00 01 78 01 08 00 84 09 00 01 79 00'.replaceAll(' ', ''), 'hex'),
    );
    expect(await closed).toBe(4400);
    expect((await join(dana, meeting)).text.toString()).toBe('kept');
    expect(d.provider.wsconnected).toBe(true);
  });
});
