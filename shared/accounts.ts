import { z } from 'zod';
import { accountTypeIds, deletionReasons, type AccountTypeId } from './account-choices.ts';
import { balanceView, billingInfoView } from './billing.ts';
import { legacyInput, othersInput } from './leaving.ts';
import { bidi, controls, isEmail, longestEmail } from './email.ts';
import { searchMin } from './people-search.ts';
import { modelId } from './outcome-models.ts';
import { forcedModel, forcedType, offeredModels, type Ruling } from './team-rules.ts';

export const languages = ['en', 'zh', 'ru', 'es'] as const;
export type Language = (typeof languages)[number];
export const fallbackLanguage: Language = 'en';

export const limits = {
  emailLength: longestEmail,
  passwordMin: 8,
  passwordMax: 128,
  /** Longer passwords are never hashed, to save time, whatever the field allows. */
  passwordBytes: 1024,
  nameLength: 100,
  preferencesBytes: 16 * 1024,
  feedbackLength: 10_000,
  logLength: 4096,
  tokenNameLength: 100,
  tokensPerPerson: 50,
} as const;

/** Lifetimes in seconds. */
export const lifetimes = {
  /** Session with "Remember me": idle and absolute lifetime. */
  sessionIdle: 14 * 86_400,
  sessionAbsolute: 30 * 86_400,
  /** Session without it: the cookie ends with the browser, and the session a day after its last use. */
  shortSessionIdle: 86_400,
  shortSessionAbsolute: 7 * 86_400,
  confirm: 86_400,
  reset: 3600,
  changeEmail: 86_400,
  undoEmail: 72 * 3600,
  invitation: 14 * 86_400,
  csrf: 7200,
  reauthentication: 300,
  /** Mails that only inform: later than this they are not sent any more. */
  notice: 7 * 86_400,
  knownDevice: 180 * 86_400,
  unconfirmedAccount: 7 * 86_400,
} as const;

/** Id of the anonymous principal on the wire; the server never reads it back. */
export const anonymousId = -1;

/** Key for lookups and limits: case, compatibility forms and a trailing dot do not make another mailbox. */
export function emailKey(address: string): string {
  // Blanks may come from compatibility forms and stand before a trailing dot; a small letter may be a compatibility form.
  const plain = address.normalize('NFKC').toLowerCase().normalize('NFKC');
  return plain.replace(/^\s+|[\s.]+$/g, '');
}

const text = (max: number) => z.string('invalid').max(max, 'too_long');
export const emailInput = z
  .string('required')
  .trim()
  .normalize('NFC')
  .min(1, 'required')
  .refine((value) => value === '' || isEmail(value), 'email');

export const newPassword = z
  .string('required')
  .min(1, 'required')
  .refine((value) => value.length === 0 || [...value].length >= limits.passwordMin, 'password_short')
  .refine((value) => [...value].length <= limits.passwordMax, 'password_long')
  .refine((value) => !value.includes('\0'), 'invalid');

/** Existing password: only checked for what can be hashed at all. */
const givenPassword = z
  .string('required')
  .min(1, 'required')
  .refine((value) => new TextEncoder().encode(value).length <= limits.passwordBytes, 'too_long')
  .refine((value) => !value.includes('\0'), 'invalid');

export const nameInput = z
  .string('required')
  .transform((value) => value.normalize('NFC').trim().replaceAll(/\s+/gu, ' '))
  .pipe(
    z
      .string()
      .min(1, 'required')
      .max(limits.nameLength, 'too_long')
      .refine((value) => !controls.test(value) && !bidi.test(value), 'name'),
  );

const yesOrNo = (code: string) => z.union([z.boolean(), z.string()], code);
/** Yes from a form is `y`, from a program `true`; nothing else counts. */
export const isYes = (value: unknown): boolean => value === true || value === 'y';

/** Field names: snake_case from the registration page, camelCase from programs. */
const aliases: Record<string, string> = {
  password_confirm: 'passwordConfirm',
  first_name: 'firstName',
  last_name: 'lastName',
  new_email: 'newEmail',
  'g-recaptcha-response': 'botToken',
  login: 'email',
};
function withAliases(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const name = aliases[key] ?? key;
    if (!(name in result)) result[name] = field;
  }
  return result;
}
const input = <T extends z.ZodRawShape>(shape: T) => z.preprocess(withAliases, z.object(shape));

