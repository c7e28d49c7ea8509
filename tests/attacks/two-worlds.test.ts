// Two worlds with one clock differ in nothing but what some people of a blind review do: they annotate not at all or often,
// and complete or take it back, short of opening. All that reaches the others is the same, and planted leaks are found.
import { expect, test } from 'vitest';
import { differences, live, type Deeds, type Heard, type Name, type Plan } from './worlds.ts';

/** `TWO_WORLDS=deep` compares more deeds, as many as 50 annotations each, and what the leader learns. */
const isDeep = process.env['TWO_WORLDS'] === 'deep';

const strict: Omit<Plan, 'deeds'> = {
  policy: 'strict',
  selfDone: true,
  actors: ['Q', 'M', 'S'],
  observers: isDeep ? ['R', 'O', 'W', 'T', 'K', 'E', 'X'] : ['R', 'W', 'T', 'K', 'E', 'X'],
};
const student: typeof strict = { ...strict, policy: 'student' };
/** The person assessed has not completed: nobody else assesses yet. */
const self: typeof strict = { ...student, selfDone: false, actors: ['T'], observers: ['R', 'M', 'W', 'K', 'E', 'X'] };

/** Those who complete are shown the key. */
const keyed: typeof strict = {
  ...strict,
  keyed: true,
  observers: isDeep ? [...strict.observers, 'P'] : ['R', 'W', 'K'],
};

/** All have completed; whether a second pass begins then is what differs. */
const opened: typeof strict = {
  ...strict,
  opened: true,
  actors: [],
  observers: ['R', 'O', 'M', 'W', 'S', 'T', 'K', 'E', 'X'],
};

const nothing: Deeds = { times: 0, ends: 'open' };
const often: Deeds = { times: isDeep ? 50 : 6, ends: 'complete' };

function asyncOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}

const silent = new Map<object, Promise<Heard>>();
/** The world without deeds, which all others are compared with. */
function withoutDeeds(plan: typeof strict): Promise<Heard> {
  const known = silent.get(plan) ?? live({ ...plan, deeds: nothing });
  silent.set(plan, known);
  return known;
}

const compare = async (plan: typeof strict, deeds: Deeds) =>
  differences(await withoutDeeds(plan), await live({ ...plan, deeds }));

test('in a strict review nobody but supervisors and the leader learns of the deeds of others', async () => {
  expect(await compare(strict, often)).toEqual([]);
  if (isDeep) expect(await compare(strict, { times: 1, ends: 'taken-back' })).toEqual([]);
});

test('while the person assessed is alone with their assessment, nobody learns how far they are', async () => {
  expect(await compare(self, { ...often, ends: 'open' })).toEqual([]);
});

test('mentors and the person assessed learn nothing of other mentors', async () => {
  expect(await compare(student, often)).toEqual([]);
  if (isDeep) expect(await compare(student, { times: 1, ends: 'taken-back' })).toEqual([]);
});

test('beside a key, neither who has not completed nor an owner learns of those who have', async () => {
  expect(await compare(keyed, often)).toEqual([]);
  if (isDeep) expect(await compare(keyed, { ...often, ends: 'open' })).toEqual([]);
});

test('the leader, who learns how far people are, does not learn how much they annotated', async ({ skip }) => {
  skip(!isDeep, 'npm test -- deep looks at these worlds');
  for (const plan of [strict, student, keyed]) {
    const led: typeof strict = { ...plan, observers: ['L'] };
    const [few, many] = [
      { ...nothing, times: 2 },
      { ...often, ends: 'open' as const },
    ];
    expect(differences(await live({ ...led, deeds: few }), await live({ ...led, deeds: many }))).toEqual([]);
  }
});

/** Somebody corrects in all of these worlds, and only by whom they differ. */
const correcting = (plan: typeof strict, faults?: Plan['faults']) => async (corrects: Name) =>
  live({ ...plan, observers: [...plan.observers, 'L'], deeds: { ...nothing, corrects }, ...(faults && { faults }) });

test('a blind reviewer corrects words, and nobody but supervisors learns who', async () => {
  for (const plan of isDeep ? [strict, student] : [strict]) {
    const by = correcting(plan);
    const one = await by('Q');
    const told = one.get('E GET /api/meetings/recording/versions?by=step') ?? '';
    expect(told).toContain('"kind":"reviewer"');
    for (const other of isDeep ? (['M', 'O', 'S'] as const) : (['M'] as const))
      expect(differences(one, await by(other))).toEqual([]);
  }
});

/** Leaks of who corrected: statements at each row of the transcript's log. */
const namingLeaks: Record<string, { found: RegExp; when: 'before' | 'after'; fault: string }> = {
  'a correction dated before its author was asked': {
    ...{ found: /^E GET \/api\/meetings\/recording\/versions\/2\/changes\?since=1$/, when: 'before' },
    fault: `new.at := new.at - interval '1 day'`,
  },
  'a mail that names the author': {
    ...{ found: /^T mails$/, when: 'after' },
    fault: `insert into mail_outbox (id, message_id, to_address, subject, text, html, created_at, expires_at, next_at)
      select new.seq, new.seq, 't@example.test', first_name, 'News', 'News', now(), now(), now()
      from users where id = new.user_id on conflict do nothing`,
  },
  'a state that says who began': {
    ...{ found: /^L GET \/api\/meetings\/recording\/reviews\/review$/, when: 'after' },
    fault: `update reviewers set status = 'in-progress' where principal_id in (
      select id from users where id = new.user_id union select email_key from users where id = new.user_id)`,
  },
};

