import { z } from 'zod';
import { anonymousId, emailKey } from './accounts.ts';
import { isEmail } from './email.ts';
import { folderPath, placeAt } from './folders.ts';
import { rootPath } from './library.ts';
import { seenCost } from './intake.ts';
import type { FieldError } from './problems.ts';
import { versionNumber } from './versions.ts';
import { historyChoices, permissions, roleOf, roles, roleNames, type Grant, type Role } from './roles.ts';

export const sharingLimits = {
  entries: 200,
  /** Minimum length of an access code. */
  code: 8,
  /** Mails a person may send to others in an hour. */
  mailsPerHour: 50,
} as const;

/** Milliseconds for which the notice of a copied link or code is shown. */
export const copyNoticeMs = 15_000;
/** Days in which a browser need not enter the access code again. */
export const passDays = 30;

/** Alphabet without letters and digits that look alike. */
export const codeAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Normal form of a typed code: upper case, without blanks and dashes. */
export const plainCode = (typed: string): string => typed.toUpperCase().replaceAll(/[\s\u2010-\u2015-]/g, '');

export const isCode = (typed: string): boolean => {
  const code = plainCode(typed);
  return code.length >= sharingLimits.code && code.length <= 64 && [...code].every((one) => codeAlphabet.includes(one));
};

