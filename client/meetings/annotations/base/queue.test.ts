import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { GradeChange } from '#shared/meetings/annotation-inputs.ts';
import type { Comment } from '#shared/meetings/annotations.ts';
import type { SheetGrade } from '#shared/meetings/grades.ts';
import { chipOf } from '#sync/client/status.ts';

import {
  isShown,
  layOver,
  unsentAfter,
  wordsOf,
  type Answer,
  type Answered,
  type Command,
  type CommandOf,
  type GradeCommand,
} from './commands.ts';
import { CommandQueue, type Keeper } from './queue.ts';

// The queue alone, with a fake server and a fake clock.

const by = { id: 'ann', kind: 'user' as const, name: 'Ann' };

const comment = (id: string, more: Partial<Comment> = {}): Comment => ({
  id,
  rev: 0,
  anchor: null,
  start: 1,
  end: 2,
  quote: 'words',
  author: by,
  private: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  editTimestamp: null,
  parent: null,
  text: 'said',
  resolved: null,
  url: null,
  ...more,
});

let count = 0;
function order(itemId: string): Omit<CommandOf<'comment'>, 'do' | 'item' | 'change'> & { kind: 'comment' } {
  count += 1;
  return { id: `request ${count}`, kind: 'comment', itemId, at: '2026-01-01T00:00:01.000Z', by };
}
const add = (id: string, more: Partial<Comment> = {}): Command => ({
  ...order(id),
  do: 'add',
  item: comment(id, more),
});
const change = (id: string, text: string): Command => ({ ...order(id), do: 'change', change: { text } });
const remove = (id: string): Command => ({ ...order(id), do: 'delete' });

const refusal = (status: number, retryAfter?: number) =>
  Object.assign(new Error(String(status)), { status, retryAfter });

interface Asked {
  command: Command;
  answer(answer: Answer): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** Resolves after all pending promise callbacks. */
const settled = () => new Promise<void>((done) => setImmediate(done));

function world(kept: Command[] = []) {
  const asked: Asked[] = [];
  const timers: { ms: number; work: () => void }[] = [];
  const stored = new Map(kept.map((command) => [command.id, command]));
  const keeper: Keeper = {
    load: () => Promise.resolve([...stored.values()]),
    keep: (command) => {
      if (!state.keeps) return Promise.reject(new Error('full'));
      stored.set(command.id, command);
      return Promise.resolve();
    },
    drop: (command) => {
      if (!state.keeps) return Promise.reject(new Error('full'));
      stored.delete(command.id);
      return Promise.resolve();
    },
  };
  const state = {
    asked,
    timers,
    stored,
    online: true,
    clock: 0,
    wall: Date.UTC(2026, 0, 1),
    /** Whether storing succeeds. */
    keeps: true,
    done: [] as Answered[],
    refused: [] as { commands: readonly Command[]; error: unknown; left: readonly Command[]; kept: boolean | null }[],
    found: [] as Command[],
    queue: null as unknown as CommandQueue,
    /** Fires all timers. */
    async wait() {
      for (const { work } of timers.splice(0)) work();
      await settled();
    },
  };
  state.queue = new CommandQueue({
    send: (command, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        asked.push({
          command,
          answer: (answer) => {
            resolve(answer);
            return settled();
          },
          fail: (error) => {
            reject(error as Error);
            return settled();
          },
        });
      }),
    keeper,
    now: () => state.clock,
    wall: () => state.wall,
    later: (ms, work) => {
      const timer = { ms, work };
      timers.push(timer);
      return { cancel: () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1)) };
    },
    random: () => 0,
    online: () => state.online,
    changed: () => {},
    answered: (done) => state.done.push(done),
    refused: (commands, error, left, kept) => {
      const one = { commands, error, left, kept: null as boolean | null };
      state.refused.push(one);
      void kept.then((yes) => (one.kept = yes));
    },
    found: (commands) => state.found.push(...commands),
  });
  return state;
}

beforeEach(() => {
  count = 0;
});

