import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds, permissions, permissionsOf, roleNames, roleOf, roles, type Grant } from './roles.ts';
import {
  aclInput,
  atLevel,
  codeAlphabet,
  grantOf,
  isCode,
  levelOf,
  linkGrantOf,
  newCode,
  plainCode,
  readEntries,
  sharingLevels,
  type AclEntry,
} from './sharing.ts';

const role = fc.constantFrom(...roleNames);
const level = fc.constantFrom(...sharingLevels);
const some = fc.subarray([...permissions]);
const nobody = { first_name: '', last_name: '', name: '' };
const person = (id: string, held: Grant[]): AclEntry => ({
  principal: { ...nobody, id, kind: 'user', email: null },
  permissions: held,
});
const read = (...entries: unknown[]) => readEntries(aclInput.parse({ entries, version: 0 }).entries);

describe('roles', () => {
  it('are found by their permissions, and by those of a link', () => {
    for (const one of roleNames) expect(roleOf(grantOf(one))).toBe(one);
    for (const one of ['canRead', 'canComment', 'canEdit'] as const)
      for (const at of ['byLink', 'everyone'] as const) expect(roleOf(linkGrantOf(one, at))).toBe(one);
    expect(roleOf([])).toBe('canRead');
  });

  it('give nobody more than their entries, and nothing without permission to read', () => {
    fc.assert(
      fc.property(fc.boolean(), some, some, fc.boolean(), (owner, named, anonymous, signedIn) => {
        const held = permissionsOf({ owner, named, anonymous, signedIn });
        if (owner) {
          expect([...held].toSorted()).toEqual([...permissions].toSorted());
          return;
        }
        expect(held.has('history')).toBe(false);
        for (const one of permissions.filter((each) => held.has(each)))
          expect(
            (signedIn && named.includes(one)) || (anonymous.includes(one) && one !== 'own' && one !== 'upload'),
          ).toBe(true);
        if (!held.has('read')) expect([...held].filter((one) => one !== 'discover')).toEqual([]);
      }),
    );
  });

  it('let nobody write a closed text, and take nothing else away', () => {
    fc.assert(
      fc.property(fc.boolean(), some, some, fc.boolean(), (owner, named, anonymous, signedIn) => {
        const grants = { owner, named, anonymous, signedIn, historyNeeds: 'write' } as const;
        const [open, closed] = [permissionsOf(grants), permissionsOf({ ...grants, closed: true })];
        expect(closed.has('write')).toBe(false);
        expect([...open].filter((one) => one !== 'write' && !closed.has(one))).toEqual([]);
        expect(holds(closed, 'comment')).toBe(holds(open, 'comment'));
      }),
    );
  });

  it('show deleted text to those who may write, or own where the owner chose so', () => {
    const seen = (historyNeeds: 'write' | 'own') =>
      roleNames.filter((one) =>
        permissionsOf({ owner: false, named: roles[one], anonymous: [], signedIn: true, historyNeeds }).has('history'),
      );
    expect([seen('write'), seen('own')]).toEqual([['canEdit', 'canEditShare'], ['canEditShare']]);
    const byLink = { owner: false, named: [], anonymous: ['read', 'write', 'own', 'history'], signedIn: false };
    expect(permissionsOf({ ...byLink, historyNeeds: 'write' }).has('history')).toBe(true);
    expect(permissionsOf({ ...byLink, historyNeeds: 'own' }).has('history')).toBe(false);
    const owner = permissionsOf({ owner: true, named: [], anonymous: [], signedIn: true, historyNeeds: 'own' });
    expect(owner.has('history')).toBe(true);
  });
});

describe('the level', () => {
  it('is the one that was set, with any other entries, and never grants too much', () => {
    fc.assert(
      fc.property(level, level, role, fc.array(role, { maxLength: 5 }), (before, wanted, as, others) => {
        const people = others.map((one, i) => person(`p${i}`, grantOf(one)));
        const entries = atLevel(atLevel(people, before, 'canRead'), wanted, as);
        expect(levelOf(entries)).toBe(wanted);
        expect(entries.filter(({ principal }) => principal.kind === 'user')).toEqual(people);
        const [open] = entries.filter(({ principal }) => principal.kind === 'anonymous');
        expect(open === undefined).toBe(wanted === 'specificUsers');
        expect(open?.permissions ?? []).not.toContain('own');
        if (wanted === 'byLink') expect(open?.permissions).not.toContain('discover');
      }),
    );
  });
});

describe('codes', () => {
  it('are long enough, without similar letters, and accepted as people type them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
        const code = newCode((given) => {
          given.set(bytes);
          return given;
        });
        expect(isCode(code)).toBe(true);
        expect(plainCode(` ${code.toLowerCase()} `)).toBe(code.replace('-', ''));
      }),
    );
    expect(new Set(codeAlphabet).size).toBe(codeAlphabet.length);
    for (const wrong of ['', 'ABC', 'ABCD-EF', 'ABCD-EFG0', 'ABCD EFG!']) expect(isCode(wrong)).toBe(false);
  });
});

describe('a list in a request', () => {
  it('is read as it was in the response', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { maxLength: 5 }), role, level, (ids, as, at) => {
        const entries = atLevel(
          ids.map((id) => person(id, grantOf(as))),
          at,
          'canComment',
        );
        const { wanted, errors } = read(...entries);
        expect(errors).toEqual([]);
        expect(wanted).toHaveLength(entries.length);
      }),
    );
  });

  it('has the role that matches most for each entry, or an error without the permission to read', () => {
    fc.assert(
      fc.property(some, (held) => {
        const { wanted, errors } = read({ principal: { email: 'a@example.test' }, permissions: held });
        const one = { kind: 'pending', email: 'a@example.test', again: false, role: roleOf(held), at: 0 };
        expect(wanted).toEqual(held.includes('read') ? [one] : []);
        expect(errors).toHaveLength(held.includes('read') ? 0 : 1);
      }),
    );
    const roleIn = (...held: Grant[]) =>
      read({ principal: { email: 'a@example.test' }, permissions: held }).wanted.map(
        (one) => 'role' in one && one.role,
      );
    expect(roleIn('read', 'write')).toEqual(['canEdit']);
    expect(roleIn('read', 'read', 'comment')).toEqual(['canComment']);
    expect(roleIn('read', 'own', 'write')).toEqual(['canEditShare']);
    expect(roleIn('write', 'own')).toEqual([]);
  });

  it('compares addresses without regard to case', () => {
    const { wanted } = read(
      { principal: { email: 'Dana@Example.test' }, permissions: ['read'] },
      { principal: { kind: 'pending', id: -1, email: 'dana@example.test.' }, permissions: ['read'] },
    );
    expect(wanted).toHaveLength(1);
  });
});
