// Section 3.5: who knocks at the socket door, and what they send once they are in.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { limits } from '#sync/protocol.ts';
import { makeMeeting, ticketFor } from '#tests/support/meetings.ts';
import { encodeFrame, opcode, type RawSocket, type Upgrade } from '#tests/support/raw-socket.ts';
import { asUpdate, one, struct } from './forge.ts';
import { cookiesOf } from './run.ts';
import { framesOf, headersOf, type DoorAttack, type Stage, type WireAttack } from './stage.ts';

const without = (name: string, given: Upgrade): Upgrade => {
  const { [name]: _, ...headers } = given.headers ?? {};
  return { ...given, headers };
};
const withHeaders = (given: Upgrade, headers: Record<string, string>): Upgrade => ({
  ...given,
  headers: { ...given.headers, ...headers },
});
const to = (path: string, { cast, person }: Stage): Upgrade => ({ path, headers: headersOf(cast.house, person) });
/** A program, or a browser without our cookie: a ticket is all it has. */
const byTicket = (stage: Stage, ticket: string): Upgrade => ({ path: `/sync/${stage.room}?ticket=${ticket}` });

const ticketOf = (stage: Stage): Promise<string> => {
  if (!stage.person) throw new Error('nobody to give a ticket to');
  return ticketFor(stage.person, stage.room);
};

// ---- At the door -------------------------------------------------------------------------------

const origins: DoorAttack[] = [
  ...['https://evil.example', 'null', 'http://localhost.evil.example', 'http://localhost:1', ''].map(
    (Origin): DoorAttack => ({
      id: 'E01',
      what: `the cookie, from a page of ${Origin || 'an empty origin'}`,
      as: 'writer',
      upgrade: (stage) => withHeaders(stage.upgrade(), { Origin }),
      expect: 403,
    }),
  ),
  {
    id: 'E01',
    what: 'the cookie, from an unknown origin',
    as: 'writer',
    upgrade: (stage) => without('Origin', stage.upgrade()),
    expect: 403,
  },
  {
    id: 'E01',
    what: 'a link that may write, from another site’s page',
    as: 'anonymous',
    upgrade: (stage) => withHeaders(stage.upgrade(), { Origin: 'https://evil.example' }),
    expect: 403,
  },
];

const places: DoorAttack[] = [
  { id: 'D2', what: 'a person who may not read it', as: 'stranger', upgrade: (stage) => stage.upgrade(), expect: 403 },
  {
    id: 'D2',
    what: 'a meeting that does not exist: the same',
    as: 'stranger',
    upgrade: (stage) => to('/sync/nothing/transcript', stage),
    expect: 403,
  },
  {
    id: 'D2',
    what: 'the notes of a meeting, by a person who has its link',
    as: 'anonymous',
    upgrade: (stage) => to(`/sync/${stage.meeting}/notes`, stage),
    expect: 403,
  },
  ...[
    '/sync',
    '/sync/',
    '/',
    '/api/sync/tickets',
    '/sync/a/b/c',
    '/sync/a/transcript/',
    '/sync//transcript',
    '/sync/%00/transcript',
    `/sync/${'a'.repeat(65)}/transcript`,
  ].map((path): DoorAttack => ({
    id: 'E10',
    what: `an upgrade of ${path.slice(0, 40)}`,
    as: 'writer',
    upgrade: (stage) => to(path, stage),
    expect: 404,
  })),
  ...['constructor', '__proto__', 'toString', 'Transcript', 'private'].map((part): DoorAttack => ({
    id: 'E10',
    what: `a part called ${part}`,
    as: 'writer',
    upgrade: (stage) => to(`/sync/${stage.meeting}/${part}`, stage),
    expect: 404,
  })),
];