describe('waiting commands', () => {
  it('are sent in order, one at a time, and stay stored until they are confirmed', async () => {
    const { queue, asked, stored, done } = world();
    await queue.open();
    const [first, second] = [add('a'), change('a', 'more')];
    queue.push(first);
    queue.push(second);
    await settled();
    expect(asked.map(({ command }) => command)).toEqual([first]);
    expect([...stored.values()]).toEqual([first, second]);
    expect(queue.state()).toMatchObject({ pending: 2, connected: true });
    await asked[0]?.answer(comment('a', { rev: 1 }));
    expect(asked.map(({ command }) => command)).toEqual([first, second]);
    expect([...stored.values()]).toMatchObject([second]);
    await asked[1]?.answer(comment('a', { rev: 2 }));
    expect(done.map(({ answer }) => answer?.rev)).toEqual([1, 2]);
    expect([...stored.values()]).toEqual([]);
    expect(queue.state().pending).toBe(0);
  });

  it.each([0, 401, 408, 429, 500, 503])('are retried under the same id after %i', async (status) => {
    const { queue, asked, timers, wait, refused } = { ...world() };
    await queue.open();
    queue.push(add('a'));
    await settled();
    await asked[0]?.fail(refusal(status, status === 429 ? 7 : undefined));
    expect(queue.state()).toMatchObject(status === 0 ? { connected: false } : { notStored: true });
    expect(timers.map(({ ms }) => ms)).toEqual([status === 429 ? 7000 : 500]);
    await wait();
    expect(asked.map(({ command }) => command.id)).toEqual(['request 1', 'request 1']);
    expect(refused).toEqual([]);
  });

  it('are retried with growing delays up to a limit', async () => {
    const { queue, asked, timers, wait } = world();
    await queue.open();
    queue.push(add('a'));
    const waits: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      await settled();
      await asked[i]?.fail(refusal(503));
      waits.push(timers[0]?.ms ?? 0);
      await wait();
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  });

  it('are sent as soon as the connection is back', async () => {
    const made = world();
    const { queue, asked } = made;
    made.online = false;
    await queue.open();
    queue.push(add('a'));
    await settled();
    expect(asked).toEqual([]);
    expect(queue.state()).toMatchObject({ pending: 1, connected: false, keptHere: true });
    made.online = true;
    queue.wake();
    await settled();
    expect(asked).toHaveLength(1);
  });

  it('count as stored here only where this browser has stored them', async () => {
    const made = world();
    const { queue } = made;
    made.online = false;
    await queue.open();
    made.keeps = false;
    queue.push(add('a'));
    await settled();
    expect(queue.state()).toMatchObject({ pending: 1, unstored: 1, keptHere: false });
    // There is room for the next one, but not for the first.
    made.keeps = true;
    queue.push(add('b'));
    expect(queue.state()).toMatchObject({ pending: 2, unstored: 2 });
    await settled();
    expect(queue.state()).toMatchObject({ pending: 2, unstored: 1, keptHere: true });
  });

  it('of an earlier visit come first, and once', async () => {
    const old = add('a');
    const { queue, asked } = world([old]);
    const later = add('b');
    queue.push(later);
    await queue.open();
    await settled();
    expect(queue.commands).toEqual([old, later]);
    expect(asked.map(({ command }) => command)).toEqual([old]);
    queue.take([old]);
    expect(queue.commands).toEqual([old, later]);
  });

  it('are not sent while another user may be signed in', async () => {
    const { queue, asked } = world();
    await queue.open();
    queue.hold(true);
    queue.push(add('a'));
    await settled();
    expect(asked).toEqual([]);
    queue.hold(false);
    await settled();
    expect(asked).toHaveLength(1);
  });
});

