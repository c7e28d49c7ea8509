import { z } from 'zod';
import { anonymousId, emailKey } from './accounts.ts';
import { isEmail } from './email.ts';
import { folderPath, placeAt } from './folders.ts';
import { rootPath } from './library.ts';
import type { FieldError } from './problems.ts';
import { permissions, roles, roleNames, type Permission, type Role } from './roles.ts';

export const sharingLimits = {
  entries: 200,
  /** Letters an access code has at least. */
  code: 8,
  /** Mails of one person to others in an hour. */
  mailsPerHour: 50,
} as const;

/** Milliseconds after typing until people are looked for. */
export const searchPause = 500;
/** Seconds a copied link or code is told of. */
export const copyNoticeMs = 15_000;
/** Days in which a browser that was told an access code is not asked again. */
export const passDays = 30;

/** Without letters and digits that are taken for others. */
export const codeAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** As people type it: small or large, with blanks and dashes. */
export const plainCode = (typed: string): string => typed.toUpperCase().replaceAll(/[\s\u2010-\u2015-]/g, '');

export const isCode = (typed: string): boolean => {
  const code = plainCode(typed);
  return code.length >= sharingLimits.code && code.length <= 64 && [...code].every((one) => codeAlphabet.includes(one));
};

/** A new code as it is shown: two groups of four letters of 32, which are 40 bits. */
export function newCode(
  random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  const letters = [...random(new Uint8Array(8))].map((byte) => codeAlphabet[byte % 32]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

// ---- What is shared with whom ------------------------------------------------------------------

const principalKinds = ['user', 'group', 'pending', 'anonymous'] as const;
type PrincipalKind = (typeof principalKinds)[number];

const aclEntryView = z.strictObject({
  principal: z.strictObject({
    id: z.union([z.string(), z.literal(anonymousId)]),
    kind: z.enum(principalKinds),
    /** Null where whoever shares never knew it, and the person has not come yet. */
    email: z.string().nullable(),
    first_name: z.string(),
    last_name: z.string(),
    name: z.string(),
  }),
  permissions: z.array(z.enum(permissions)),
  /** Of a link: whether a code is asked for. */
  code: z.boolean().optional(),
  /** Of a link: when it ends. */
  expires: z.string().nullable().optional(),
  /** Of a group: how many are in it, and whether it is archived and opens nothing. */
  members: z.number().int().optional(),
  archived: z.boolean().optional(),
});
export type AclEntry = z.infer<typeof aclEntryView>;

export const aclView = z.strictObject({ entries: z.array(aclEntryView) });

const accessRequestView = z.object({
  id: z.string(),
  person: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  at: z.string(),
});
export type AccessRequest = z.infer<typeof accessRequestView>;

export const sharedAnswer = z.object({ acl: aclView, version: z.number().int().min(0) });
export type SharedAnswer = z.infer<typeof sharedAnswer>;

/** An entry of a folder that what one looks at lies in. */
const inheritedEntryView = aclEntryView.extend({
  /** As one sees it; null for one that one does not see. */
  folder: z.object({ name: z.string(), path: z.string(), sid: z.string().nullable() }).nullable(),
  /** Of whoever made the folder, and so holds all of what others put there. */
  owner: z.boolean(),
});
export type InheritedEntry = z.infer<typeof inheritedEntryView>;

export const folderSharingView = sharedAnswer.extend({
  owner: z.object({ id: z.string(), name: z.string() }),
  /** Who may do something by a folder that it lies in. */
  inherited: z.array(inheritedEntryView),
});
export type FolderSharingView = z.infer<typeof folderSharingView>;

export const sharingView = folderSharingView.extend({
  /** Who has asked for access and waits for an answer. */
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
  /** Of a link: a new code, or null for none; left out, it stays. As it is answered, a yes or no changes nothing. */
  code: z.union([z.string().max(200), z.boolean()]).nullish(),
  /** Of a link: when it ends, or null for never; left out, it stays. */
  expires: z.iso.datetime({ offset: true }).nullish(),
});
export type EntryInput = z.input<typeof entryInput>;

export const aclInput = z.object({
  entries: z.array(entryInput).max(sharingLimits.entries, 'too_many'),
  version: z.number().int().min(0),
});
export type AclInput = z.output<typeof aclInput>;

export const folderSharingQuery = z.object({
  path: folderPath.default(rootPath),
  sid: z.string().max(100, 'too_long').optional(),
});
export const folderAclInput = aclInput.extend(placeAt.shape);
export type FolderAclInput = z.output<typeof folderAclInput>;

export const codeInput = z.object({ code: z.string('required').trim().min(1, 'required').max(200, 'too_long') });

export const requestedView = z.object({
  id: z.string(),
  meeting: z.object({ id: z.string(), title: z.string() }),
  person: z.object({ name: z.string(), email: z.string() }),
  at: z.string(),
  /** What they may by now; null for nothing. */
  role: z.enum(roleNames as [Role, ...Role[]]).nullable(),
  answered: z.boolean(),
});
export type RequestedAccess = z.infer<typeof requestedView>;

/** Null says no. */
export const requestAnswerInput = z.object({ role: z.enum(roleNames as [Role, ...Role[]]).nullable() });

// ---- Levels ------------------------------------------------------------------------------------

export const sharingLevels = ['specificUsers', 'byLink', 'everyone'] as const;
type SharingLevel = (typeof sharingLevels)[number];

interface Entry {
  principal: { kind: PrincipalKind };
  permissions: readonly Permission[];
}

/** It is the anonymous entry that says it. */
export function levelOf(entries: readonly Entry[]): SharingLevel {
  const open = entries.find(({ principal }) => principal.kind === 'anonymous');
  if (!open) return 'specificUsers';
  return open.permissions.includes('discover') ? 'everyone' : 'byLink';
}

/** What a role holds for somebody named. */
export const grantOf = (role: Role): Permission[] => [...roles[role]];

/** What it holds on a folder: whoever writes there may add to it, too. */
export const folderGrantOf = (role: Role): Permission[] =>
  grantOf(role).includes('write') ? [...grantOf(role), 'upload'] : grantOf(role);

/** What it holds for whoever has the link: to find it only where everyone may, and never to own it. */
export const linkGrantOf = (role: Role, level: SharingLevel): Permission[] =>
  roles[role].filter((one) => one !== 'own' && (one !== 'discover' || level === 'everyone'));

/** The same list at another level: the anonymous entry is replaced or goes. */
export function atLevel(entries: readonly AclEntry[], level: SharingLevel, role: Role): AclEntry[] {
  const others = entries.filter(({ principal }) => principal.kind !== 'anonymous');
  if (level === 'specificUsers') return others;
  const before = entries.find(({ principal }) => principal.kind === 'anonymous');
  return [...others, { ...(before ?? anonymousEntry), permissions: linkGrantOf(role, level) }];
}

const anonymousEntry: Omit<AclEntry, 'permissions'> = {
  principal: { id: anonymousId, kind: 'anonymous', email: null, first_name: '', last_name: '', name: '' },
};

// ---- What programs and pages send --------------------------------------------------------------

/** An entry as it is meant: its kind decides, never an id of -1. */
export type WantedEntry =
  | { kind: 'user'; id: string; email: string | null; role: Role; at: number }
  | { kind: 'group'; id: string; role: Role; at: number }
  | { kind: 'pending'; email: string; role: Role; at: number }
  | {
      kind: 'anonymous';
      permissions: Permission[];
      /** Undefined: as it was. */
      code: string | null | undefined;
      expires: Date | null | undefined;
      at: number;
    };

/** Reads a whole list. What stands twice counts once, as it stands first. */
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
    // Without a kind it is somebody's address.
    const kind = principal.kind === 'user' && id === null ? 'pending' : (principal.kind ?? 'pending');
    const keep = (key: string, one: WantedEntry) => wanted.has(key) || wanted.set(key, one);
    const role = readRole(entry.permissions, of);
    if (!role) {
      wrong('permissions', entry.permissions.length === 0 ? 'required' : 'invalid');
      continue;
    }
    if (kind === 'group') {
      // It is its id that says which, never an address or an id of -1.
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
    else keep(`pending ${emailKey(email)}`, { kind: 'pending', email, role, at });
  }
  return { wanted: [...wanted.values()], errors };
}

/** Only the four sets are known, with or without the right to find it; of a folder those that write may say `upload`. */
function readRole(given: readonly Permission[], of: 'meeting' | 'folder'): Role | null {
  const set = new Set(given);
  if (set.size !== given.length) return null;
  set.delete('discover');
  if (of === 'folder' && set.has('write')) set.delete('upload');
  return (
    roleNames.find((role) => {
      const granted = roles[role].filter((one) => one !== 'discover');
      return granted.length === set.size && granted.every((one) => set.has(one));
    }) ?? null
  );
}
