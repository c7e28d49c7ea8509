import type { GroupType } from '#shared/group-rules.ts';
import type { GroupView } from '#shared/groups.ts';
import { parseCredits } from '#shared/money.ts';
import type { FieldError } from '#shared/problems.ts';
import { mailTimes, teamLimits, wrongWords, type MailTime } from '#shared/team-rules.ts';

import { creditsTyped } from './credits.ts';

/** The settings of a team as its form holds them; amounts as they are typed. */
export interface TeamFields {
  type: GroupType;
  defaultQuota: string;
  maxDurationMins: string;
  balanceThreshold: string;
  notifyAdminOnUpload: MailTime;
  forceAccountType: string;
  forceOutcomeModel: string;
  hideBuiltinModels: boolean;
  invitationEmail: string;
  assessmentEmail: string;
  welcome: boolean;
  assessmentMails: MailTime;
  secondPass: string;
  secondReaders: readonly string[];
}

export const mailTime = (given: string | boolean | undefined): MailTime =>
  mailTimes.find((one) => one === given) ?? (given === true ? 'once' : 'off');

export const teamFields = (group: Partial<GroupView> | undefined, language: string): TeamFields => ({
  type: group?.type ?? 'group',
  defaultQuota: creditsTyped(language, group?.defaultQuota ?? null),
  maxDurationMins: String(group?.maxDurationMins ?? ''),
  balanceThreshold: creditsTyped(
    language,
    group?.balanceThreshold === undefined ? teamLimits.threshold : group.balanceThreshold,
  ),
  notifyAdminOnUpload: mailTime(group?.notifyAdminOnUpload),
  forceAccountType: group?.forceAccountType ?? '',
  forceOutcomeModel: group?.forceOutcomeModel ?? '',
  hideBuiltinModels: group?.hideBuiltinModels ?? false,
  invitationEmail: group?.invitationEmail ?? '',
  assessmentEmail: group?.assessmentEmail ?? '',
  welcome: !(group?.noWelcomeEmail ?? false),
  assessmentMails: group?.assessmentMails ?? 'once',
  secondPass: group?.secondPass ? String(group.secondPass) : '',
  secondReaders: group?.secondReaders ?? [],
});

/** Whole percent as it was typed, 0 where nothing was; null: it is none. */
export function percentOf(typed: string): number | null {
  const given = typed.trim();
  return /^[0-9]{0,3}$/.test(given) && Number(given) <= 100 ? Number(given) : null;
}

const amounts = ['defaultQuota', 'balanceThreshold'] as const;
const words = ['invitationEmail', 'assessmentEmail'] as const;

/** Errors of the settings; a plain group has none. */
export function wrongFields(fields: TeamFields): FieldError[] {
  if (fields.type !== 'team') return [];
  const mins = fields.maxDurationMins.trim();
  const isWhole =
    mins === '' || (/^[0-9]{1,4}$/.test(mins) && Number(mins) >= 1 && Number(mins) <= teamLimits.durationMins);
  return [
    ...amounts
      .filter((field) => fields[field].trim() !== '' && parseCredits(fields[field]) === null)
      .map((field) => ({ field, code: 'amount' })),
    ...(isWhole ? [] : [{ field: 'maxDurationMins', code: 'number' }]),
    ...(percentOf(fields.secondPass) === null ? [{ field: 'secondPass', code: 'percent' }] : []),
    ...words.flatMap((field) => {
      const code = wrongWords(fields[field].trim());
      return code === null ? [] : { field, code };
    }),
  ];
}

/** The settings as the server takes them; those of a plain group are left out, and kept. */
export function sentFields({ type, welcome, ...fields }: TeamFields) {
  if (type !== 'team') return { type };
  const typed = (text: string) => (text.trim() === '' ? null : text.trim());
  const mins = typed(fields.maxDurationMins);
  return {
    ...fields,
    type,
    defaultQuota: typed(fields.defaultQuota),
    maxDurationMins: mins === null ? null : Number(mins),
    balanceThreshold: typed(fields.balanceThreshold),
    forceAccountType: typed(fields.forceAccountType),
    forceOutcomeModel: typed(fields.forceOutcomeModel),
    noWelcomeEmail: !welcome,
    secondPass: percentOf(fields.secondPass) ?? 0,
  };
}