test('planted leaks of who corrected are found', async () => {
  const faults: Plan['faults'] = () =>
    Object.values(namingLeaks).map(
      ({ when, fault }, nth) => `
        create function naming_${nth}() returns trigger language plpgsql as $$ begin ${fault}; return new; end $$;
        create trigger naming_${nth} ${when} insert on room_updates for each row
          when (new.room like '%/transcript' and new.user_id is not null) execute function naming_${nth}()`,
    );
  const by = correcting({ ...strict, observers: ['E', 'T'] }, faults);
  const found = differences(await by('Q'), await by('M')).map(({ what }) => what);
  for (const [name, leak] of Object.entries(namingLeaks))
    expect(
      found.some((what) => leak.found.test(what)),
      `${name}, among ${found.join('; ')}`,
    ).toBe(true);
});

test('of a second pass neither the people of the first one, nor the person assessed, nor an owner learns', async () => {
  expect(await compare(opened, { ...nothing, secondPass: true })).toEqual([]);
});

test('a second pass that is stored like other reviews is found, by an owner and by who is present', async () => {
  const faults: Plan['faults'] = () => [
    `create function untold() returns trigger language plpgsql as $$ begin new.second_of := null; return new; end $$;
     create trigger untold before insert on reviews for each row execute function untold()`,
  ];
  const leaky = await live({ ...opened, deeds: { ...nothing, secondPass: true }, faults });
  const found = differences(await withoutDeeds(opened), leaky).map(({ what }) => what);
  expect(found).toContain('K GET /api/meetings/recording/reviews');
  expect(found).toContain('E presence in recording/transcript');
});

/** An anonymous review that is published: Q corrects words and discusses. */
const anonymous: typeof strict = { ...strict, opened: true, actors: [], observers: ['R', 'W', 'T', 'K', 'E', 'X'] };
const asReviewer = (account: 'Q' | 'Z', faults?: Plan['faults']) =>
  live({ ...anonymous, anonymous: account, deeds: { ...nothing, corrects: 'Q' }, ...(faults && { faults }) });
const asQ = asyncOnce(() => asReviewer('Q'));

test('in an anonymous review nobody but supervisors and the leader learns who a reviewer is', async () => {
  const told = (await asQ()).get('W GET /api/meetings/layer discussion null') ?? '';
  expect(told).toContain('"kind":"reviewer"');
  expect(differences(await asQ(), await asReviewer('Z'))).toEqual([]);
});

test('an anonymous review that counts as another one is found, in each place that names people', async () => {
  const leaky = await asReviewer('Z', () => ['update reviews set anonymous = false']);
  const found = differences(await asQ(), leaky).map(({ what }) => what);
  for (const what of [
    'W GET /api/meetings/recording/reviews/review',
    'R GET /api/meetings/layer discussion null',
    'R hears layer discussion null/layer',
    'T GET /api/meetings/recording/reviews/review/report',
    'E GET /api/meetings/recording/versions/2/changes?since=1',
    'E presence in recording/transcript',
  ])
    expect(found).toContain(what);
});

/** A trigger that does something at each event of a review. */
const atEachEvent = (name: string, what: string): string => `
  create function ${name}() returns trigger language plpgsql as $$ begin ${what}; return null; end $$;
  create trigger ${name} after insert on review_log for each row execute function ${name}()`;

/** Leaks, each with the first sign of it. */
const leaks: Record<string, { found: RegExp; fault(ids: Record<Name, string>, meetingId: string): string }> = {
  'the time of the last change': {
    found: /^E GET \/api\/meetings$/,
    fault: (_, id) =>
      `update meeting_projections set updated_at = updated_at + interval '1 s' where meeting_id = '${id}'`,
  },
  'a notice that lists have changed': {
    found: /^R news$/,
    fault: ({ R }) => `perform pg_notify('colloquy_library', '${R}')`,
  },
  'a mail': {
    found: /^T mails$/,
    fault:
      () => `insert into mail_outbox (id, message_id, to_address, subject, text, html, created_at, expires_at, next_at)
      values (new.review_id, new.review_id, 't@example.test', 'News', 'News', 'News', now(), now(), now())
      on conflict do nothing`,
  },
  'a permission on another assessment': {
    found: /^W GET \/api\/meetings\/layer own person Q$/,
    fault: () => `insert into layer_access (layer_id, meeting_id, kind, principal_id, permissions)
      select l.id, l.meeting_id, p.kind, p.principal_id, array['read']
      from layers l join reviewers p on p.review_id = l.review_id and p.role = 'watcher'
      where l.review_id = new.review_id and l.kind = 'own' on conflict do nothing`,
  },
  'what another reviewer listened to': {
    found: /^R GET \/api\/meetings\/recording\/reviews\/review\/listened$/,
    fault: ({ Q, R }) => `insert into listened (layer_id, user_id, heard, at)
      select l.id, '${R}', h.heard, h.at from listened h, layers l join reviewers p on p.id = l.reviewer_id
      where h.user_id = '${Q}' and p.principal_id in ('${R}', 'r@example.test') on conflict do nothing`,
  },
  'the number of changes of the review': {
    found: /^K GET \/api\/meetings\/recording\/reviews\/review$/,
    fault: () => `update reviews set rev = rev + 1 where id = new.review_id`,
  },
};

test('planted leaks are found, each by whom it reaches', async () => {
  const faults: Plan['faults'] = (ids, id) =>
    Object.values(leaks).map(({ fault }, nth) => atEachEvent(`leak_${nth}`, fault(ids, id)));
  const leaky = await live({ ...strict, deeds: { times: 1, ends: 'complete' }, faults });
  const found = differences(await withoutDeeds(strict), leaky).map(({ what }) => what);
  for (const [name, leak] of Object.entries(leaks))
    expect(
      found.some((what) => leak.found.test(what)),
      `${name}, among ${found.join('; ')}`,
    ).toBe(true);
});
