import type { Part } from './meetings/parts.ts';

/** What somebody may be allowed on a meeting. */
export const permissions = ['read', 'comment', 'write', 'own', 'discover', 'upload'] as const;
export type Permission = (typeof permissions)[number];

/** The four roles people are given, with what each holds. */
export const roles = {
  canRead: ['read', 'discover'],
  canComment: ['read', 'comment', 'discover'],
  canEdit: ['read', 'comment', 'write', 'discover'],
  canEditShare: ['read', 'comment', 'write', 'own', 'discover'],
} as const satisfies Record<string, readonly Permission[]>;

/** What one principal is granted, and how: sockets and REST ask this one function and nothing else. */
export interface Grants {
  /** Made the meeting. */
  owner: boolean;
  /** Entry in the person's name. */
  named: readonly string[];
  /** Entry for whoever has the link. */
  anonymous: readonly string[];
  signedIn: boolean;
}

export function permissionsOf({ owner, named, anonymous, signedIn }: Grants): ReadonlySet<Permission> {
  const held = new Set<Permission>();
  const take = (list: readonly string[]) => {
    for (const permission of permissions) if (list.includes(permission)) held.add(permission);
  };
  if (owner) take(permissions);
  if (signedIn) take(named);
  // A link never makes an owner, whatever is stored in its entry.
  take(anonymous.filter((permission) => permission !== 'own' && permission !== 'upload'));
  // Nothing is allowed on what may not be read.
  return held.has('read') ? held : new Set(held.has('discover') ? ['discover'] : []);
}

export interface RoomRights {
  read: boolean;
  write: boolean;
}

/**
 * What somebody may send into a room of a meeting. Outcomes and comments are written by the server alone, by
 * commands; the notes room is always the caller's own, so it takes a person.
 */
export function roomRights(part: Part, held: ReadonlySet<Permission>, signedIn: boolean): RoomRights {
  const read = held.has('read');
  switch (part) {
    case 'transcript':
      return { read, write: read && held.has('write') };
    case 'outcomes':
    case 'comments':
      return { read, write: false };
    case 'notes':
      return { read: read && signedIn, write: read && signedIn };
  }
}
