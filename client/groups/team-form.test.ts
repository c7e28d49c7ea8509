import { expect, it, test } from 'vitest';
import { sentFields, teamFields, wrongFields } from './team-form.ts';

const team = (fields: object) => ({ ...teamFields({ type: 'team' }, 'en'), ...fields });

test.each([
  [{ defaultQuota: '12,5' }, []],
  [{ defaultQuota: '1e3' }, ['defaultQuota']],
  [{ defaultQuota: '-1', balanceThreshold: '٣' }, ['defaultQuota', 'balanceThreshold']],
  [{ maxDurationMins: '0' }, ['maxDurationMins']],
  [{ maxDurationMins: '6001' }, ['maxDurationMins']],
  [{ maxDurationMins: ' 90 ' }, []],
  [{ secondPass: '' }, []],
  [{ secondPass: '100' }, []],
  [{ secondPass: '101' }, ['secondPass']],
  [{ secondPass: '1.5' }, ['secondPass']],
  [{ invitationEmail: 'See www.x' }, ['invitationEmail']],
  // A plain group does not send its settings, so that none is wrong.
  [{ type: 'group', defaultQuota: 'x' }, []],
])('%j: wrong are %j', (fields, wrong) => expect(wrongFields(team(fields)).map(({ field }) => field)).toEqual(wrong));

it('empty fields are no limit, and the settings of a plain group are left out', () => {
  expect(sentFields(team({ defaultQuota: ' ', maxDurationMins: '90', balanceThreshold: '' }))).toMatchObject({
    ...{ defaultQuota: null, maxDurationMins: 90, balanceThreshold: null, forceAccountType: null },
    ...{ noWelcomeEmail: false, notifyAdminOnUpload: 'off', type: 'team' },
  });
  expect(sentFields(team({ type: 'group' }))).toEqual({ type: 'group' });
});

it('settings are shown as people of a language write them, and read again', () => {
  const shown = teamFields({ type: 'team', defaultQuota: 1234.5, balanceThreshold: null, noWelcomeEmail: true }, 'ru');
  expect([shown.defaultQuota, shown.balanceThreshold, shown.welcome]).toEqual(['1234,5', '', false]);
  expect(wrongFields(shown)).toEqual([]);
});