/** New code as it is shown: two groups of four out of 32 characters, so 40 bits. */
export function newCode(
  random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  const letters = [...random(new Uint8Array(8))].map((byte) => codeAlphabet[byte % 32]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

// ---- Access lists -------------------------------------------------------------------------------

const principalKinds = ['user', 'group', 'pending', 'anonymous'] as const;
type PrincipalKind = (typeof principalKinds)[number];

const aclEntryView = z.strictObject({
  principal: z.strictObject({
    id: z.union([z.string(), z.literal(anonymousId)]),
    kind: z.enum(principalKinds),
    /** Null if the sharing person never knew it and the person has not joined yet. */
    email: z.string().nullable(),
    first_name: z.string(),
    last_name: z.string(),
    name: z.string(),
  }),
  permissions: z.array(z.enum(permissions)),
  /** Links only: whether a code is needed. */
  code: z.boolean().optional(),
  /** Links only: expiry. */
  expires: z.string().nullable().optional(),
  /** Groups only: number of members, and whether it is archived, so without access. */
  members: z.number().int().optional(),
  archived: z.boolean().optional(),
  /** Addresses only: true if the person declined, and so has no access. */
  declined: z.boolean().optional(),
});
export type AclEntry = z.infer<typeof aclEntryView>;

export const aclView = z.strictObject({ entries: z.array(aclEntryView) });

const role = z.enum(roleNames as [Role, ...Role[]]);
const accessRequestView = z.object({
  id: z.string(),
  /** The role the person asks for. */
  asks: role,
  person: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  at: z.string(),
});
export type AccessRequest = z.infer<typeof accessRequestView>;

export const sharedAnswer = z.object({ acl: aclView, version: versionNumber });
export type SharedAnswer = z.infer<typeof sharedAnswer>;

/** Entry inherited from a folder above. */
const inheritedEntryView = aclEntryView.extend({
  /** Folder as the caller sees it; null if the caller cannot see it. */
  folder: z.object({ name: z.string(), path: z.string(), sid: z.string().nullable() }).nullable(),
  /** Entry of the folder's owner, who owns everything others put there. */
  owner: z.boolean(),
});
export type InheritedEntry = z.infer<typeof inheritedEntryView>;

export const folderSharingView = sharedAnswer.extend({
  owner: z.object({ id: z.string(), name: z.string() }),
  /** Access by the folders it is in. */
  inherited: z.array(inheritedEntryView),
  /** Price of sharing it with somebody outside the teams of its owner; null: nothing, or paid. */
  sharingCost: z.number().nullable(),
});
export type FolderSharingView = z.infer<typeof folderSharingView>;

const history = z.enum(historyChoices);
export const sharingView = folderSharingView.extend({
  /** The permission that versions and deleted text need. */
  history,
  /** While the text is closed, nobody can use the permission *write*. */
  closed: z.boolean(),
  /** Open requests for access. */
  requests: z.array(accessRequestView),
});
export type SharingView = z.infer<typeof sharingView>;

const word = z.string().max(500).nullish();
const entryInput = z.object({
  principal: z.object({
    id: z.union([z.string().max(100), z.number()]).nullish(),
    kind: z.enum(principalKinds).nullish(),
    email: z.string().max(500).nullish(),
    first_name: word,
    last_name: word,
    name: word,
  }),
  permissions: z.array(z.enum(permissions)).max(20),
  /** Links only: a new code, or null for none; a missing field or a boolean, as in responses, changes nothing. */
  code: z.union([z.string().max(200), z.boolean()]).nullish(),
  /** Links only: expiry, or null for never; a missing field changes nothing. */
  expires: z.iso.datetime({ offset: true }).nullish(),
  /** Addresses only: invites a person who declined once more; a missing field changes nothing. */
  again: z.boolean().nullish(),
});
export type EntryInput = z.input<typeof entryInput>;

export const aclInput = z.object({
  entries: z.array(entryInput).max(sharingLimits.entries, 'too_many'),
  version: z.number().int().min(0),
});
export type AclInput = z.output<typeof aclInput>;

/** `history` left out changes nothing. */
export const meetingAclInput = aclInput.extend({ history: history.optional() });
export type MeetingAclInput = z.output<typeof meetingAclInput>;

export const folderSharingQuery = z.strictObject({
  path: folderPath.default(rootPath),
  sid: z.string().max(100, 'too_long').optional(),
});
export const folderAclInput = aclInput.extend(placeAt.shape);
export type FolderAclInput = z.output<typeof folderAclInput>;

export const codeInput = z.object({ code: z.string('required').trim().min(1, 'required').max(200, 'too_long') });

export const requestAccessInput = z.object({ role: role.default('canRead') });

/** `before`: the same was asked within a day, and nothing is sent again. */
export const askedView = z.object({ before: z.boolean() });
export type AskedView = z.infer<typeof askedView>;

export const requestedView = z.object({
  id: z.string(),
  meeting: z.object({ id: z.string(), title: z.string() }),
  person: z.object({ name: z.string(), email: z.string() }),
  at: z.string(),
  /** The role the person asks for. */
  asks: role,
  /** Current role of the person; null for no access. */
  role: role.nullable(),
  answered: z.boolean(),
});
export type RequestedAccess = z.infer<typeof requestedView>;

/** Null declines the request. */
export const requestAnswerInput = z.object({ role: role.nullable() });

// ---- Levels -------------------------------------------------------------------------------------

export const sharingLevels = ['specificUsers', 'byLink', 'everyone'] as const;
type SharingLevel = (typeof sharingLevels)[number];

interface Entry {
  principal: { kind: PrincipalKind };
  permissions: readonly Grant[];
}

/** Sharing level, which depends on the anonymous entry alone. */
export function levelOf(entries: readonly Entry[]): SharingLevel {
  const open = entries.find(({ principal }) => principal.kind === 'anonymous');
  if (!open) return 'specificUsers';
  return open.permissions.includes('discover') ? 'everyone' : 'byLink';
}

/** Permissions of a role for a named person. */
export const grantOf = (role: Role): Grant[] => [...roles[role]];

/** Permissions of a role on a folder: those who may write may also upload. */
export const folderGrantOf = (role: Role): Grant[] =>
  grantOf(role).includes('write') ? [...grantOf(role), 'upload'] : grantOf(role);

/** Permissions of a role for anyone with the link: `discover` only on the level `everyone`, and never `own`. */
export const linkGrantOf = (role: Role, level: SharingLevel): Grant[] =>
  roles[role].filter((one) => one !== 'own' && (one !== 'discover' || level === 'everyone'));

/** Same list on another level: the anonymous entry is replaced or removed. */
export function atLevel(entries: readonly AclEntry[], level: SharingLevel, role: Role): AclEntry[] {
  const others = entries.filter(({ principal }) => principal.kind !== 'anonymous');
  if (level === 'specificUsers') return others;
  const before = entries.find(({ principal }) => principal.kind === 'anonymous');
  return [...others, { ...(before ?? anonymousEntry), permissions: linkGrantOf(role, level) }];
}

const anonymousEntry: Omit<AclEntry, 'permissions'> = {
  principal: { id: anonymousId, kind: 'anonymous', email: null, first_name: '', last_name: '', name: '' },
};

// ---- Reading access lists -----------------------------------------------------------------------

/** Entry as it was meant: the kind decides, never an id of -1. */
export type WantedEntry =
  | { kind: 'user'; id: string; email: string | null; role: Role; at: number }
  | { kind: 'group'; id: string; role: Role; at: number }
  | { kind: 'pending'; email: string; again: boolean; role: Role; at: number }
  | {
      kind: 'anonymous';
      permissions: Grant[];
      /** Undefined: unchanged. */
      code: string | null | undefined;
      expires: Date | null | undefined;
      at: number;
    };

/** Reads a whole list. Repeated entries count once, as the first one. */
export function readEntries(
  entries: AclInput['entries'],
  of: 'meeting' | 'folder' = 'meeting',
): { wanted: WantedEntry[]; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const wanted = new Map<string, WantedEntry>();
  for (const [at, entry] of entries.entries()) {
    const wrong = (field: string, code: string) => errors.push({ field: `entries.${at}.${field}`, code });
    const { principal } = entry;
    const email = principal.email?.trim() ?? '';
    const id = typeof principal.id === 'string' && /^[\w-]{1,64}$/.test(principal.id) ? principal.id : null;
    // Entries without a kind are addresses.
    const kind = principal.kind === 'user' && id === null ? 'pending' : (principal.kind ?? 'pending');
    const keep = (key: string, one: WantedEntry) => wanted.has(key) || wanted.set(key, one);
    const role = readRole(entry.permissions, of);
    if (!role) {
      wrong('permissions', entry.permissions.length === 0 ? 'required' : 'invalid');
      continue;
    }
    if (kind === 'group') {
      // Groups are identified by their id, never by an address or an id of -1.
      if (id === null) wrong('principal', 'unknown');
      else keep(`group ${id}`, { kind, id, role, at });
    } else if (kind === 'anonymous' && of === 'folder') wrong('principal', 'unavailable');
    else if (kind === 'anonymous') {
      if (role === 'canEditShare') wrong('permissions', 'anonymous_own');
      const given = entry.code;
      const code = typeof given === 'boolean' ? undefined : given === null ? null : given?.trim();
      if (typeof code === 'string' && !isCode(code)) wrong('code', 'code');
      const expires = entry.expires === undefined || entry.expires === null ? entry.expires : new Date(entry.expires);
      const level = entry.permissions.includes('discover') ? 'everyone' : 'byLink';
      const permitted = linkGrantOf(role, level);
      keep('anonymous', { kind, permissions: permitted, code: code && plainCode(code), expires, at });
    } else if (kind === 'user' && id !== null) keep(`user ${id}`, { kind, id, email: email || null, role, at });
    else if (email === '') wrong('principal', 'required');
    else if (!isEmail(email)) wrong('principal.email', 'email');
    else keep(`pending ${emailKey(email)}`, { kind: 'pending', email, again: entry.again === true, role, at });
  }
  return { wanted: [...wanted.values()], errors };
}

/** Role that a list of permissions is most like; null without the permission to read. */
function readRole(given: readonly Grant[], of: 'meeting' | 'folder'): Role | null {
  const set = new Set(given);
  if (!set.has('read')) return null;
  if (of === 'folder' && set.has('write')) set.delete('upload');
  return roleOf([...set]);
}

export const paidShareInput = z.object({ cost: seenCost });
export const paidShareView = z.strictObject({
  id: z.string(),
  /** Price of sharing that is not paid; null: nothing. */
  sharingCost: z.number().nullable(),
});
export type PaidShareView = z.infer<typeof paidShareView>;
export const paidFolderInput = placeAt.extend(paidShareInput.shape);
export type PaidFolderInput = z.output<typeof paidFolderInput>;
