// A check that cannot fail shows nothing: each guard of live editing is taken away, and the rows that it stops have to be
// noticed; with all of them in place the same rows pass.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as Gate from '#sync/server/gate.ts';
import type * as Inspect from '#sync/server/inspect.ts';
import type * as Trial from '#sync/server/trial.ts';
import type * as Roles from '#shared/roles.ts';
import { limits } from '#sync/protocol.ts';
import { Applier } from '#sync/server/apply.ts';
import { ClientIds } from '#sync/server/client-ids.ts';
import type { Entry } from '#sync/server/state.ts';
import { byteAttacks } from './bytes.ts';
import { fuzz } from './fuzz.ts';
import { socketAttacks } from './sockets.ts';
import { attempt, openCast, patience, type Actor, type Cast } from './stage.ts';

const without = vi.hoisted(() => ({ roles: false, gate: false, shape: false }));

vi.mock(import('#shared/roles.ts'), async (original) => {
  const actual: typeof Roles = await original();
  return {
    ...actual,
    roomRights: (...given) => {
      const rights = actual.roomRights(...given);
      return without.roles ? { ...rights, write: rights.read } : rights;
    },
  };
});
vi.mock(import('#sync/server/inspect.ts'), async (original) => {
  const actual: typeof Inspect = await original();
  const nothing = actual.inspect(Uint8Array.of(0, 0));
  return {
    ...actual,
    inspect: (update) => {
      try {
        return actual.inspect(update);
      } catch (error) {
        if (!without.gate) throw error;
        return { ...nothing, deleted: 1 };
      }
    },
  };
});
vi.mock(import('#sync/server/gate.ts'), async (original) => {
  const actual: typeof Gate = await original();
  const { inspect } = await import('#sync/server/inspect.ts');
  return {
    ...actual,
    judge: (part, known, update) => {
      if (!without.gate) return actual.judge(part, known, update);
      return { verdict: 'new', inspected: inspect(update), newClients: [] };
    },
  };
});
/** Gives a client id to everybody who claims it. */
const anybodys = () => {
  vi.spyOn(ClientIds.prototype, 'claimToWrite').mockImplementation(function (
    this: { owners: Map<number, string> },
    clientId: number,
    userId: string,
  ) {
    this.owners.set(clientId, userId);
    return Promise.resolve({ owner: userId, full: false });
  });
};

const usual = { ...limits };
const usualPatience = { ...patience };
/** Limits of a server without limits of rate and of waiting bytes; a server reads them when it is opened. */
const loosened: Partial<Record<keyof typeof limits, number>> = {
  updatesPerSecond: 1e6,
  updateBurst: 1e6,
  bytesPerSecond: 1e9,
  byteBurst: 1e9,
  controlFramesPerSecond: 1e6,
  pendingBytes: 1e9,
};
vi.mock(import('#sync/server/trial.ts'), async (original) => {
  const actual: typeof Trial = await original();
  return { ...actual, tryUpdate: (...given) => (without.shape ? { all: 1, extra: 0 } : actual.tryUpdate(...given)) };
});

let cast: Cast;
let loose: Cast;
beforeAll(async () => {
  cast = await openCast();
  Object.assign(limits, loosened);
  loose = await openCast();
  Object.assign(limits, usual);
});
afterAll(async () => {
  await cast.house.close();
  await loose.house.close();
});
afterEach(() => {
  Object.assign(limits, usual);
  Object.assign(patience, usualPatience);
  Object.assign(without, { roles: false, gate: false, shape: false });
  vi.restoreAllMocks();
});

interface Control {
  guard: string;
  id: string;
  what: string;
  as: Actor;
  /** Or `loose`: the attack goes at the house without those limits. */
  takeAway: (() => void) | 'loose';
}
const control = (guard: string, id: string, what: string, as: Actor, takeAway: Control['takeAway']): Control => ({
  guard,
  id,
  what,
  as,
  takeAway,
});
const limit = (figures: Partial<Record<keyof typeof limits, number>>) => () => void Object.assign(limits, figures);

const controls: Control[] = [
  control('who may write', 'G06', 'all text, by a person who may write', 'reader', () => (without.roles = true)),
  control(
    'no structure of length 0',
    'G01',
    'a collected structure of length 0 (V2)',
    'writer',
    () => (without.gate = true),
  ),
  control('what fits where', 'G14', 'an attribute onclick in the notes', 'writer', () => (without.shape = true)),
  control(
    'neighbours in order',
    'V1',
    'a letter between two that stand the other way round',
    'writer',
    () => (without.shape = true),
  ),
  control('depth', 'V8', `arrays in arrays, one deeper than ${limits.depth}`, 'writer', limit({ depth: 1000 })),
  control('whose a client id is', 'G03', 'words in the mouth of the owner (V1)', 'writer', anybodys),
  control('how much may wait', 'G07', 'more of it than a room keeps', 'writer', 'loose'),
  control('updates a second', 'G08', '2000 of a kilobyte, each hanging on nothing (V7)', 'writer', 'loose'),
  control('bytes a second', 'E08', 'so many messages of a byte that they are a flood', 'reader', 'loose'),
  control('control frames a second', 'E08', 'a flood of pings', 'reader', 'loose'),
];

describe.each(controls)('$guard', ({ id, what, as, takeAway }) => {
  const attack = [...byteAttacks, ...socketAttacks].find((one) => one.id === id && one.what === what);
  if (!attack) throw new Error(`no row ${id} ${what}`);

  test('in place: the attack is refused', () => attempt(attack, cast, as));

  test('taken away: it is noticed', async () => {
    if (takeAway !== 'loose') takeAway();
    patience.closing = 3000;
    await expect(attempt(attack, takeAway === 'loose' ? loose : cast, as)).rejects.toThrow();
  });
});

// Yjs throws at malformed updates, and the room rebuilds itself without them: a second guard, behind which random changes
// do no harm. Without both, updates are stored that Yjs can never read.
test('the gate and the trial, taken away: mutants leave a document that cannot be loaded', async () => {
  without.gate = true;
  expect((await fuzz(1, 20)).wrong).toBeNull();
  vi.spyOn(Applier.prototype, 'applyAll').mockImplementation(function (
    this: { state: { inFlight: Entry[] } },
    batch: readonly Entry[],
  ) {
    this.state.inFlight.push(...batch);
    return [];
  } as never);
  expect(await fuzz(1, 20).then(({ wrong }) => wrong, String)).not.toBeNull();
});
