import { z } from 'zod';
import { emailInput } from './accounts.ts';
import { bidi, controls } from './email.ts';
import { groupLimits, groupRoles, groupTypes, wrongGroupName, type GroupType } from './group-rules.ts';
import { plainName } from './library.ts';

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

/** Fields of a group's responses that are accepted in requests and ignored. */
const ignoredFields = ['id', 'role', 'members', 'admins', 'archived', 'created'];

const groupChange = z.looseObject({
  name: name.optional(),
  description: description.optional(),
  type: z.enum(groupTypes).optional(),
});
/** Unknown fields are refused: the sender would take them for saved. */
const knownFieldsOnly = (given: Record<string, unknown>, ctx: z.RefinementCtx) => {
  for (const field of Object.keys(given))
    if (!Object.hasOwn(groupChange.shape, field) && !ignoredFields.includes(field))
      ctx.addIssue({ code: 'custom', message: 'unknown', path: [field.slice(0, 60)] });
};
interface GroupFields {
  name?: string | undefined;
  description?: string | undefined;
  type?: GroupType | undefined;
}
export const groupChangeInput = groupChange
  .superRefine(knownFieldsOnly)
  .transform((given): GroupFields => ({ name: given.name, description: given.description, type: given.type }));
export type GroupChange = z.output<typeof groupChangeInput>;
export const groupInput = groupChange
  .extend({ name })
  .superRefine(knownFieldsOnly)
  .transform((given): GroupFields & { name: string } => ({
    name: given.name,
    description: given.description,
    type: given.type,
  }));
export type GroupInput = z.output<typeof groupInput>;

export const membersInput = z.object({
  members: z
    .array(z.object({ email: emailInput, role: z.enum(groupRoles).default('member') }))
    .min(1, 'required')
    .max(groupLimits.invites, 'too_many'),
});
export type MembersInput = z.output<typeof membersInput>;

// ---- Views -------------------------------------------------------------------------------------

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
});
export type GroupView = z.infer<typeof groupView>;
export const groupsAnswer = z.object({ groups: z.array(groupView) });

const memberView = z.object({
  /** Id of the person, or of the invitation if it is still pending. */
  id: z.string(),
  kind: z.enum(['user', 'pending']),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  role: z.enum(groupRoles),
});
export type MemberView = z.infer<typeof memberView>;
export const groupDetail = groupView.omit({ members: true }).extend({ members: z.array(memberView) });
export type GroupDetail = z.infer<typeof groupDetail>;