export const loginInput = input({
  email: emailInput,
  password: givenPassword,
  remember: yesOrNo('invalid').optional(),
});
export type LoginInput = z.infer<typeof loginInput>;

const samePasswords = (value: { password: string; passwordConfirm: string }, ctx: z.RefinementCtx) => {
  if (value.password !== value.passwordConfirm) {
    ctx.addIssue({ code: 'custom', message: 'password_mismatch', path: ['passwordConfirm'] });
  }
};

export const registerInput = z.preprocess(
  withAliases,
  z
    .object({
      email: emailInput,
      password: newPassword,
      passwordConfirm: z.string('required'),
      firstName: nameInput,
      lastName: nameInput,
      // Required on purpose: a missing optional field would skip the refinement.
      terms: yesOrNo('terms').refine(isYes, 'terms'),
      language: z.enum(languages).optional().catch(undefined),
      /** Code of the link by which somebody invited the person. */
      referral: z.string().max(60).optional().catch(undefined),
      botToken: z.string().max(4096).optional(),
    })
    .superRefine(samePasswords),
);
export type RegisterInput = z.infer<typeof registerInput>;

export const addressInput = input({ email: emailInput, botToken: z.string().max(4096).optional() });
export type AddressInput = z.infer<typeof addressInput>;

export const newPasswordInput = z.preprocess(
  withAliases,
  z.object({ password: newPassword, passwordConfirm: z.string('required') }).superRefine(samePasswords),
);
export type NewPasswordInput = z.infer<typeof newPasswordInput>;

export const changeEmailInput = input({ newEmail: emailInput });
export const confirmEmailChangeInput = input({
  token: z.string('required').min(1, 'required').max(4096),
  password: givenPassword,
});

export const deleteAccountInput = input({
  password: givenPassword.optional(),
  reason: z.enum(deletionReasons, 'required'),
  comment: text(2000).optional(),
  recordings: legacyInput.default([]),
  others: othersInput.optional(),
});
export type DeleteAccountInput = z.infer<typeof deleteAccountInput>;

export const tokenInput = z.object({
  name: z.string('required').trim().min(1, 'required').max(limits.tokenNameLength, 'too_long'),
});
export const searchInput = z.object({
  text: z.string('required').trim().min(searchMin, 'too_short').max(limits.emailLength, 'too_long'),
});
export const scopeInput = z.object({
  scope: z.object({
    scope_id: z.string('required').min(1, 'required').max(100),
    role_id: z.string('required').min(1, 'required').max(100),
  }),
});
/** Whether somebody can read what is written in the support form. */
export const supportView = z.object({
  isRead: z.boolean(),
  /** A model answers the caller first: its host, or null where nothing leaves the server. */
  chat: z.object({ host: z.string().nullable() }).nullable(),
});
export const feedbackInput = z.object({
  /** A conversation of the caller with the model, which is sent along. */
  chatId: z.string().max(100, 'too_long').optional(),
  contact: z.string().trim().max(limits.emailLength, 'too_long').optional(),
  text: z.string('required').trim().min(1, 'required').max(limits.feedbackLength, 'too_long'),
});
export const logInput = z.object({
  message: z.string('required').min(1, 'required').max(limits.logLength, 'too_long'),
});

// ---- Account types, outcome models --------------------------------------------------------------

const accountTypeView = z.object({
  id: z.string(),
  active: z.boolean(),
  models: z.array(
    z.object({
      ...{ id: z.string(), active: z.boolean() },
      own: z.boolean().describe('Whether people made it.'),
      name: z.string().optional().describe('Of a set that people made.'),
    }),
  ),
});
type AccountTypeView = z.infer<typeof accountTypeView>;

/**
 * Account types for the screens: at most one is active, and each has exactly one active model. A team may force both,
 * and change which models are offered.
 */
export function accountTypesFor(
  chosen: string | null,
  models: Record<string, string>,
  ruling: Ruling | null = null,
): AccountTypeView[] {
  const type = forcedType(ruling) ?? chosen;
  return accountTypeIds.map((id) => {
    const offered: readonly string[] = offeredModels(id, ruling);
    const picked = forcedModel(ruling) ?? models[id];
    const active = picked !== undefined && offered.includes(picked) ? picked : offered[0];
    return {
      id,
      active: id === type,
      models: offered.map((model) => {
        const set = ruling?.sets.find((one) => one.id === model);
        return { id: model, active: model === active, own: set !== undefined, ...(set && { name: set.name }) };
      }),
    };
  });
}

