// F41 and F42: everybody comes back at once, and a process that is replaced twice while people type.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { Provider, type WireEvents } from '#sync/client/provider.ts';
import { Chance } from '#tests/sim/chance.ts';
import {
  Editor,
  closeEditors,
  difference,
  nothingWrong,
  settled,
  stored,
  synced,
  typedBy,
  typing,
  until,
} from '#tests/support/editors.ts';
import { herd } from '#tests/support/herd.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, ticketFor } from '#tests/support/meetings.ts';
import { freePort } from '#tests/support/ports.ts';
import { endProcesses, openProcess, type RunningHouse } from '#tests/support/processes.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ env: { ROLE: 'api' } });
});
afterEach(() => {
  closeEditors();
  endProcesses();
});
afterAll(() => house.close());

describe('F41 everybody comes back at once', () => {
  test('three hundred after a kill: all are back, nothing is lost or doubled', async () => {
    const { back, missing, doubled, codes, memory } = await herd(house, 300);
    console.log(
      `300 back: median ${Math.round(back[150] ?? 0)} ms, last ${Math.round(back[299] ?? 0)} ms; ${Math.round(memory)} MiB`,
    );
    expect(back).toHaveLength(300);
    expect([missing, doubled]).toEqual([0, 0]);
    // Connections were cut or asked to come again; none was refused for coming too fast or too often.
    expect(codes.filter((code) => code >= 4000)).toEqual([]);
  }, 300_000);

  test('each wait is chance, up to twice as long as the one before and ten seconds at most', () => {
    const chance = new Chance(41);
    /** Waits of a thousand clients before each attempt, with no server. */
    const waits: number[][] = [];
    for (let i = 0; i < 1000; i += 1) {
      const own: number[] = [];
      let events: WireEvents | null = null;
      let next: (() => void) | null = null;
      const provider = new Provider({
        room: 'm/transcript',
        doc: new Y.Doc(),
        offline: null,
        world: {
          now: () => 0,
          random: chance.next,
          connect: (_path, given) => {
            events = given;
            return { send: () => {}, close: () => {} };
          },
          later: (ms, work) => {
            next = work;
            own.push(ms);
            return { cancel: () => {} };
          },
        },
      });
      for (let attempt = 0; attempt < 9; attempt += 1) {
        own.length = attempt;
        (events as WireEvents | null)?.closed(1006);
        const retry = next as (() => void) | null;
        retry?.();
        // Removes the timer that checks whether the line is silent.
        own.length = attempt + 1;
      }
      provider.destroy();
      waits.push(own);
    }
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const most = Math.min(10_000, 200 * 2 ** attempt);
      const these = waits.map((own) => own[attempt] ?? Infinity);
      const tenths = Array.from(
        { length: 10 },
        (_, i) => these.filter((ms) => Math.floor((ms / most) * 10) === i).length,
      );
      // Spread evenly: of a thousand waits about a hundred in each tenth of the range.
      expect(tenths.reduce((sum, one) => sum + one)).toBe(1000);
      expect(Math.min(...tenths), `attempt ${attempt}: ${tenths.join(' ')}`).toBeGreaterThan(60);
      expect(Math.max(...tenths)).toBeLessThan(140);
    }
  });
});

test('F42, S1 replaced twice in a row while people type: nothing is lost, and people need not do anything', async () => {
  const env = { DATABASE_URL: house.url, LOG_LEVEL: 'warn', ROLE: 'sync', PORT: String(await freePort()) };
  let server: RunningHouse = await openProcess(env);
  const ann = await house.person('Ann');
  const room = `${await makeMeeting(house, ann)}/transcript`;
  const ticket = await ticketFor(ann, room);
  const all = Array.from({ length: 5 }, () => new Editor({ room, at: () => server.origin, ticket }));
  await synced(all);
  const hands = typing(all, 50);
  for (let round = 0; round < 2; round += 1) {
    const before = all.map((one) => one.saved.length);
    await until(() => all.every((one, i) => one.saved.length >= (before[i] ?? 0) + 5));
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    const saved = all.flatMap((one) => one.saved);
    expect(difference((await stored(house.database.sql, room)).text, saved).missing).toEqual([]);
    expect(server.lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);
    server = await openProcess(env);
  }
  await synced(all);
  await hands.stop();
  await settled(all);
  expect(difference(all[0]?.text.toString() ?? '', typedBy(all))).toEqual(nothingWrong);
  // Each client was asked to come again, found no server for a moment, and reconnected.
  for (const { closes } of all) {
    expect(closes.filter((code) => code === 1012).length).toBeGreaterThanOrEqual(2);
    expect(closes.filter((code) => code !== 1012 && code !== 1006)).toEqual([]);
  }
  expect(all.map(({ provider }) => provider.ended)).toEqual([null, null, null, null, null]);
}, 240_000);