describe('a problem of one command', () => {
  const alone = (status: number, retryAfter?: number) => Object.assign(refusal(status, retryAfter), { alone: true });

  it.each([408, 429, 503])('with %i delays those that depend on it, and no others', async (status) => {
    const { queue, asked, timers, wait, refused, stored } = world();
    await queue.open();
    const first = add('a');
    const hanging = [change('a', 'x'), add('b', { parent: 'a' }), change('b', 'y')];
    const others = [add('c'), change('d', 'z')];
    for (const command of [first, ...hanging, ...others]) queue.push(command);
    await settled();
    await asked[0]?.fail(alone(status, 60));
    expect(timers.map(({ ms }) => ms)).toEqual([60_000]);
    expect(asked.at(-1)?.command).toBe(others[0]);
    expect(queue.state()).toMatchObject({ pending: 6, connected: true, notStored: true });
    await asked[1]?.answer(comment('c', { rev: 1 }));
    await asked[2]?.answer(comment('d', { rev: 1 }));
    expect(asked.map(({ command }) => command)).toEqual([first, ...others]);
    expect([...stored.values()]).toMatchObject([first, ...hanging]);
    expect(queue.state()).toMatchObject({ pending: 4, notStored: true });
    await wait();
    for (const at of [3, 4, 5, 6]) await asked[at]?.answer(comment('a', { rev: at }));
    // Retried under the same id, then the others in their order.
    expect(asked.slice(3).map(({ command }) => command)).toEqual([first, ...hanging]);
    expect(refused).toEqual([]);
    expect(queue.state()).toMatchObject({ pending: 0, notStored: false });
  });

  it.each([0, 401])('with %i delays all commands', async (status) => {
    const { queue, asked, timers } = world();
    await queue.open();
    queue.push(add('a'));
    queue.push(add('b'));
    await settled();
    await asked[0]?.fail(alone(status));
    expect(asked).toHaveLength(1);
    expect(timers).toHaveLength(1);
  });

  it('is retried with growing delays, and at once on request', async () => {
    const { queue, asked, timers, wait } = world();
    await queue.open();
    queue.push(add('a'));
    const waits: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      await settled();
      await asked[i]?.fail(alone(503));
      waits.push(timers[0]?.ms ?? 0);
      if (i < 2) await wait();
    }
    expect(waits).toEqual([500, 1000, 2000]);
    queue.wake();
    await settled();
    expect(asked).toHaveLength(4);
    expect(timers).toEqual([]);
  });
});

describe('a refused command', () => {
  it.each([400, 403, 404, 409, 413, 422])('with %i is undone, and the next one is sent', async (status) => {
    const { queue, asked, refused, stored } = world();
    await queue.open();
    const [first, second] = [change('a', 'x'), add('b')];
    queue.push(first);
    queue.push(second);
    await settled();
    await asked[0]?.fail(refusal(status));
    expect(refused).toMatchObject([{ commands: [first], error: { status } }]);
    expect(asked.map(({ command }) => command)).toEqual([first, second]);
    // The refused command stays stored, and is not sent by itself.
    expect([...stored.values()]).toEqual([{ ...first, refused: true }, second]);
  });

  it('is refused together with those that depend on it, and no others', async () => {
    const { queue, asked, refused } = world();
    await queue.open();
    const first = add('a');
    const hanging = [change('a', 'x'), add('b', { parent: 'a' }), change('b', 'y')];
    const other = add('c');
    for (const command of [first, ...hanging, other]) queue.push(command);
    await settled();
    await asked[0]?.fail(refusal(403));
    expect(refused.map(({ commands }) => commands)).toEqual([[first, ...hanging]]);
    expect(queue.commands).toEqual([other]);
  });
});