const request = (stage: Stage, lines: readonly string[], first = `GET /sync/${stage.room} HTTP/1.1`): Upgrade => ({
  path: '',
  request: [
    first,
    `Host: 127.0.0.1`,
    ...Object.entries(headersOf(stage.cast.house, stage.person)).map(([name, value]) => `${name}: ${value}`),
    ...lines,
    '',
    '',
  ].join('\r\n'),
});
const key = `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`;
const handshake = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', key];
const handshakes: DoorAttack[] = [
  ...(
    [
      ['version 8 of the protocol with version 12’s name', handshake.map((line) => line.replace(': 13', ': 12')), 426],
      ['no version', handshake.filter((line) => !line.includes('Version')), 426],
      ['no key', handshake.filter((line) => line !== key), 400],
      ['a key that is none', [...handshake.filter((line) => line !== key), 'Sec-WebSocket-Key: abc'], 400],
      ['an extension called constructor', [...handshake, 'Sec-WebSocket-Extensions: constructor'], 101],
      ['an extension that is no name', [...handshake, 'Sec-WebSocket-Extensions: =;='], 101],
      ['a subprotocol that is no name', [...handshake, 'Sec-WebSocket-Protocol: =;='], 400],
    ] as const
  ).map(([what, lines, status]): DoorAttack => ({
    id: 'E10',
    what,
    as: 'writer',
    upgrade: (stage) => request(stage, lines),
    expect: status,
  })),
  {
    id: 'E10',
    what: 'an upgrade by POST',
    as: 'writer',
    upgrade: (stage) => request(stage, [...handshake, 'Content-Length: 0'], `POST /sync/${stage.room} HTTP/1.1`),
    expect: 400,
  },
  {
    id: 'E07',
    what: 'compression is offered by the client, and not taken',
    as: 'writer',
    upgrade: (stage) => withHeaders(stage.upgrade(), { 'Sec-WebSocket-Extensions': 'permessage-deflate' }),
    expect: 101,
    then: (_, { head }) => expect(head.toLowerCase()).not.toContain('permessage-deflate'),
  },
];

const tickets: DoorAttack[] = [
  {
    id: 'E03',
    what: 'the cookie’s value in the address',
    as: 'writer',
    upgrade: (stage) => ({
      path: `/sync/${stage.room}?colloquy=${cookiesOf(stage.cast.people.writer).split('=')[1]}&session=x`,
      headers: { Origin: stage.cast.house.origin },
    }),
    expect: 403,
  },
  {
    id: 'E03',
    what: 'a token for programs instead of a ticket',
    as: 'writer',
    upgrade: async (stage) => {
      const made = await stage.cast.people.writer.post('/api/tokens', { name: 'a program' });
      return byTicket(stage, (made.body as { token: string }).token);
    },
    expect: 401,
  },
  {
    id: 'E04',
    what: 'a ticket used again within its five minutes, which is allowed',
    as: 'writer',
    upgrade: async (stage) => {
      const upgrade = byTicket(stage, await ticketOf(stage));
      expect((await stage.dial(upgrade)).status).toBe(101);
      return upgrade;
    },
    expect: 101,
  },
  {
    id: 'E04',
    what: 'a ticket for another meeting',
    as: 'writer',
    upgrade: async (stage) => {
      const { house, people } = stage.cast;
      return byTicket(stage, await ticketFor(people.writer, `${await makeMeeting(house, people.writer)}/transcript`));
    },
    expect: 401,
  },
  {
    id: 'E04',
    what: 'a ticket for another part of the meeting',
    as: 'writer',
    upgrade: async (stage) => byTicket(stage, await ticketFor(stage.cast.people.writer, `${stage.meeting}/comments`)),
    expect: 401,
  },
  {
    id: 'E04',
    what: 'a ticket after five minutes',
    as: 'writer',
    upgrade: async (stage) => {
      const { house } = stage.cast;
      // The ticket is made earlier rather than used later: the rows beside this one go by the same clock.
      house.clock.forward(-301);
      try {
        return byTicket(stage, await ticketOf(stage));
      } finally {
        house.clock.forward(301);
      }
    },
    expect: 401,
  },
  {
    id: 'E04',
    what: 'a ticket after signing out',
    as: 'writer',
    upgrade: async (stage) => {
      const { house } = stage.cast;
      const mine = await house.person('Olga');
      const meeting = await makeMeeting(house, mine);
      const ticket = await ticketFor(mine, `${meeting}/transcript`);
      expect((await mine.post('/api/logout')).status).toBe(204);
      return { path: `/sync/${meeting}/transcript?ticket=${ticket}` };
    },
    expect: 401,
  },
  {
    id: 'E04',
    what: 'a ticket after its token for programs is gone',
    as: 'writer',
    upgrade: async (stage) => {
      const { house } = stage.cast;
      const mine = await house.person('Olga');
      const meeting = await makeMeeting(house, mine);
      const made = await mine.post('/api/tokens', { name: 'a program' });
      const { token, id } = made.body as { token: string; id: string };
      const program = house.stranger();
      program.token = token;
      const ticket = await ticketFor(program, `${meeting}/transcript`);
      expect((await mine.delete(`/api/tokens/${id}`)).status).toBe(204);
      return { path: `/sync/${meeting}/transcript?ticket=${ticket}` };
    },
    expect: 401,
  },
  {
    id: 'E04',
    what: 'a ticket after everything was taken from its holder',
    as: 'writer',
    upgrade: async (stage) => {
      const ticket = await ticketOf(stage);
      const { house, people } = stage.cast;
      await house.database.sql`
        delete from meeting_access where meeting_id = ${stage.meeting} and principal_id = ${people.writer.id}`;
      return byTicket(stage, ticket);
    },
    expect: 403,
  },
  ...(
    [
      [
        'another letter',
        (ticket: string) => `${ticket.slice(0, -2)}${ticket.at(-2) === 'A' ? 'B' : 'A'}${ticket.at(-1)}`,
      ],
      ['nothing behind the last dot', (ticket: string) => ticket.slice(0, ticket.lastIndexOf('.') + 1)],
      ['no signature asked for', (ticket: string) => `eyJhbGciOiJub25lIn0.${ticket.split('.')[1]}.`],
    ] as const
  ).map(([what, forge]): DoorAttack => ({
    id: 'E04',
    what: `a ticket with ${what}`,
    as: 'writer',
    upgrade: async (stage) => byTicket(stage, forge(await ticketOf(stage))),
    expect: 401,
  })),
  {
    id: 'G25',
    what: 'a document of an older generation',
    as: 'writer',
    upgrade: (stage) => stage.upgrade('?generation=0'),
    expect: 101,
    code: 4409,
  },
  {
    id: 'G25',
    what: 'a generation that is no number',
    as: 'writer',
    upgrade: (stage) => stage.upgrade('?generation=abc'),
    expect: 101,
    code: 4409,
  },
  {
    id: 'G25',
    what: 'a page of another version of ours',
    as: 'writer',
    upgrade: (stage) => stage.upgrade('?schema=0'),
    expect: 101,
    code: 4409,
  },
];