// ---- Preferences --------------------------------------------------------------------------------

export const preferencesInput = z
  .strictObject({
    doc: z.strictObject({ disablePlayOnDoubleClick: z.boolean() }).partial(),
    hardcorePrivacy: z.boolean(),
    disableAutoCapitalize: z.boolean(),
    disableAutoDecapitalize: z.boolean(),
    disableAutoPeriod: z.boolean(),
    showConfirmationPopupForOutcomes: z.boolean(),
    transcriptHighlightingMode: z.enum(['sentence', 'word']),
    pauseOnOutcomeSelecting: z.boolean(),
    upgradeNotice: z.literal('dismissed'),
    docPanesOrder: z.array(z.string().max(40)).max(20),
    searchResultsViewMode: z.enum(['tile', 'table']),
    videoPlayerMode: z.enum(['title', 'pane', 'pip']),
    upload: z
      .strictObject({
        language: z.string().max(20),
        speakersNumber: z.number().int().min(0).max(10),
        vocab: z.string().max(5000),
        model: z.string().max(60),
        externalTranscriptTypeId: z.string().max(40),
      })
      .partial(),
    export: z.strictObject({ format: z.string().max(40), fileType: z.enum(['txt', 'docx', 'pdf']) }).partial(),
    productTours: z
      .strictObject({
        completedToursIds: z.array(z.string().max(60)).max(100),
        skippedToursIds: z.array(z.string().max(60)).max(100),
        skipAll: z.boolean(),
      })
      .partial(),
  })
  .partial();
export type Preferences = z.infer<typeof preferencesInput>;

export const defaultPreferences = {
  hardcorePrivacy: false,
  disableAutoCapitalize: false,
  disableAutoDecapitalize: false,
  disableAutoPeriod: false,
  showConfirmationPopupForOutcomes: true,
  transcriptHighlightingMode: 'sentence',
  pauseOnOutcomeSelecting: true,
} as const satisfies Preferences;

export const meInput = z.strictObject({
  accountType: z.enum(accountTypeIds as [AccountTypeId, ...AccountTypeId[]]).optional(),
  outcomeModel: modelId.optional(),
  preferences: preferencesInput.optional(),
  language: z.enum(languages).optional(),
});
export type MeInput = z.infer<typeof meInput>;

// ---- Views --------------------------------------------------------------------------------------

export const principalView = z.object({
  id: z.union([z.string(), z.literal(anonymousId)]),
  kind: z.enum(['user', 'pending', 'anonymous']),
  email: z.string().nullable(),
  first_name: z.string(),
  last_name: z.string(),
  confirmed: z.boolean(),
  hasPassword: z.boolean(),
  language: z.enum(languages).nullable(),
  preferences: preferencesInput,
  accountType: z.string().nullable(),
  outcomeModel: z.string().nullable(),
  scope: z.object({ scope_id: z.string(), role_id: z.string() }).nullable(),
  billingInfo: billingInfoView.nullable(),
});
export type PrincipalView = z.infer<typeof principalView>;

export const anonymousPrincipal: PrincipalView = {
  id: anonymousId,
  kind: 'anonymous',
  email: null,
  first_name: '',
  last_name: '',
  confirmed: false,
  hasPassword: false,
  language: null,
  preferences: {},
  accountType: null,
  outcomeModel: null,
  scope: null,
  billingInfo: null,
};

/** Person a search found; of a `pending` one only the address is shown, so that it can be invited. */
const foundPersonView = z.object({
  id: z.union([z.string(), z.literal(anonymousId)]),
  kind: z.enum(['user', 'pending']),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
});
/** Group of the caller. */
const foundGroupView = z.object({
  id: z.string(),
  kind: z.literal('group'),
  name: z.string(),
  members: z.number().int(),
});
const foundPrincipalView = z.union([foundPersonView, foundGroupView]);
export type FoundPerson = z.infer<typeof foundPersonView>;
export type FoundPrincipal = z.infer<typeof foundPrincipalView>;
export const searchAnswer = z.object({ principals: z.array(foundPrincipalView) });

/** Times in milliseconds since 1970. */
export const apiTokenView = z.object({
  id: z.string(),
  name: z.string(),
  created: z.number(),
  used: z.number().nullable(),
});
export type ApiTokenView = z.infer<typeof apiTokenView>;
/** Response to the creation: the only time the token itself is shown. */
export const newApiTokenView = z.object({ id: z.string(), name: z.string(), token: z.string() });