describe('refused content', () => {
  it('is offered to its author in a form to send again, and stored, also for several commands', async () => {
    const { queue, asked, refused, stored } = world();
    await queue.open();
    const [one, other] = [add('a', { parent: 'gone', text: 'mine' }), add('b', { parent: 'gone', text: 'also mine' })];
    queue.push(one);
    queue.push(other);
    const unknown = Object.assign(refusal(422), { errors: [{ field: 'parent', code: 'unknown' }] });
    await settled();
    await asked[0]?.fail(unknown);
    await asked[1]?.fail(unknown);
    const own = [comment('a', { text: 'mine' }), comment('b', { text: 'also mine' })];
    expect(refused.flatMap(({ left }) => left)).toMatchObject(own.map((item) => ({ do: 'add', item, refused: true })));
    expect([...stored.values()]).toEqual(refused.flatMap(({ left }) => left));
    expect(refused.map(({ kept }) => kept)).toEqual([true, true]);
    expect(queue.commands).toEqual([]);
  });

  it('is offered at the next visit, and not sent by itself', async () => {
    const kept = { ...add('a'), refused: true as const };
    const { queue, asked, found, stored } = world([kept]);
    await queue.open();
    await settled();
    expect([found, queue.commands, asked]).toEqual([[kept], [], []]);
    expect(await queue.discard(kept)).toBe(true);
    expect([...stored.values()]).toEqual([]);
    // Commands from a closed tab.
    queue.take([{ ...add('b'), refused: true }]);
    expect(found.map(({ itemId }) => itemId)).toEqual(['a', 'b']);
    expect(queue.commands).toEqual([]);
  });

  it('counts as discarded only once it is removed from the browser', async () => {
    const kept = { ...add('a'), refused: true as const };
    const browser = world([kept]);
    await browser.queue.open();
    browser.keeps = false;
    expect(await browser.queue.discard(kept)).toBe(false);
    browser.keeps = true;
    expect([...browser.stored.values()]).toEqual([kept]);
    expect(await browser.queue.discard(kept)).toBe(true);
    expect([...browser.stored.values()]).toEqual([]);
  });

  it('includes later changes of the same annotation, and is empty if that was deleted', async () => {
    const { queue, asked, refused, stored } = world();
    await queue.open();
    for (const command of [add('a'), change('a', 'better'), add('b', { parent: 'a' }), remove('b')])
      queue.push(command);
    await settled();
    await asked[0]?.fail(refusal(403));
    expect(refused[0]?.commands).toHaveLength(4);
    expect(refused[0]?.left).toMatchObject([{ do: 'add', itemId: 'a', item: { text: 'better' } }]);
    expect([...stored.values()]).toEqual(refused[0]?.left);
  });

  it('is reported as not stored if storing fails', async () => {
    const made = world();
    made.keeps = false;
    await made.queue.open();
    made.queue.push(add('a'));
    await settled();
    await made.asked[0]?.fail(refusal(403));
    expect(made.refused).toMatchObject([{ left: [{ itemId: 'a' }], kept: false }]);
  });

  it('is empty for commands without content', async () => {
    const { queue, asked, refused, stored } = world();
    await queue.open();
    queue.push({ ...order('a'), do: 'change', change: { resolved: true } });
    await settled();
    await asked[0]?.fail(refusal(403));
    expect(refused).toMatchObject([{ left: [] }]);
    expect([...stored.values()]).toEqual([]);
  });
});

describe('a command whose response got lost, repeated later', () => {
  const taken = () => Object.assign(refusal(409), { errors: [{ field: 'id', code: 'taken' }] });

  it('counts as done if its result exists, or was to be removed', async () => {
    const { queue, asked, refused, stored, done } = world([add('a'), remove('b')]);
    await queue.open();
    await settled();
    await asked[0]?.fail(taken());
    await asked[1]?.fail(refusal(404));
    expect(asked).toHaveLength(2);
    expect(refused).toEqual([]);
    expect(done).toMatchObject([{ command: { itemId: 'b' }, answer: null }]);
    expect([...stored.values()]).toEqual([]);
    expect(queue.state().pending).toBe(0);
  });

  it('never overwrites later changes of others: it is offered to its author', async () => {
    const old = change('a', 'mine');
    const { wall } = world();
    const first = world([old]);
    await first.queue.open();
    await settled();
    // The first attempt was sent; its response never arrived.
    expect(first.asked).toHaveLength(1);
    const kept = [...first.stored.values()];
    const hour = 3_600_000;
    const soon = world(kept);
    soon.wall = wall + 12 * hour;
    await soon.queue.open();
    await settled();
    expect(soon.asked).toHaveLength(1);
    const late = world(kept);
    late.wall = wall + 25 * hour;
    await late.queue.open();
    await settled();
    expect(late.asked).toEqual([]);
    expect(late.refused).toMatchObject([{ left: [{ itemId: 'a', change: { text: 'mine' } }], kept: true }]);
    // A change that was never sent can be sent at any age.
    const waited = world([old]);
    waited.wall = wall + 25 * hour;
    await waited.queue.open();
    await settled();
    expect(waited.asked).toHaveLength(1);
  });
});

