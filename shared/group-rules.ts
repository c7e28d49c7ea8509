import { emailKey } from './accounts.ts';
import { bidi, controls } from './email.ts';

export const groupLimits = {
  /** Length of a name in characters: minimum and maximum. */
  nameMin: 8,
  name: 100,
  description: 1000,
  /** Limit of a person's groups; at the limit they cannot create another. */
  most: 100,
  /** Members of a group, including invitations. */
  members: 500,
  /** Addresses invited at once; equal to the limit of mails per hour. */
  invites: 50,
  /** Outcome models that a group names. */
  models: 50,
  /** Most members notified by mail when something is shared with their group. */
  told: 50,
} as const;

export const groupTypes = ['group', 'team'] as const;
export type GroupType = (typeof groupTypes)[number];
export const groupRoles = ['admin', 'member'] as const;
export type GroupRole = (typeof groupRoles)[number];
/** Names of the roles as scopes show them. */
export const groupRoleNames = { admin: 'Admin', member: 'Member' } as const satisfies Record<GroupRole, string>;

// ---- Names -------------------------------------------------------------------------------------

/** Error of a group name, as the key of its text. */
export function wrongGroupName(name: string): 'required' | 'group_name' | 'too_long' | 'name' | null {
  if (name === '') return 'required';
  if (controls.test(name) || bidi.test(name) || /[\u200b-\u200d\u2060\ufeff]/u.test(name)) return 'name';
  const letters = [...name].length;
  if (letters < groupLimits.nameMin) return 'group_name';
  return letters > groupLimits.name ? 'too_long' : null;
}

const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Whether one word mixes alphabets that look alike, by which a name may imitate another. */
export const mixesScripts = (name: string): boolean =>
  name.split(/[\s\p{P}\p{S}\d]+/u).some((word) => scripts.filter((script) => script.test(word)).length > 1);

/** Free names, if the person already has a group of this name. */
export function suggestNames(name: string, isTaken: (name: string) => boolean, year: number): string[] {
  const numbered = Array.from({ length: groupLimits.most + 1 }, (_, i) => `${name} ${i + 2}`);
  return [`${name} ${year}`, ...numbered].filter((one) => wrongGroupName(one) === null && !isTaken(one)).slice(0, 3);
}

/** Splits typed or pasted text into addresses. */
export const splitAddresses = (typed: string): string[] =>
  typed
    .split(/[,;\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Removes repeated addresses, ignoring case; the first row wins. */
export function withoutDoubles<T extends { email: string }>(rows: readonly T[]): T[] {
  const seen = new Set<string>();
  return rows.filter(({ email }) => {
    const key = emailKey(email);
    return !seen.has(key) && seen.add(key);
  });
}

/** Whether an admin remains if a member gets this role, or leaves (null). */
export function keepsAdmin(
  members: readonly { id: string; role: GroupRole }[],
  id: string,
  role: GroupRole | null,
): boolean {
  return members.some((one) => (one.id === id ? role === 'admin' : one.role === 'admin'));
}