export const doorAttacks: DoorAttack[] = [...origins, ...places, ...handshakes, ...tickets];

// ---- In the room -------------------------------------------------------------------------------

const honest = asUpdate(one(4711, struct.string({ root: 'text' }, 'abc')));

/** Sends until the other side has had enough, at most so often. */
async function flood(socket: RawSocket, bytes: Uint8Array, times: number): Promise<void> {
  for (let i = 0; i < times && !socket.closed; i += 1) {
    if (!socket.write(bytes)) await socket.drained();
    // Lets messages of the other side arrive.
    if (i % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
const many = (bytes: Uint8Array, times: number): Buffer => Buffer.concat(Array.from({ length: times }, () => bytes));

/** A row for every kind of person: what is wrong with a frame does not hang on who sent it. */
const frame = (what: string, bytes: () => Uint8Array, code: number, id = 'E07'): WireAttack => ({
  id,
  what,
  as: ['reader', 'writer'],
  attack: (socket) => void socket.write(bytes()),
  expect: code,
});

export const socketAttacks: WireAttack[] = [
  frame('a message of 1 MiB and a byte', () => encodeFrame({ payload: Buffer.alloc(limits.frameBytes + 1) }), 1009),
  frame('a message of 1 MiB that is none', () => encodeFrame({ payload: Buffer.alloc(limits.frameBytes, 0x7f) }), 4400),
  frame('a header that says 8 EiB', () => encodeFrame({ claims: Number.MAX_SAFE_INTEGER }), 1009),
  frame(
    'two halves that are too much together',
    () =>
      Buffer.concat([
        encodeFrame({ fin: false, payload: Buffer.alloc(limits.frameBytes) }),
        encodeFrame({ opcode: opcode.more, payload: Buffer.alloc(1) }),
      ]),
    1009,
  ),
  frame('words', () => encodeFrame({ opcode: opcode.text, payload: Buffer.from('{"a":1}') }), 4400),
  frame(
    'words that are no UTF-8',
    () => encodeFrame({ opcode: opcode.text, payload: Buffer.from([0xc3, 0x28]) }),
    1007,
  ),
  frame('no words', () => encodeFrame({ opcode: opcode.text }), 4400),
  frame('nothing', () => encodeFrame({}), 4400),
  frame('a frame without a mask', () => encodeFrame({ masked: false, payload: honest }), 1002),
  ...[1, 2, 4, 7].map((reserved) =>
    frame(`reserved bits ${reserved}`, () => encodeFrame({ reserved, payload: honest }), 1002),
  ),
  ...[3, 7, 11, 15].map((kind) => frame(`a frame of kind ${kind}`, () => encodeFrame({ opcode: kind }), 1002)),
  frame('a ping in pieces', () => encodeFrame({ opcode: opcode.ping, fin: false }), 1002),
  frame('a ping of 126 bytes', () => encodeFrame({ opcode: opcode.ping, payload: Buffer.alloc(126) }), 1002),
  frame('the rest of nothing', () => encodeFrame({ opcode: opcode.more, payload: honest }), 1002),
  frame(
    'a message within a message',
    () => Buffer.concat([encodeFrame({ fin: false, payload: honest }), encodeFrame({ payload: honest })]),
    1002,
  ),
  ...[1005, 1006, 999, 5000].map((code) =>
    frame(
      `a close with the code ${code}`,
      () => {
        const payload = Buffer.alloc(2);
        payload.writeUInt16BE(code);
        return encodeFrame({ opcode: opcode.close, payload });
      },
      1002,
    ),
  ),
  frame('a close of one byte', () => encodeFrame({ opcode: opcode.close, payload: Buffer.alloc(1) }), 1002),
  {
    id: 'E07',
    what: 'a message in a million pieces of a byte',
    as: ['reader', 'writer'],
    attack: async (socket) => {
      socket.frame({ fin: false, payload: Buffer.of(0) });
      await flood(socket, many(encodeFrame({ opcode: opcode.more, fin: false, payload: Buffer.of(0) }), 1000), 1000);
    },
    expect: 1008,
  },
  {
    id: 'E07',
    what: 'a message in a million empty pieces',
    as: ['reader', 'writer'],
    attack: async (socket) => {
      socket.frame({ fin: false, payload: Buffer.of(0) });
      await flood(socket, many(encodeFrame({ opcode: opcode.more, fin: false }), 1000), 1000);
    },
    expect: 1008,
  },
  ...(['ping', 'pong'] as const).map((kind): WireAttack => ({
    id: 'E08',
    what: `a flood of ${kind}s`,
    as: ['reader', 'writer'],
    // No more than it takes: what follows a close would reset the connection, and the code be lost with it.
    attack: (socket) =>
      void socket.write(many(encodeFrame({ opcode: opcode[kind] }), 3 * limits.controlFramesPerSecond)),
    expect: 4429,
  })),
  {
    id: 'E08',
    what: 'a hundred thousand empty frames',
    as: ['reader', 'writer'],
    attack: (socket) => flood(socket, many(encodeFrame({}), 100), 1000),
    expect: 4400,
  },
  {
    id: 'E08',
    what: 'so many messages of a byte that they are a flood',
    as: ['reader', 'writer'],
    attack: (socket) => void socket.write(many(encodeFrame({ payload: Buffer.of(3) }), 20_000)),
    expect: 4429,
  },
];

/** Messages that an impatient page sends together with its upgrade. */
export const inOneBreath = (stage: Stage, count: number): Upgrade => {
  const { headers } = stage.upgrade();
  // This part was never opened, so opening it needs the database.
  const path = `/sync/${stage.meeting}/comments`;
  const lines = Object.entries({ ...headers, Host: '127.0.0.1' }).map(([name, value]) => `${name}: ${value}`);
  const head = `GET ${path} HTTP/1.1\r\n${[...handshake, ...lines].join('\r\n')}\r\n\r\n`;
  const question = encodeFrame({ payload: Buffer.of(0, 0, 1, 0) });
  return { path, request: Buffer.concat([Buffer.from(head), many(question, count)]).toString('latin1') };
};

export const answered = (socket: RawSocket): number => framesOf(socket).filter(({ kind }) => kind === 'state').length;
