import { emailKey } from './accounts.ts';
import { bidi, controls } from './email.ts';

export const groupLimits = {
  /** Letters of a name: at least, at most. */
  nameMin: 8,
  name: 100,
  description: 1000,
  /** Groups one may be in and make another. */
  most: 100,
  /** Members of one, with those who are invited. */
  members: 500,
  /** Addresses invited at once: as many as mails may leave in an hour. */
  invites: 50,
  /** Members who are told by mail that something is shared with their group. */
  told: 50,
} as const;

export const groupTypes = ['group', 'team'] as const;
export type GroupType = (typeof groupTypes)[number];
export const groupRoles = ['admin', 'member'] as const;
export type GroupRole = (typeof groupRoles)[number];

// ---- Names -------------------------------------------------------------------------------------

/** What is wrong with the name of a group, as the key of its text. */
export function wrongGroupName(name: string): 'required' | 'group_name' | 'too_long' | 'name' | null {
  if (name === '') return 'required';
  if (controls.test(name) || bidi.test(name) || /[\u200b-\u200d\u2060\ufeff]/u.test(name)) return 'name';
  const letters = [...name].length;
  if (letters < groupLimits.nameMin) return 'group_name';
  return letters > groupLimits.name ? 'too_long' : null;
}

const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Whether one word has letters of several alphabets that look alike: a name may pretend to be another by that. */
export const mixesScripts = (name: string): boolean =>
  name.split(/[\s\p{P}\p{S}\d]+/u).some((word) => scripts.filter((script) => script.test(word)).length > 1);

/** Names that are free, for whoever has a group of this name already. */
export function suggestNames(name: string, taken: (name: string) => boolean, year: number): string[] {
  const numbered = Array.from({ length: groupLimits.most + 1 }, (_, i) => `${name} ${i + 2}`);
  return [`${name} ${year}`, ...numbered].filter((one) => wrongGroupName(one) === null && !taken(one)).slice(0, 3);
}

/** What somebody typed or pasted into the field of one address: one or many. */
export const splitAddresses = (typed: string): string[] =>
  typed
    .split(/[,;\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Who stands twice is invited once, as they stand first; letters and case make no other address. */
export function withoutDoubles<T extends { email: string }>(rows: readonly T[]): T[] {
  const seen = new Set<string>();
  return rows.filter(({ email }) => {
    const key = emailKey(email);
    return !seen.has(key) && seen.add(key);
  });
}

/** Whether there would still be an admin, were somebody to have this role from now on, or to go. */
export function keepsAdmin(
  members: readonly { id: string; role: GroupRole }[],
  id: string,
  role: GroupRole | null,
): boolean {
  return members.some((one) => (one.id === id ? role === 'admin' : one.role === 'admin'));
}
