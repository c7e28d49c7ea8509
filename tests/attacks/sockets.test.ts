// Section 3.5, row by row: the socket door, what is sent through it, and access that ends while a socket is open.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eq } from 'drizzle-orm';
import { apiTokens, sessions, users } from '#db/schema/accounts.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { limits, writeFrame } from '#sync/protocol.ts';
import { share, ticketFor } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';
import type { RawSocket } from '#tests/support/raw-socket.ts';
import { asUpdate, one, struct } from './forge.ts';
import { answered, doorAttacks, inOneBreath, socketAttacks } from './sockets.ts';
import { attempt, framesOf, headersOf, knock, openCast, Stage, type Cast } from './stage.ts';

let cast: Cast;
beforeAll(async () => {
  cast = await openCast();
});
afterAll(() => cast.house.close());

describe.concurrent('at the door', () => {
  for (const attack of doorAttacks) test(`${attack.id} ${attack.what}`, () => knock(attack, cast));
});

describe.concurrent('in the room', () => {
  for (const attack of socketAttacks)
    for (const actor of attack.as ?? [])
      test(`${attack.id} ${attack.what}: ${actor}`, () => attempt(attack, cast, actor));
});

/** Runs on a stage that ends with the test, whether it passes or fails. */
async function on(actor: Parameters<typeof Stage.set>[1], work: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await Stage.set(cast, actor);
  try {
    await work(stage);
    await stage.stillServed();
  } finally {
    stage.leave();
  }
}

describe.concurrent('too much at once', () => {
  test('E02 ten messages wait for the room, and are answered', () =>
    on('writer', async (stage) => {
      const socket = await stage.dial(inOneBreath(stage, 10));
      await socket.until(() => answered(socket) === 10 || socket.closed);
      expect(socket.closeCode).toBeNull();
    }));

  test('E02 eleven messages before the room is open', () =>
    on('writer', async (stage) => {
      const before = await stage.state();
      const socket = await stage.dial(inOneBreath(stage, 11));
      expect(await socket.untilClosed()).toBe(4400);
      // The other part has a row of its own by now, because the first person to open it makes one.
      const { rooms: _, ...rest } = await stage.state();
      expect(before).toMatchObject(rest);
    }));

  test('E06 sockets of twenty pages of one person, however quickly they come, and no more', () =>
    on('writer', async (stage) => {
      const somebody = await cast.house.person('Greg');
      await share(cast.house, stage.meeting, somebody, ['read']);
      const dial = () => stage.dial(stage.upgrade('', somebody));
      const all = await Promise.all(Array.from({ length: 2 * limits.socketsPerUser }, dial));
      const inside = all.filter(({ status }) => status === 101);
      expect(inside).toHaveLength(limits.socketsPerUser);
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([101, 429]));
      // Leaving makes room.
      inside[0]?.destroy();
      let status = 429;
      while (status === 429) ({ status } = await dial());
      expect(status).toBe(101);
    }));

  test('E06 sockets of fifty pages of one address without a session, and no more', () =>
    on('anonymous', async (stage) => {
      const upgrade = stage.upgrade('', null);
      const all = await Promise.all(Array.from({ length: limits.socketsPerAddress + 5 }, () => stage.dial(upgrade)));
      expect(all.filter(({ status }) => status === 101)).toHaveLength(limits.socketsPerAddress);
      expect(all.filter(({ status }) => status === 429)).toHaveLength(5);
      expect((await stage.dial(stage.upgrade('', null))).status).toBe(101);
    }));

  test('E09 a client that reads nothing is cut, and keeps nobody waiting', () =>
    on('reader', async (stage) => {
      const socket = await stage.enter();
      socket.socket.pause();
      // More than the kernel buffers for a socket that is not read; each round replaces the one before it.
      const value = 'x'.repeat(60_000);
      const writers = await Promise.all([1, 2, 3, 4, 5].map(() => stage.guest(cast.people.writer)));
      for (let round = 0; round < 5; round += 1)
        for (const [n, writer] of writers.entries()) {
          writer.doc.transact(() => {
            for (let i = 0; i < 12; i += 1) writer.doc.getMap('about').set(`${n} ${i}`, round + value);
          });
          await writer.allSaved();
        }
      // Everything sent in time can still be read; then the line is dead, without a close code. Small steps, because
      // the check that cuts it runs late while this process is busy.
      for (let ms = 0; ms < limits.sendStallMs + 2000; ms += 100)
        await new Promise((resolve) => setTimeout(resolve, 100));
      socket.socket.resume();
      await socket.until(() => socket.ended);
      expect(socket.closeCode).toBeNull();
    }));
});

/** Each row has a person of its own, so that its loss affects no other row. */
interface Loss {
  what: string;
  /** Close code, or `denied` if only writing is refused from then on. */
  expect: number | 'denied';
  by?: 'session' | 'token';
  take: (stage: Stage, person: Person) => Promise<unknown>;
}