export const sessionView = z.object({
  id: z.string(),
  /** Session of this request. */
  current: z.boolean(),
  userAgent: z.string(),
  remember: z.boolean(),
  created: z.number(),
  seen: z.number(),
});
export type SessionView = z.infer<typeof sessionView>;

const scopeView = z.object({
  scope_id: z.string(),
  scope_name: z.string(),
  role_id: z.string(),
  role_name: z.string(),
});
export type ScopeView = z.infer<typeof scopeView>;

/** Default scope of every person; it is not stored. */
export const personalScope: ScopeView = {
  scope_id: 'personal',
  scope_name: 'Personal',
  role_id: 'owner',
  role_name: 'Owner',
};

export const sessionInfoView = z.object({
  principal: principalView,
  config: z.object({
    outcomes: z.array(z.object({ id: z.string() })),
    preferences: preferencesInput,
    maxRelaxedReviewParticipants: z.number(),
    maxStrictReviewParticipants: z.number(),
    maxStudentReviewParticipants: z.number(),
    maxReviewSupervisors: z.number(),
    /** Whether recordings shared with everyone are found by their title. */
    discover: z.boolean(),
  }),
  billing: balanceView.nullable(),
  scopes: z.array(scopeView),
  circles: z.array(z.object({ id: z.string(), name: z.string() })),
  account_types: z.array(accountTypeView),
  /** Active groups of the caller, and those of them with a payer. */
  groups: z.array(z.object({ id: z.string(), name: z.string() })),
  teams: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: z.enum(['admin', 'member']),
      /** Longest recording that its members add, in minutes. */
      maxDurationMins: z.number().nullable(),
      /** Credits that the team pays for the caller in all, and what of it is used. */
      quota: z.number().nullable(),
      used: z.number(),
      /** Whether it has a payer; without one nobody pays for its members. */
      pays: z.boolean(),
    }),
  ),
  /** The team joined first, with what it decides in the caller's place; null where nothing is. */
  forced: z
    .object({
      team: z.object({ id: z.string(), name: z.string() }),
      accountType: z.string().nullable(),
      outcomeModel: z.string().nullable(),
    })
    .nullable(),
  invitations: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      inviter: z.string(),
      expires: z.number(),
      /** Group of the invitation; null for other invitations. */
      group: z.object({ id: z.string(), name: z.string() }).nullable(),
    }),
  ),
  /** Whether the caller transcribes recordings for others, with a queue of orders. */
  operator: z.boolean(),
});
export type SessionInfo = z.infer<typeof sessionInfoView>;

/** Failures of signing in with a provider: codes in `?error=` that the screens have texts for. */
const identityErrors = [
  /** Cancelled or refused at the provider. */
  'refused',
  /** The provider's response is invalid. */
  'failed',
  /** The provider does not respond. */
  'unavailable',
  /** The provider has not verified the address. */
  'unverified',
  /** The address already has an account with a password. */
  'account-exists',
  /** The sign-in took too long, or the session ended meanwhile. */
  'expired',
  /** Signing in again failed: another person signed in, or the provider did not ask for a new sign-in. */
  'other-person',
  'not-fresh',
] as const;
export type IdentityError = (typeof identityErrors)[number];

/** Sign-in options beyond e-mail and password. */
export const signInOptionsView = z.object({
  identity: z.object({ id: z.string(), name: z.string() }).nullable(),
  botCheck: z.boolean(),
  demo: z.array(z.object({ name: z.string(), email: z.string(), password: z.string() })),
});
export type SignInOptions = z.infer<typeof signInOptionsView>;

const invitationResults = ['ok', 'please-register', 'please-login', 'please-relogin', 'apply-error'] as const;
export const invitationAnswer = z.object({
  result: z.enum(invitationResults),
  /** Invited address, masked until the caller has proved to own it. */
  email: z.string().nullable(),
  token: z.object({ meeting_id: z.string().nullable(), email: z.string().nullable() }).nullable(),
  /** Name of the person who asks for a recording, once it is accepted. */
  inviter: z.string().optional(),
  /** Name of the inviter and kind of thing, where the address has no account yet; the mail with the link says the same. */
  invited: z.object({ by: z.string(), to: z.string() }).optional(),
});
export type InvitationAnswer = z.infer<typeof invitationAnswer>;

/** `a…@d…`: enough for the owner to recognise the address, too little for others to learn it. */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}…@${address.slice(at + 1, at + 2)}…`;
}