describe('typing', () => {
  it('is stored with each letter, sent at the end, and one change', async () => {
    const { queue, asked, stored } = world();
    await queue.open();
    const begun = change('a', 't');
    queue.push(begun, true);
    const typed = { ...begun, change: { text: 'ty' } } as Command;
    expect(queue.amend(begun, typed)).toBe(true);
    expect([...stored.values()]).toEqual([typed]);
    expect(queue.commands).toEqual([typed]);
    await settled();
    expect(asked).toEqual([]);
    queue.release(typed);
    await settled();
    expect(asked.map(({ command }) => command)).toEqual([typed]);
    // Already being sent: further typing is another change.
    expect(queue.amend(typed, { ...begun, change: { text: 'typ' } } as Command)).toBe(false);
  });

  it('is sent when the page closes', async () => {
    const { queue, asked } = world();
    await queue.open();
    const typed = change('a', 'ty');
    queue.push(typed, true);
    await settled();
    queue.depart();
    expect(asked.map(({ command }) => command)).toEqual([typed]);
  });
});

describe('a held command', () => {
  it('is sent after its release, behind all others, and never if it was taken back', async () => {
    const { queue, asked, stored } = world();
    await queue.open();
    const [gone, other, after] = [remove('a'), add('b'), change('a', 'x')];
    queue.push(gone, true);
    queue.push(other);
    queue.push(after);
    await settled();
    expect(asked.map(({ command }) => command)).toEqual([other]);
    await asked[0]?.answer(comment('b', { rev: 1 }));
    // Commands for one annotation keep their order.
    expect(asked).toHaveLength(1);
    expect([...stored.values()]).toEqual([gone, after]);
    expect(queue.takeBack(gone)).toBe(true);
    await settled();
    expect(asked.map(({ command }) => command)).toEqual([other, after]);
    await asked[1]?.answer(comment('a', { rev: 2 }));
    queue.push(gone, true);
    queue.release(gone);
    await settled();
    expect(asked.at(-1)?.command).toBe(gone);
    expect(queue.takeBack(gone)).toBe(false);
  });

  it('counts as unsaved, but is never late', async () => {
    const made = world();
    const { queue } = made;
    await queue.open();
    const gone = remove('a');
    queue.push(gone, true);
    const shown = () => chipOf([queue.state()], made.clock);
    for (const clock of [5_000, 60_000]) {
      made.clock = clock;
      expect(shown()).toMatchObject({ kind: 'saving', pending: 1 });
    }
    queue.takeBack(gone);
    expect(shown()).toMatchObject({ kind: 'saved', pending: 0 });
  });
});

