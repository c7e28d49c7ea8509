// The upgrade notice (spec 3, section "Notices"; spec 1, section 9): who is offered a plan.
import { expect, test } from 'vitest';
import type { SessionInfo } from '#shared/accounts.ts';
import { upgradeOffer } from './upgrade-offer.ts';

const team = { pays: true };
function session(change: { principal?: object; billing?: object; teams?: object[]; invitations?: object[] } = {}) {
  const principal = { confirmed: true, accountType: 'individual', preferences: {}, ...change.principal };
  const billing = { plan: null, totalMinutes: 9.5, minutesForBalance: 0, ...change.billing };
  return { teams: [], invitations: [], ...change, principal, billing } as unknown as SessionInfo;
}

test.each([
  ['with less than ten minutes', session(), 'low'],
  ['with none', session({ billing: { totalMinutes: 0 } }), 'none'],
  ['with credits for some', session({ billing: { totalMinutes: 0, minutesForBalance: 6 } }), 'low'],
  ['with minutes', session({ billing: { totalMinutes: 10 } }), null],
  ['with credits for minutes', session({ billing: { minutesForBalance: 1 } }), null],
  ['with a plan', session({ billing: { plan: 'professional' } }), null],
  ['whom a team pays for', session({ teams: [team] }), null],
  ['in a team without a payer', session({ teams: [{ pays: false }] }), 'low'],
  ['of another type', session({ principal: { accountType: 'coach' } }), null],
  ['who has not confirmed the address', session({ principal: { confirmed: false } }), null],
  ['who closed it', session({ principal: { preferences: { upgradeNotice: 'dismissed' } } }), null],
  ['who is asked to join a team', session({ invitations: [{}] }), null],
  ['who is not signed in', { ...session(), billing: null }, null],
])('a person %s', (_, given, offer) => {
  expect(upgradeOffer(given, '/')).toBe(offer);
});

test('pages about money need no offer', () => {
  expect(
    ['/balance', '/buy-credits', '/change-plan', '/transactions'].map((path) => upgradeOffer(session(), path)),
  ).toEqual([null, null, null, null]);
  expect(upgradeOffer(undefined, '/')).toBeNull();
});
