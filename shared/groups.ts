import { z } from 'zod';
import { accountTypeIds, type AccountTypeId } from './account-choices.ts';
import { emailInput } from './accounts.ts';
import { bidi, controls } from './email.ts';
import { groupLimits, groupRoles, groupTypes, wrongGroupName, type GroupRole, type GroupType } from './group-rules.ts';
import { plainName } from './library.ts';
import { creditsInput } from './money.ts';
import { modelId } from './outcome-models.ts';
import { mailTimes, teamLimits, wrongWords } from './team-rules.ts';

// ---- Inputs ------------------------------------------------------------------------------------

const text = (wrong: (plain: string) => string | null) =>
  z
    .string('required')
    .transform(plainName)
    .superRefine((plain, ctx) => {
      const message = wrong(plain);
      if (message !== null) ctx.addIssue({ code: 'custom', message });
    });
const name = text(wrongGroupName);
const description = z
  .string('invalid')
  .transform((given) => given.normalize('NFC').trim())
  .superRefine((plain, ctx) => {
    if ([...plain].length > groupLimits.description) ctx.addIssue({ code: 'custom', message: 'too_long' });
    else if (bidi.test(plain) || controls.test(plain.replaceAll(/[\n\r\t]/g, '')))
      ctx.addIssue({ code: 'custom', message: 'name' });
  });

const credits = creditsInput({ least: '0', most: '1000000' });
/** Words of an admin in mails of ours. */
const words = z
  .string('invalid')
  .transform((given) => given.normalize('NFC').trim())
  .superRefine((plain, ctx) => {
    const wrong = wrongWords(plain);
    if (wrong !== null) ctx.addIssue({ code: 'custom', message: wrong });
  });

/** Settings of a team; in answers only its admins see them. */
const options = {
  /** Credits the team pays for each member in all; null: no limit. */
  defaultQuota: credits.nullable(),
  maxDurationMins: z.int('number').min(1, 'number').max(teamLimits.durationMins, 'number').nullable(),
  /** Admins get a mail when the payer's credits fall below it; null: never. */
  balanceThreshold: credits.nullable(),
  /** True: a mail for each recording. */
  notifyAdminOnUpload: z.union([z.boolean(), z.enum(mailTimes)]),
  forceAccountType: z.enum(accountTypeIds as [AccountTypeId, ...AccountTypeId[]]).nullable(),
  forceOutcomeModel: modelId.nullable(),
  hideBuiltinModels: z.boolean(),
  invitationEmail: words,
  assessmentEmail: words,
  noWelcomeEmail: z.boolean(),
  assessmentMails: z.enum(mailTimes),
  /** Percent of the reviews led by members that are assessed a second time, without their people knowing. */
  secondPass: z.int('percent').min(0, 'percent').max(100, 'percent'),
  /** Ids of the members who do so. */
  secondReaders: z.array(z.string('invalid').max(100, 'invalid')).max(groupLimits.members, 'too_many'),
};
const teamOptionNames = Object.keys(options) as (keyof typeof options)[];
const someOptions = z.object(options).partial();
export type TeamOptions = z.output<typeof someOptions>;

/** A person to invite: an address, or one with a role and a quota. */
const invited = z.union([
  emailInput.transform((email) => ({ email, role: 'member' as GroupRole, quota: undefined })),
  z.object({
    email: emailInput,
    role: z.enum(groupRoles).default('member'),
    quota: credits.nullable().optional(),
  }),
]);
const named = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)], 'invalid');

/** Fields of a group's responses that are accepted in requests and ignored. */
const ignoredFields = ['id', 'role', 'members', 'admins', 'archived', 'created', 'balance', 'askedPayer', 'models'];

const groupChange = z.looseObject({
  name: name.optional(),
  description: description.optional(),
  type: z.enum(groupTypes).optional(),
  ...someOptions.shape,
  modelsInclude: z.array(modelId).max(groupLimits.models, 'too_many').optional(),
  modelsExclude: z.array(modelId).max(groupLimits.models, 'too_many').optional(),
});
const membersChange = groupChange.extend({
  /** Id of an admin, or the admin as answered. Null is what a team without a payer is answered with. */
  payer: named.nullable().optional(),
  include: z.array(invited).max(groupLimits.invites, 'too_many').optional(),
  exclude: z.array(named).max(groupLimits.members, 'too_many').optional(),
});
const newGroup = groupChange.extend({ name, folder: z.boolean('invalid').optional() });

/** Unknown fields are refused: the sender would take them for saved. */
const onlyKnown = (shape: object) => (given: Record<string, unknown>, ctx: z.RefinementCtx) => {
  for (const field of Object.keys(given))
    if (!Object.hasOwn(shape, field) && !ignoredFields.includes(field))
      ctx.addIssue({ code: 'custom', message: 'unknown', path: [field.slice(0, 60)] });
};
/** Separates the settings of a team from the fields of every group. */
function sorted<T extends TeamOptions & Record<string, unknown>>(given: T) {
  const set: TeamOptions = {};
  for (const option of teamOptionNames)
    if (given[option] !== undefined) Object.assign(set, { [option]: given[option] });
  return { name: given['name'], description: given['description'], type: given['type'], options: set } as {
    name?: string | undefined;
    description?: string | undefined;
    type?: GroupType | undefined;
    options: TeamOptions;
  };
}