describe('a queue whose recording was left', () => {
  it('sends held commands and those that wait, and then ends', async () => {
    const { queue, asked, stored } = world();
    const ended = vi.fn<() => void>();
    await queue.open();
    const [flying, gone, after] = [add('b'), remove('a'), change('b', 'x')];
    queue.push(flying);
    queue.push(gone, true);
    queue.push(after);
    await settled();
    queue.finish(ended);
    expect(queue.takeBack(gone)).toBe(false);
    await asked[0]?.answer(comment('b', { rev: 1 }));
    await asked[1]?.answer(null);
    expect(ended).not.toHaveBeenCalled();
    await asked[2]?.answer(comment('b', { rev: 2 }));
    expect(asked.map(({ command }) => command)).toEqual([flying, gone, after]);
    expect([...stored.values()]).toEqual([]);
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('retries failed commands', async () => {
    const { queue, asked, wait } = world();
    const ended = vi.fn<() => void>();
    await queue.open();
    queue.push(remove('a'), true);
    queue.finish(ended);
    await settled();
    await asked[0]?.fail(refusal(0));
    await wait();
    expect(asked.map(({ command }) => command.id)).toEqual(['request 1', 'request 1']);
    await asked[1]?.answer(null);
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it.each(['held', 'told by the response'])(
    'ends if another user is signed in (%s), and keeps commands stored',
    async (how) => {
      const { queue, asked, stored, timers } = world();
      const ended = vi.fn<() => void>();
      await queue.open();
      const gone = remove('a');
      queue.push(gone, true);
      if (how === 'held') queue.hold(true);
      queue.finish(ended);
      await settled();
      await asked[0]?.fail(refusal(401));
      expect(asked).toHaveLength(how === 'held' ? 0 : 1);
      expect(ended).toHaveBeenCalledTimes(1);
      expect(timers).toEqual([]);
      expect([...stored.values()]).toEqual([gone]);
    },
  );

  it('ends at once without commands, and sends those that loading finds later', async () => {
    const idle = world();
    const [ended, later] = [vi.fn<() => void>(), vi.fn<() => void>()];
    await idle.queue.open();
    idle.queue.finish(ended);
    await settled();
    expect(ended).toHaveBeenCalledTimes(1);

    const { queue, asked } = world([add('a')]);
    const opening = queue.open();
    queue.finish(later);
    await opening;
    await settled();
    expect(later).not.toHaveBeenCalled();
    await asked[0]?.answer(comment('a', { rev: 1 }));
    expect(later).toHaveBeenCalledTimes(1);
  });

  it('still sends the last commands of its screens, and refuses later ones', async () => {
    const { queue, asked, stored } = world();
    const ended = vi.fn<() => void>();
    await queue.open();
    queue.finish(ended);
    const last = change('a', 'typed');
    expect(queue.push(last)).toBe(true);
    const gone = remove('b');
    expect(queue.push(gone, true)).toBe(true);
    await settled();
    expect(asked.map(({ command }) => command)).toEqual([last]);
    await asked[0]?.answer(comment('a', { rev: 1 }));
    await asked[1]?.answer(null);
    expect(asked.map(({ command }) => command)).toEqual([last, gone]);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(queue.push(change('a', 'too late'))).toBe(false);
    await settled();
    expect(asked).toHaveLength(2);
    expect([...stored.values()]).toEqual([]);
  });

  it('hands unstored commands to the next queue', async () => {
    const left = world();
    left.keeps = false;
    left.online = false;
    await left.queue.open();
    const [first, second] = [add('a'), change('a', 'x')];
    left.queue.push(first);
    left.queue.push(second);
    await settled();
    const ended = vi.fn<() => void>();
    left.queue.finish(ended);
    const next = world();
    next.queue.inherit(left.queue);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(next.queue.commands).toEqual([first, second]);
    await next.queue.open();
    await settled();
    expect(next.asked.map(({ command }) => command)).toEqual([first]);
    // The next queue can store what the first could not.
    expect([...next.stored.values()]).toEqual([first, second]);
    expect(left.asked).toEqual([]);
  });

  it('sends all independent commands at once when the page closes, and keeps them stored', async () => {
    const { queue, asked, stored } = world();
    await queue.open();
    const all = [
      add('b'),
      remove('a'),
      change('b', 'x'),
      add('c', { parent: 'b' }),
      add('d', { parent: 'a' }),
      change('e', 'y'),
    ];
    for (const command of all) queue.push(command, command.do === 'delete');
    await settled();
    expect(asked.map(({ command }) => command)).toEqual([all[0]]);
    queue.depart();
    expect(asked.map(({ command }) => command)).toEqual([all[0], all[1], all[5]]);
    expect([...stored.values()]).toMatchObject(all);
  });

  it('sends only deletions when the page closes before loading, and keeps the rest', async () => {
    const { queue, asked, stored } = world();
    const all = [remove('a'), change('b', 'x')];
    for (const command of all) queue.push(command, command.do === 'delete');
    queue.depart();
    expect(asked.map(({ command }) => command)).toEqual([all[0]]);
    await settled();
    expect([...stored.values()]).toMatchObject(all);
  });

  it('sends nothing when the page closes while another user may be signed in, or offline', async () => {
    const held = world();
    await held.queue.open();
    held.queue.hold(true);
    held.queue.push(remove('a'), true);
    held.queue.depart();
    expect(held.asked).toEqual([]);
    const cut = world();
    await cut.queue.open();
    cut.online = false;
    cut.queue.push(remove('a'), true);
    cut.queue.depart();
    expect(cut.asked).toEqual([]);
  });
});

describe('the overlay', () => {
  const items = (...list: Comment[]) => ({
    outcome: new Map(),
    comment: new Map(list.map((one) => [one.id, one])),
    grade: new Map<string, SheetGrade>(),
  });
  const shown = (from: ReturnType<typeof items>, answered: Answered[], waiting: Command[]) => [
    ...layOver(from, answered, waiting).comment.values(),
  ];

  it('shows waiting commands over responses over the room', () => {
    const room = items(comment('a', { rev: 1, text: 'room' }));
    const answered = { command: change('a', 'answered'), answer: comment('a', { rev: 2, text: 'answered' }) };
    expect(shown(room, [answered], []).map(({ text }) => text)).toEqual(['answered']);
    expect(shown(room, [answered], [change('a', 'waiting')])).toMatchObject([
      { text: 'waiting', editTimestamp: '2026-01-01T00:00:01.000Z' },
    ]);
    // Another person changed it later.
    expect(shown(items(comment('a', { rev: 3, text: 'theirs' })), [answered], []).map(({ text }) => text)).toEqual([
      'theirs',
    ]);
  });

  it('hides deleted annotations, and blanks a comment with replies', () => {
    const both = items(comment('a'), comment('b', { parent: 'a' }));
    expect(shown(both, [], [remove('b')]).map(({ id }) => id)).toEqual(['a']);
    expect(shown(both, [], [remove('a')])).toMatchObject([
      { id: 'a', text: '', author: { kind: 'deleted' } },
      { id: 'b', text: 'said' },
    ]);
    expect(shown(both, [{ command: remove('b'), answer: null }], []).map(({ id }) => id)).toEqual(['a']);
  });

  it('shows a grade at once, and words beside it that are sent later', () => {
    const grade = (change: GradeChange): GradeCommand => ({ ...order('trust'), kind: 'grade', do: 'change', change });
    const now = (answered: Answered[], waiting: Command[]) => layOver(items(), answered, waiting).grade.get('trust');
    expect(now([], [grade({ grade: 3 })])).toMatchObject({ type: 'trust', grade: 3, words: '', by: 'ann' });
    const stored: SheetGrade = { key: 'trust', type: 'trust', grade: 3, words: 'At first', rev: 2, by: 'ann' };
    const answered = { command: grade({ grade: 3 }), answer: stored };
    expect(now([answered], [grade({ words: 'At last', wordsWas: 'At first' })])).toMatchObject({
      ...{ grade: 3, words: 'At last' },
    });
    expect(isShown(items(), answered)).toBe(false);
    expect(unsentAfter([grade({ grade: 1 }), grade({ words: 'Why' })], null).map(wordsOf)).toEqual(['Why']);
  });

  it('stays until the room shows the same state or a newer one', () => {
    const added = { command: add('a'), answer: comment('a', { rev: 2 }) };
    expect(isShown(items(), added)).toBe(false);
    expect(isShown(items(comment('a', { rev: 1 })), added)).toBe(false);
    expect(isShown(items(comment('a', { rev: 3 })), added)).toBe(true);
    const gone = { command: remove('a'), answer: null };
    expect(isShown(items(comment('a', { rev: 3 })), gone)).toBe(false);
    expect(isShown(items(), gone)).toBe(true);
  });
});
