import { expect, test } from 'vitest';

import { FollowedSound, type FollowingPlayer } from './followed-sound.ts';

/** Largest distance that may be heard, in milliseconds. */
const limit = 200;

/** A player on a clock of its own: `drift` is how much faster it runs, and each jump takes a while. */
function playerOn(clock: { now: number }, { drift = 0, seeks = 150 } = {}) {
  const state = {
    playing: false,
    waiting: false,
    failed: null,
    duration: 3_600_000,
    rate: 1,
    jumps: { short: 2_000, long: 10_000 },
  };
  let [ms, ready, factor] = [0, 0, 1];
  const player: FollowingPlayer = {
    get ms() {
      return ms;
    },
    now: () => state,
    play(from) {
      if (from !== undefined) player.seek(from);
      state.playing = true;
    },
    pause: () => void (state.playing = false),
    seek(to) {
      ms = to;
      ready = clock.now + seeks;
    },
    setRate(rate) {
      state.rate = rate;
      factor = 1;
    },
    nudge: (by) => void (factor = by),
  };
  const pass = (by: number) => {
    if (state.playing && clock.now >= ready) ms += by * state.rate * factor * (1 + drift);
  };
  return { player, pass };
}

/** Runs a listener and a follower for a while, and returns the largest distance after the follower had time to settle. */
function follow(
  seconds: number,
  act: (leader: ReturnType<typeof playerOn>['player'], at: number) => void,
  { delays = [30, 60, 110, 45], drift = 0 } = {},
) {
  const clock = { now: 0 };
  const [leader, follower] = [playerOn(clock, { seeks: 0 }), playerOn(clock, { drift })];
  const sound = new FollowedSound(follower.player, () => clock.now);
  const mail: { at: number; told: Parameters<FollowedSound['hear']>[0] }[] = [];
  let [sent, changed, worst] = [0, 0, 0];
  for (; clock.now < seconds * 1000; clock.now += 10) {
    const before = [leader.player.ms, leader.player.now().playing, leader.player.now().rate].join();
    act(leader.player, clock.now);
    const isNew = [leader.player.ms, leader.player.now().playing, leader.player.now().rate].join() !== before;
    if (isNew) changed = clock.now;
    if (isNew || clock.now % 500 === 0) {
      const { playing: listening, rate } = leader.player.now();
      const at = clock.now + (delays[sent % delays.length] ?? 0);
      mail.push({ at: Math.max(at, mail.at(-1)?.at ?? 0), told: { at: leader.player.ms / 1000, listening, rate } });
      sent += 1;
    }
    while (mail[0] && mail[0].at <= clock.now) {
      const message = mail.shift();
      if (message) sound.hear(message.told);
    }
    if (clock.now % 100 === 0) sound.adjust();
    leader.pass(10);
    follower.pass(10);
    if (clock.now - changed > 3_000) worst = Math.max(worst, Math.abs(leader.player.ms - follower.player.ms));
  }
  return { worst, follower: follower.player, sound };
}

test.each([
  ['on a line with jitter', {}],
  ['with a clock that runs faster', { drift: 0.01 }],
  ['with a clock that runs slower', { drift: -0.01 }],
  ['with a late message now and then', { delays: [40, 40, 40, 700, 40] }],
])('what is heard stays within 200 ms %s', (_, options) => {
  const { worst } = follow(120, (leader, at) => at === 0 && leader.play(60_000), options);
  expect(worst).toBeLessThan(limit);
});

test('jumps, pauses and another rate are followed', () => {
  const { worst, follower, sound } = follow(90, (leader, at) => {
    if (at === 0) leader.play(0);
    if (at === 15_000) leader.seek(600_000);
    if (at === 30_000) leader.seek(leader.ms - 2_000);
    if (at === 40_000) leader.setRate(1.5);
    if (at === 60_000) leader.pause();
    if (at === 70_000) leader.play(100_000);
    if (at === 85_000) leader.pause();
  });
  expect(worst).toBeLessThan(limit);
  expect(follower.now()).toMatchObject({ playing: false, rate: 1.5 });
  sound.end();
  expect(follower.now().rate).toBe(1);
});

test('nothing is played while the followed person waits for data', () => {
  const clock = { now: 0 };
  const { player } = playerOn(clock);
  const sound = new FollowedSound(player, () => clock.now);
  sound.hear({ at: 10, listening: true, rate: 0 });
  expect(player.now().playing).toBe(false);
  sound.hear({ at: 10, listening: true, rate: 1 });
  expect(player.now().playing).toBe(true);
  sound.hear({ at: 12, listening: true, rate: 0 });
  expect(player.now().playing).toBe(false);
  expect(player.ms).toBe(12_000);
});
