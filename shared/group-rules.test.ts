import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { emailKey } from './accounts.ts';
import {
  groupLimits,
  groupRoles,
  keepsAdmin,
  mixesScripts,
  splitAddresses,
  suggestNames,
  withoutDoubles,
  wrongGroupName,
} from './group-rules.ts';
import { nameKey } from './library.ts';

describe('a name', () => {
  it.each([
    ['', 'required'],
    ['Sevenly', 'group_name'],
    ['Eight ok', null],
    ['八个字的团队名称', null],
    ['👩‍👩‍👧 family', 'name'],
    ['Interviews \u202e', 'name'],
    ['x'.repeat(groupLimits.name), null],
    ['x'.repeat(groupLimits.name + 1), 'too_long'],
  ] as const)('%j: %s', (name, wrong) => expect(wrongGroupName(name)).toBe(wrong));

  it.each([
    ['Interviews 2026', false],
    ['Интервью весны', false],
    ['Interviews и беседы', false],
    ['Intеrviews', true],
    ['Αcademy group', true],
    ['面试 Interviews', false],
  ])('%j mixes alphabets in a word: %s', (name, mixed) => expect(mixesScripts(name)).toBe(mixed));

  test('that is taken gives three free and valid suggestions', () => {
    const name = fc.string({ minLength: 8, maxLength: 90, unit: fc.constantFrom(...'abcdé ИЯ團隊'.split('')) });
    fc.assert(
      fc.property(name, fc.array(fc.nat(30)), (typed, numbers) => {
        fc.pre(wrongGroupName(typed) === null);
        const taken = new Set([typed, ...numbers.map((one) => `${typed} ${one}`)].map(nameKey));
        const free = suggestNames(typed, (one) => taken.has(nameKey(one)), 2026);
        expect(free).toHaveLength(3);
        expect(new Set(free.map(nameKey)).size).toBe(3);
        for (const one of free) {
          expect(taken.has(nameKey(one))).toBe(false);
          expect(wrongGroupName(one)).toBeNull();
        }
      }),
    );
  });
});

describe('addresses', () => {
  const address = fc.constantFrom('ann@x.test', 'ANN@x.test', 'ben@x.test', 'ben@x.test.', 'cem@x.test');

  test('typed text is split into all addresses', () => {
    fc.assert(
      fc.property(fc.array(address), fc.constantFrom(',', ';', ' , ', ';\n', ',,; '), (all, between) => {
        expect(splitAddresses(all.join(between))).toEqual(all);
      }),
    );
  });

  test('repeated addresses count once, as the first one', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ email: address, role: fc.constantFrom(...groupRoles) })), (rows) => {
        const kept = withoutDoubles(rows);
        const keys = kept.map(({ email }) => emailKey(email));
        expect(new Set(keys).size).toBe(keys.length);
        expect(new Set(keys)).toEqual(new Set(rows.map(({ email }) => emailKey(email))));
        for (const one of kept) expect(rows.find(({ email }) => emailKey(email) === emailKey(one.email))).toBe(one);
      }),
    );
  });
});

test('a group that refuses to lose its last admin always has one', () => {
  const people = ['ann', 'ben', 'cem', 'dan'];
  const step = fc.record({ id: fc.constantFrom(...people), role: fc.constantFrom('admin', 'member', null) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let members = people.map((id, i) => ({ id, role: i === 0 ? ('admin' as const) : ('member' as const) })) as {
        id: string;
        role: 'admin' | 'member';
      }[];
      for (const { id, role } of steps) {
        if (!members.some((one) => one.id === id) || !keepsAdmin(members, id, role)) continue;
        members = members.flatMap((one) => (one.id !== id ? one : role === null ? [] : { id, role }));
        expect(members.some((one) => one.role === 'admin')).toBe(true);
      }
    }),
  );
});
