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

export type Role = keyof typeof roles;
export const roleNames = Object.keys(roles) as Role[];

/** The role whose permissions are most alike; whoever matches none may read. */
export function roleOf(held: readonly string[]): Role {
  let [found, best]: [Role, number] = ['canRead', 0];
  for (const role of roleNames) {
    const granted: readonly string[] = roles[role];
    const alike = granted.filter((one) => held.includes(one)).length;
    const score = alike / (granted.length + held.filter((one) => !granted.includes(one)).length);
    if (score > best) [found, best] = [role, score];
  }
  return found;
}

/** What one principal is granted, and how: sockets and REST ask this one function and nothing else. */
export interface Grants {
  /** Made the meeting. */
  owner: boolean;
  /**
   * Entries in the person's name, for the address they have confirmed, or for a group they are in: of the meeting itself,
   * and of every folder it lies in.
   */
  named: readonly string[];
  /** Entry for whoever has the link, while that is open to them. */
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

/** How somebody takes part in a meeting, as those who are in it together are told of each other. */
export const takings = ['writes', 'comments', 'reads'] as const;
export type Taking = (typeof takings)[number];

/** Whoever is not signed in says nothing beside the text, whatever their link holds. */
export function takingOf(held: ReadonlySet<Permission>, signedIn: boolean): Taking {
  if (held.has('write')) return 'writes';
  return signedIn && held.has('comment') ? 'comments' : 'reads';
}

/** Whoever only reads is seen by those who work on it, and not by others who only read. */
export const isSeenBy = (one: Taking, by: Taking): boolean => one !== 'reads' || by !== 'reads';

/** What a call on a meeting takes: a permission, or nothing where all are answered alike; and whether somebody has to be signed in. */
export interface Verb {
  needs: Permission | null;
  signedIn: boolean;
}

const open = (needs: Permission): Verb => ({ needs, signedIn: false });
const person = (needs: Permission | null): Verb => ({ needs, signedIn: true });

/** Every call on a meeting by REST: what each role may do is this table and `permissionsOf`, and nothing else. */
export const verbs: Readonly<Record<string, Verb>> = {
  'GET /api/meetings/:id': open('read'),
  'PUT /api/meetings/:id': person('write'),
  'DELETE /api/meetings/:id': person('own'),
  'GET /api/meetings/:id/about': open('read'),
  'GET /api/meetings/:id/vtt': open('read'),
  'GET /api/meetings/:id/media/:mediaId': open('read'),
  'GET /api/meetings/:id/original': open('read'),
  'POST /api/meetings/:id/edit': person('write'),
  'POST /api/meetings/:id/edits': person('write'),
  'POST /api/meetings/:id/rename': person('write'),
  'POST /api/meetings/:id/replace': person('write'),
  'POST /api/meetings/:id/process': person('own'),
  'POST /api/meetings/:id/upgrade': person('own'),
  'GET /api/meetings/:id/versions': open('read'),
  'GET /api/meetings/:id/versions/:version': open('read'),
  'GET /api/meetings/:id/versions/:version/changes': open('read'),
  'PUT /api/meetings/:id/versions/:version/name': person('write'),
  'DELETE /api/meetings/:id/versions/:version/name': person('write'),
  'POST /api/meetings/:id/versions/:version/restore': person('own'),
  'POST /api/export/:id': open('read'),
  'GET /api/meetings/:id/acl': person('own'),
  'POST /api/meetings/:id/acl': person('own'),
  'POST /api/meetings/:id/requestAccess': person(null),
  'GET /api/meetings/:id/notes': person('read'),
  'PUT /api/meetings/:id/notes': person('read'),
  'GET /api/meetings/:id/summary/own': person('read'),
  'PUT /api/meetings/:id/summary/own': person('read'),
  'POST /api/meetings/:id/attachment': person('read'),
  'POST /api/meetings/:id/delete-attachment': person('read'),
  'GET /api/meetings/:id/attachments/:attachmentId': open('read'),
  'POST /api/meetings/:id/outcomes': person('comment'),
  'POST /api/meetings/:id/comments': person('comment'),
  // Of these whose it is decides, too: shared/meetings/item-rules.ts.
  'POST /api/meetings/:id/outcomes/update': person('read'),
  'POST /api/meetings/:id/outcomes/:itemId/update': person('read'),
  'DELETE /api/meetings/:id/outcomes/:itemId': person('read'),
  'POST /api/meetings/:id/outcomes/:itemId/reveal/:type': person('read'),
  'POST /api/meetings/:id/comments/:itemId/update': person('read'),
  'DELETE /api/meetings/:id/comments/:itemId': person('read'),
};

/** How whoever holds these is answered: let through, or why not. */
export function mayCall({ needs, signedIn }: Verb, held: ReadonlySet<Permission>, isSignedIn: boolean): Answered {
  if (signedIn && !isSignedIn) return 'UNAUTH';
  if (needs === null) return null;
  if (!held.has('read')) return 'NO_ACCESS';
  return held.has(needs) ? null : 'NO_PERM';
}
type Answered = 'UNAUTH' | 'NO_ACCESS' | 'NO_PERM' | null;