export const groupChangeInput = membersChange.superRefine(onlyKnown(membersChange.shape)).transform((given) => ({
  ...sorted(given),
  payer: given.payer,
  include: given.include,
  exclude: given.exclude,
  modelsInclude: given.modelsInclude,
  modelsExclude: given.modelsExclude,
}));
export type GroupChange = z.output<typeof groupChangeInput>;

export const groupInput = newGroup.superRefine(onlyKnown(newGroup.shape)).transform((given) => ({
  ...sorted(given),
  name: given.name,
  folder: given.folder ?? false,
  modelsInclude: given.modelsInclude,
  modelsExclude: given.modelsExclude,
}));
export type GroupInput = z.output<typeof groupInput>;

export const cloneInput = z.object({ name, copyMembers: z.boolean('invalid').default(false) });
export type CloneInput = z.output<typeof cloneInput>;

export const membersInput = z.object({
  members: z
    .array(
      z.object({
        email: emailInput,
        role: z.enum(groupRoles).default('member'),
        /** Credits; null: the team's default. Left out, it stays. */
        quota: credits.nullable().optional(),
      }),
    )
    .min(1, 'required')
    .max(groupLimits.invites, 'too_many'),
});
export type MembersInput = z.output<typeof membersInput>;

export const memberInput = z.object({
  role: z.enum(groupRoles).optional(),
  /** Credits; null: the team's default. */
  quota: credits.nullable().optional(),
});
export type MemberInput = z.output<typeof memberInput>;

/** A day in UTC, or an exact time; a day alone begins or ends with it. */
const moment = (of: 'start' | 'end') =>
  z.string('date').transform((text, ctx) => {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const at = new Date(isDay ? `${text}T${of === 'start' ? '00:00:00' : '23:59:59'}Z` : text);
    const isTime = isDay || /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
    if (isTime && !Number.isNaN(at.getTime()) && (!isDay || at.toISOString().startsWith(text))) return at;
    ctx.addIssue({ code: 'custom', message: 'date' });
    return z.NEVER;
  });
export const reportQuery = z
  .object({ fromDate: moment('start'), toDate: moment('end') })
  .refine(({ fromDate, toDate }) => fromDate <= toDate, { path: ['toDate'], message: 'date_order' });
export type ReportQuery = z.output<typeof reportQuery>;

// ---- Views -------------------------------------------------------------------------------------

const payerView = z.object({ id: z.string(), first_name: z.string(), last_name: z.string() });

/** Settings of a team, for its admins. Credits are numbers, as people typed them. */
const optionsView = z.object({
  defaultQuota: z.number().nullable(),
  maxDurationMins: z.number().int().nullable(),
  balanceThreshold: z.number().nullable(),
  notifyAdminOnUpload: z.union([z.boolean(), z.literal('daily')]),
  forceAccountType: z.string().nullable(),
  forceOutcomeModel: z.string().nullable(),
  hideBuiltinModels: z.boolean(),
  invitationEmail: z.string(),
  assessmentEmail: z.string(),
  noWelcomeEmail: z.boolean(),
  assessmentMails: z.enum(mailTimes),
  secondPass: z.number().int(),
  secondReaders: z.array(z.string()),
});
export type TeamOptionsView = z.infer<typeof optionsView>;

export const groupView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(groupTypes),
  archived: z.boolean(),
  created: z.string(),
  /** Role of the caller. */
  role: z.enum(groupRoles),
  /** Number of members who have joined. */
  members: z.number().int(),
  /** Outcome models that members are offered besides those of their account type; sets that are gone stay named. */
  models: z.array(z.string()),
  /** Credits of the payer, for the admins of a team; null where nobody pays. */
  balance: z.string().nullable(),
  /** The admin who pays for a team, and the one who is asked to. */
  payer: payerView.nullable(),
  askedPayer: payerView.nullable(),
  ...optionsView.partial().shape,
});
export type GroupView = z.infer<typeof groupView>;
export const groupsAnswer = z.object({ groups: z.array(groupView) });
/** A group that was made, with the folder that is shared with it. */
export const newGroupView = groupView.extend({ folder: z.object({ id: z.string(), path: z.string() }).nullable() });
export type NewGroupView = z.infer<typeof newGroupView>;

const memberView = z.object({
  /** Id of the person, or of the invitation if it is still pending. */
  id: z.string(),
  kind: z.enum(['user', 'pending']),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  role: z.enum(groupRoles),
  /** Credits that a team pays for them in all, and what is used; admins see all, members their own. */
  quota: z.number().nullable().optional(),
  /** Whether the quota is the team's default. */
  quotaDefault: z.boolean().optional(),
  used: z.number().optional(),
  payer: z.boolean(),
  /** Pending people only: whether they declined. */
  declined: z.boolean().optional(),
});
export type MemberView = z.infer<typeof memberView>;
export const groupDetail = groupView.omit({ members: true }).extend({ members: z.array(memberView) });
export type GroupDetail = z.infer<typeof groupDetail>;