const losses: Loss[] = [
  {
    what: 'the role is lowered to reading',
    expect: 'denied',
    take: (stage, person) => share(cast.house, stage.meeting, person, ['read']),
  },
  {
    what: 'the entry is taken away',
    expect: 4403,
    take: (_, person) => cast.house.database.orm.delete(meetingAccess).where(eq(meetingAccess.principalId, person.id)),
  },
  { what: 'signed out', expect: 4401, take: (_, person) => person.post('/api/logout') },
  {
    what: 'the password is reset, which ends all sessions',
    expect: 4401,
    take: async (_, person) => {
      await cast.house.stranger().post('/api/reset', { email: person.email });
      const token = await cast.house.tokenFor(person.email, '/reset');
      const password = 'another horse battery';
      const answer = await cast.house.stranger().post(`/api/reset/${token}`, { password, passwordConfirm: password });
      expect(answer.status, answer.text).toBeLessThan(300);
    },
  },
  {
    what: 'the session’s row is gone, for any reason',
    expect: 4401,
    take: (_, person) => cast.house.database.orm.delete(sessions).where(eq(sessions.userId, person.id)),
  },
  {
    what: 'the token for programs is revoked',
    expect: 4401,
    by: 'token',
    take: (_, person) => cast.house.database.orm.delete(apiTokens).where(eq(apiTokens.userId, person.id)),
  },
  {
    what: 'the account is deleted',
    expect: 4401,
    take: (_, person) => cast.house.database.orm.delete(users).where(eq(users.id, person.id)),
  },
];

async function newcomer(stage: Stage, by: 'session' | 'token'): Promise<{ person: Person; socket: RawSocket }> {
  const person = await cast.house.person('Lara');
  await share(cast.house, stage.meeting, person, ['read', 'comment', 'write']);
  let { headers, path } = stage.upgrade('?saved=1', person);
  if (by === 'token') {
    const made = await person.post('/api/tokens', { name: 'a program' });
    const program = cast.house.stranger();
    program.token = (made.body as { token: string }).token;
    path = `/sync/${stage.room}?saved=1&ticket=${await ticketFor(program, stage.room)}`;
    headers = {};
  }
  for (;;) {
    const socket = await stage.dial({ path, ...(headers ? { headers } : {}) });
    await socket.until(() => framesOf(socket).some(({ kind }) => kind === 'ask') || socket.closed);
    if (socket.closeCode !== 1012) return { person, socket };
  }
}

const letter = (client: number) => asUpdate(one(client, struct.string({ root: 'text' }, 'x')));
const saved = (socket: RawSocket, count: number) => () =>
  socket.closed || framesOf(socket).some((frame) => frame.kind === 'saved' && frame.count === count);

describe.concurrent('access that ends', () => {
  for (const loss of losses)
    test(`E11 ${loss.what}`, async () => {
      let dropped = false;
      const once = async (stage: Stage) => {
        const { person, socket } = await newcomer(stage, loss.by ?? 'session');
        socket.send(letter(4711));
        await socket.until(saved(socket, 1));
        expect(socket.closeCode).toBeNull();
        const before = await stage.state();

        await loss.take(stage, person);
        if (typeof loss.expect === 'number') expect(await socket.untilClosed()).toBe(loss.expect);
        else {
          // Written again and again, until the notice is here: from then on nothing is taken.
          let sent = 1;
          while (!framesOf(socket).some(({ kind }) => kind === 'auth')) {
            socket.send(letter(5000 + sent));
            sent += 1;
            const heard = socket.heard.length;
            await socket.until(() => socket.closed || socket.heard.length > heard);
            // A letter that still waits as the right ends goes with the room (A2): begun again with another room.
            dropped = socket.closeCode === 1012;
            if (dropped) return;
            expect(socket.closeCode).toBeNull();
          }
          socket.send(writeFrame({ kind: 'askPresence' }));
          await socket.until(() => framesOf(socket).findLast(({ kind }) => kind !== 'auth')?.kind === 'presence');
        }
        const after = await stage.state();
        if (typeof loss.expect === 'number') expect(after).toEqual(before);
        // Nothing that is sent from now on changes a byte.
        socket.send(letter(4713));
        await stage.stillServed();
        expect(stage.witness.text.toString().split('x').length).toBe(stage.owner.text.toString().split('x').length);
        const again = await stage.dial(stage.upgrade('', person));
        expect(again.status === 101).toBe(loss.expect === 'denied' || loss.by === 'token');
      };
      do
        await on('writer', once).catch((error: unknown) => {
          // The honest clients that look on go with the room, too.
          dropped = loss.expect === 'denied' && String(error).endsWith('an honest client was closed with 1012');
          if (!dropped) throw error;
        });
      while (dropped);
    });

  test('E11 the meeting is deleted: everybody is sent away, and nobody gets in', async () => {
    const stage = await Stage.set(cast, 'writer');
    try {
      const socket = await stage.enter();
      await cast.house.database.orm
        .update(meetings)
        .set({ deletedAt: cast.house.clock.now() })
        .where(eq(meetings.id, stage.meeting));
      expect(await socket.untilClosed()).toBe(4403);
      await expect(stage.owner.until(() => false)).rejects.toThrow('4403');
      await expect(stage.witness.until(() => false)).rejects.toThrow('4403');
      expect((await stage.dial(stage.upgrade())).status).toBe(403);
    } finally {
      stage.leave();
    }
  });

  test('E11 the meeting has another owner: the old one stays a stranger', async () => {
    const stage = await Stage.set(cast, 'writer');
    try {
      await cast.house.database.orm
        .update(meetings)
        .set({ ownerId: cast.people.stranger.id })
        .where(eq(meetings.id, stage.meeting));
      await expect(stage.owner.until(() => false)).rejects.toThrow('4403');
      expect(
        (await stage.dial({ path: `/sync/${stage.room}`, headers: headersOf(cast.house, cast.owner) })).status,
      ).toBe(403);
    } finally {
      stage.leave();
    }
  });
});
