import type { GroupRole } from './group-rules.ts';
import type { Part } from './meetings/parts.ts';

/** Permissions that can be granted on a recording or folder. */
export const permissions = ['read', 'comment', 'write', 'own', 'discover', 'upload'] as const;
export type Grant = (typeof permissions)[number];

/** Permissions on a recording: the granted ones, and `history`, which `permissionsOf` derives. */
export const heldPermissions = [...permissions, 'history'] as const;
export type Permission = (typeof heldPermissions)[number];

/** The permission that brings `history` on a recording, as its owner chose. */
export const historyChoices = ['write', 'own'] as const;
export type HistoryNeeds = (typeof historyChoices)[number];

/** The four roles with their permissions. */
export const roles = {
  canRead: ['read', 'discover'],
  canComment: ['read', 'comment', 'discover'],
  canEdit: ['read', 'comment', 'write', 'discover'],
  canEditShare: ['read', 'comment', 'write', 'own', 'discover'],
} as const satisfies Record<string, readonly Grant[]>;

export type Role = keyof typeof roles;
export const roleNames = Object.keys(roles) as Role[];

/** Role with the most similar permissions; `canRead` if none is similar. */
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

/** Whether permissions include all that a role can do; being listed is no part of it. */
export const holdsRole = (held: ReadonlySet<string>, role: Role): boolean =>
  roles[role].every((one) => one === 'discover' || held.has(one));

/** Grants of one principal: sockets and REST both use this function and nothing else. */
interface Grants {
  /** Created the recording. */
  owner: boolean;
  /**
   * Entries for the person, for a confirmed address of theirs, or for a group of theirs: of the recording itself, and
   * of all its folders.
   */
  named: readonly string[];
  /** Entry for anyone with the link, as long as it is open to this person. */
  anonymous: readonly string[];
  signedIn: boolean;
  /** Recordings only: what its versions and its deleted text need. A folder has neither. */
  historyNeeds?: HistoryNeeds;
  /** Recordings only: nobody changes the text, whatever is granted. */
  closed?: boolean;
}

export function permissionsOf({
  owner,
  named,
  anonymous,
  signedIn,
  historyNeeds,
  closed = false,
}: Grants): ReadonlySet<Permission> {
  const held = new Set<Permission>();
  const take = (list: readonly string[]) => {
    for (const permission of permissions) if (list.includes(permission)) held.add(permission);
  };
  if (owner) take(permissions);
  if (signedIn) take(named);
  // A link never grants ownership, whatever is stored in its entry.
  take(anonymous.filter((permission) => permission !== 'own' && permission !== 'upload'));
  if (historyNeeds !== undefined && held.has(historyNeeds)) held.add('history');
  // Commenting comes with writing (`holds`), and stays when the text is closed.
  if (closed && held.delete('write')) held.add('comment');
  // Without permission to read there are no others.
  return held.has('read') ? held : new Set(held.has('discover') ? ['discover'] : []);
}

/** Permissions by a layer's id: its rows in `layer_access`, and those of the layer that says who corrects words. */
export function layerPermissionsOf({
  layer,
  words,
  closed,
}: {
  layer: readonly string[];
  words: readonly string[];
  closed: boolean;
}): ReadonlySet<Permission> {
  const held = new Set<Permission>();
  if (!layer.includes('read')) return held;
  held.add('read');
  if (layer.includes('comment')) held.add('comment');
  if (words.includes('write') && !closed) held.add('write');
  return held;
}

interface RoomRights {
  read: boolean;
  write: boolean;
  /** Whether deleted text may be sent as well. */
  history: boolean;
}

/** Permissions a room needs beside *read*. */
interface RoomNeeds {
  /** Permission to write; null for rooms that the server alone writes, by commands. */
  write: Permission | null;
  /** Personal room of the caller, so the caller must be signed in. */
  signedIn: boolean;
  /** Permission to read what was deleted; null for the caller's own room. */
  history: Permission | null;
  /** Ids it is reached by: those of meetings, those of layers, or both. */
  by: 'meeting' | 'layer' | 'both';
}

const roomNeeds: Readonly<Record<Part, RoomNeeds>> = {
  transcript: { write: 'write', signedIn: false, history: 'history', by: 'both' },
  outcomes: { write: null, signedIn: false, history: 'history', by: 'meeting' },
  comments: { write: null, signedIn: false, history: 'history', by: 'meeting' },
  notes: { write: 'read', signedIn: true, history: null, by: 'both' },
  // By a layer nobody holds *history*.
  layer: { write: null, signedIn: true, history: 'history', by: 'layer' },
};

/** Rights of a caller to receive from a room of a recording and to send into it; `by` says what kind of id the caller used. */
export function roomRights(
  part: Part,
  held: ReadonlySet<Permission>,
  signedIn: boolean,
  by: 'meeting' | 'layer' = 'meeting',
): RoomRights {
  const needs = roomNeeds[part];
  const read = held.has('read') && (signedIn || !needs.signedIn) && (needs.by === 'both' || needs.by === by);
  return {
    read,
    write: read && needs.write !== null && held.has(needs.write),
    history: read && (needs.history === null || held.has(needs.history)),
  };
}

/** Ways to take part in a recording, as others in it see them. */
export const takings = ['writes', 'comments', 'reads'] as const;
export type Taking = (typeof takings)[number];

/** Comments need a signed-in person, whatever the link permits. */
export function takingOf(held: ReadonlySet<Permission>, signedIn: boolean): Taking {
  if (held.has('write')) return 'writes';
  return signedIn && held.has('comment') ? 'comments' : 'reads';
}

/** Readers are visible to people who write or comment, but not to other readers. */
export const isSeenBy = (one: Taking, by: Taking): boolean => one !== 'reads' || by !== 'reads';

/** Those who may write may also comment. */
export const holds = (held: ReadonlySet<Permission>, needed: Permission): boolean =>
  held.has(needed) || (needed === 'comment' && held.has('write'));

/** Whether a person reads a recording and finds it without its link. */
export const mayFind = (held: ReadonlySet<Permission>): boolean => held.has('read') && held.has('discover');

/** Permissions that a call on a recording needs. */
export interface Verb {
  /** Permission on the recording; null for verbs that none decides. */
  needs: Permission | null;
  /** Needed instead if only the caller will see the result. */
  needsPrivately?: Permission;
  signedIn: boolean;
  /**
   * The call also accepts a layer's id; without it such an id gives NO_ACCESS. `annotations`: by it, correcting words gives
   * no right to annotate.
   */
  layer: false | 'words' | 'annotations';
  /** Needed instead where the call comes by a layer's id. */
  needsByLayer?: Permission;
  /** Message of NO_PERM; default: that of the code. */
  refusal?: string;
  /** Missing permissions give NO_ACCESS instead of NO_PERM. */
  hidden?: true;
  /** The call changes the text without needing *write*. */
  changesText?: true;
  /** The call needs *write* and changes nothing, so that a closed text does not forbid it. */
  alsoClosed?: true;
}
type More = Partial<
  Pick<Verb, 'needsPrivately' | 'layer' | 'needsByLayer' | 'refusal' | 'hidden' | 'changesText' | 'alsoClosed'>
>;

/** Keeps which calls accept a layer's id, for `LayerVerb`. */
type Made<M extends More> = Omit<Verb, 'layer'> & { layer: M extends { layer: infer L } ? L : false };
const made = <const M extends More>(needs: Permission | null, signedIn: boolean, more: M | undefined): Made<M> =>
  ({ needs, signedIn, layer: false, ...more }) as Made<M>;

const open = <const M extends More>(needs: Permission | null, more?: M): Made<M> => made(needs, false, more);
const person = <const M extends More>(needs: Permission | null, more?: M): Made<M> => made(needs, true, more);

const update = { refusal: 'No permissions to update' };
const remove = { refusal: 'No permissions to delete' };
const share = { refusal: 'No permissions to share' };
const move = { refusal: 'No permissions to move' };
const readiness = { refusal: 'No permissions to check readiness' };
const past = { refusal: 'No permissions to see earlier versions' };
const words = { layer: 'words' } as const;
const annotates = { layer: 'annotations' } as const;
/** By a layer's id who reads the machine's layer of the review searches, and who annotates decides (server/ai/machine-layer.ts). */
const searches = { ...readiness, ...annotates, needsByLayer: 'read' } as const;
const decides = { ...update, ...annotates, needsByLayer: 'comment' } as const;

/**
 * All REST calls on a recording. `accessTo` (server/rooms/access.ts) admits callers by these rows alone, and the server
 * does not start with a call that has none (server/verbs.ts).
 */
export const verbs = {
  'GET /api/meetings/:id': open('read', words),
  'PUT /api/meetings/:id': person('write', update),
  'DELETE /api/meetings/:id': person('own', remove),
  'POST /api/meetings/:id/restore': person('own', remove),
  'PUT /api/meetings/:id/move': person('own', move),
  'GET /api/meetings/:id/about': open('read', words),
  'GET /api/meetings/:id/eval': open('read', words),
  'GET /api/meetings/:id/vtt': open('read', words),
  'GET /api/meetings/:id/media/:mediaId': open('read', words),
  'GET /api/meetings/:id/original': open('history', past),
  'POST /api/meetings/:id/edit': person('write', { ...update, ...words }),
  'POST /api/meetings/:id/edits': person('write', { ...update, ...words }),
  'POST /api/meetings/:id/rename': person('write', update),
  'POST /api/meetings/:id/replace': person('write', update),
  'POST /api/meetings/:id/clone': person('write', { refusal: 'No permissions to clone', alsoClosed: true }),
  'POST /api/meetings/:id/process': person('own', { ...update, changesText: true }),
  'GET /api/meetings/:id/costs': person('own', update),
  'POST /api/meetings/:id/upgrade': person('own', update),
  'POST /api/meetings/:id/paid-share': person('own', share),
  'POST /api/meetings/live': person(null),
  'GET /api/meetings/:id/live': open('read'),
  // Only the person who began it records; others who own it may end it.
  'POST /api/meetings/:id/takes': person('own', update),
  'POST /api/meetings/:id/live/pause': person('own', update),
  'POST /api/meetings/:id/live/resume': person('own', update),
  'POST /api/meetings/:id/live/end': person('own', update),
  'POST /api/meetings/:id/live/ask-to-stop': person('read'),
  'GET /api/meetings/:id/versions': open('history', past),
  'GET /api/meetings/:id/versions/:version': open('history', past),
  'GET /api/meetings/:id/versions/:version/changes': open('history', past),
  'PUT /api/meetings/:id/versions/:version/name': person('history', update),
  'DELETE /api/meetings/:id/versions/:version/name': person('history', update),
  'POST /api/meetings/:id/versions/:version/restore': person('own', {
    refusal: 'No permissions to restore',
    changesText: true,
  }),
  'POST /api/meetings/:id/close': person('own', update),
  'POST /api/meetings/:id/reopen': person('own', update),
  'POST /api/export/:id': open('read', words),
  'GET /api/meetings/:id/acl': person('own', share),
  'POST /api/meetings/:id/acl': person('own', share),
  // The access code decides.
  'POST /api/meetings/:id/unlock': open(null),
  // Same response for everybody.
  'POST /api/meetings/:id/requestAccess': person(null),
  'GET /api/meetings/:id/notes': person('read', words),
  'PUT /api/meetings/:id/notes': person('read', words),
  'GET /api/meetings/:id/summary/own': person('read'),
  'PUT /api/meetings/:id/summary/own': person('read'),
  'POST /api/meetings/:id/attachment': person('read', annotates),
  'POST /api/meetings/:id/delete-attachment': person('read', annotates),
  'GET /api/meetings/:id/attachments': open('read', annotates),
  'GET /api/meetings/:id/attachments/:attachmentId': open('read', annotates),
  'POST /api/meetings/:id/attachments/:attachmentId/restore': person('read', annotates),
  'GET /api/meetings/:id/outcome-models': open('read', words),
  'POST /api/meetings/:id/outcome-models': person('write', update),
  'DELETE /api/meetings/:id/outcome-models/:setId': person('write', update),
  'POST /api/meetings/:id/outcomes': person('comment', { needsPrivately: 'read', ...update, ...annotates }),
  'GET /api/meetings/:id/mentionable': person('comment', { refusal: 'No permissions to comment' }),
  'POST /api/meetings/:id/comments': person('comment', {
    needsPrivately: 'read',
    refusal: 'No permissions to comment',
    ...annotates,
  }),
  // Authorship decides as well: shared/meetings/annotation-rules.ts.
  'POST /api/meetings/:id/outcomes/update': person('read', { ...update, ...annotates }),
  'POST /api/meetings/:id/outcomes/:itemId/update': person('read', { ...update, ...annotates }),
  'DELETE /api/meetings/:id/outcomes/:itemId': person('read', { ...remove, ...annotates }),
  'POST /api/meetings/:id/outcomes/:itemId/reveal/:type': person('read', annotates),
  // By a meeting's own id there is no sheet.
  'PUT /api/meetings/:id/grades/:type': person('comment', { ...update, ...annotates }),
  // The caller's own; what a machine says beside an assessment is not for blind reviewers (server/ai/verdicts.ts).
  'GET /api/meetings/:id/grades/:type/explanation': person('read', annotates),
  'POST /api/meetings/:id/grades/:type/explanation': person('read', annotates),
  'POST /api/meetings/:id/grades/:type/explanation/stop': person('read', annotates),
  'PUT /api/meetings/:id/listened': person('comment', { ...update, ...annotates }),
  'POST /api/meetings/:id/comments/:itemId/update': person('read', { ...update, ...annotates }),
  'DELETE /api/meetings/:id/comments/:itemId': person('read', { ...remove, ...annotates }),
  'POST /api/meetings/:id/reviews': person('own', update),
  // A part in the review decides (server/reviews/part.ts).
  'GET /api/meetings/:id/reviews': person(null),
  'GET /api/meetings/:id/reviews/:reviewId': person(null),
  'POST /api/meetings/:id/reviews/:reviewId': person(null),
  'DELETE /api/meetings/:id/reviews/:reviewId': person(null),
  'POST /api/meetings/:id/reviews/:reviewId/reviewers/:reviewerId': person(null),
  'POST /api/meetings/:id/invite/complete': person(null),
  'POST /api/meetings/:id/reviews/:reviewId/join': person(null),
  'POST /api/meetings/:id/reviews/:reviewId/publish': person(null),
  'POST /api/meetings/:id/reviews/:reviewId/reopen': person(null),
  'GET /api/meetings/:id/reviews/:reviewId/listened': person(null),
  'PUT /api/meetings/:id/reviews/:reviewId/listened': person(null),
  'GET /api/meetings/:id/reviews/:reviewId/agreement': person(null),
  'GET /api/meetings/:id/reviews/:reviewId/calibration': person(null),
  'GET /api/meetings/:id/reviews/:reviewId/report': person(null),
  'GET /api/meetings/:id/reviews/:reviewId/report/file': person(null),
  'GET /api/meetings/:id/glossaries': person('read'),
  // The chat is the caller's own.
  'GET /api/meetings/:id/chat': person('read'),
  'POST /api/meetings/:id/chat': person('read'),
  'POST /api/meetings/:id/chat/stop': person('read'),
  'DELETE /api/meetings/:id/chat': person('read'),
  'DELETE /api/meetings/:id/chat/:messageId': person('read'),
  'GET /api/meetings/:id/analysis': person('read'),
  'POST /api/meetings/:id/analysis': person('write', update),
  'POST /api/meetings/:id/analysis/stop': person('write', update),
  // Drafts are the caller's own; those of chapters take *write* as well (server/ai/drafts.ts).
  'GET /api/meetings/:id/drafts/:kind': person('comment'),
  'POST /api/meetings/:id/drafts/:kind': person('comment', update),
  'POST /api/meetings/:id/drafts/:kind/stop': person('comment', update),
  'PUT /api/meetings/:id/drafts/:kind/:draftId': person('comment', update),
  'PUT /api/meetings/:id/ai': person('own', update),
  'GET /api/meetings/:id/outcomes/autodetect': person('write', { ...searches, alsoClosed: true }),
  'POST /api/meetings/:id/outcomes/autodetect': person('write', searches),
  'POST /api/meetings/:id/outcomes/autodetect/stop': person('write', searches),
  'POST /api/meetings/:id/outcomes/:itemId/accept': person('write', decides),
  'POST /api/meetings/:id/outcomes/:itemId/reject': person('write', decides),
  'POST /api/meetings/:id/outcomes/:itemId/reopen': person('write', decides),
  // Batch calls check each recording by itself.
  'POST /api/meetings/delete': person('own', remove),
  'POST /api/meetings/restore': person('own', remove),
  'POST /api/meetings/move': person('own', move),
  // Access requests are found by their id; requests for recordings of others are hidden.
  'GET /api/access-requests/:id': person('own', { ...share, hidden: true }),
  'POST /api/access-requests/:id': person('own', { ...share, hidden: true }),
} satisfies Readonly<Record<Call, Verb>>;

export type VerbName = keyof typeof verbs;
/** Calls that accept a layer's id in the place of a meeting's. */
export type LayerVerb = {
  [Name in VerbName]: (typeof verbs)[Name] extends { layer: false } ? never : Name;
}[VerbName];
/** Calls that accept a meeting's id alone. */
export type MeetingVerb = Exclude<VerbName, LayerVerb>;
type Call = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /api/${string}`;

/** Permissions that count for a call by a layer's id: none, where the call accepts no such id. */
export function heldByLayer({ layer }: Verb, held: ReadonlySet<Permission>): ReadonlySet<Permission> {
  if (layer === false) return new Set();
  return layer === 'words' ? held : new Set([...held].filter((one) => one !== 'write'));
}

/** The row of a call as it applies to the id that it came with. */
export const verbBy = (verb: Verb, layerId: string | null): Verb =>
  layerId !== null && verb.needsByLayer ? { ...verb, needs: verb.needsByLayer } : verb;

/** Result of the permission check: null if the call is permitted, else why not. */
export function mayCall(
  { needs, needsPrivately, signedIn, hidden }: Verb,
  held: ReadonlySet<Permission>,
  isSignedIn: boolean,
  privately = false,
): Answered {
  if (signedIn && !isSignedIn) return 'UNAUTH';
  const needed = privately && needsPrivately ? needsPrivately : needs;
  if (needed === null) return null;
  if (!held.has('read')) return 'NO_ACCESS';
  if (holds(held, needed)) return null;
  return hidden ? 'NO_ACCESS' : 'NO_PERM';
}
type Answered = 'UNAUTH' | 'NO_ACCESS' | 'NO_PERM' | null;

/** True if the call changes the text and the caller may not write now, maybe because the text is closed. */
export const lacksWriting = ({ needs, changesText }: Verb, held: ReadonlySet<Permission>): boolean =>
  (changesText === true || needs === 'write') && !held.has('write');

/** True if closing the text is all that keeps the caller from such a call: `granted` would permit it while it is open. */
export const refusedByClosing = (verb: Verb, granted: ReadonlySet<Permission>, isSignedIn: boolean): boolean =>
  granted.has('write') && mayCall(verb, granted, isSignedIn) === null;

/** Whether a signed-in person has permission for this call, to show an action only to them. */
export const allows = (name: VerbName, held: ReadonlySet<Permission>): boolean =>
  mayCall(verbs[name], held, true) === null;

/** Role that a call on a group needs. */
export interface GroupVerb {
  /** Role in the team; null for verbs that the caller's invitation decides. */
  needs: GroupRole | 'payer' | null;
  /** Message of NO_PERM; default: that of the code. */
  refusal?: string;
}

/** All calls on a group; callers must be signed in. Used by `groupFor` (server/groups/members.ts). */
export const groupVerbs = {
  'GET /api/groups/:id': { needs: 'member' },
  'PUT /api/groups/:id': { needs: 'admin', ...update },
  'DELETE /api/groups/:id': { needs: 'admin', ...remove },
  'POST /api/groups/:id/deactivate': { needs: 'admin', refusal: 'No permissions to archive' },
  'POST /api/groups/:id/activate': { needs: 'admin', refusal: 'No permissions to unarchive' },
  'POST /api/groups/:id/clone': { needs: 'admin', refusal: 'No permissions to clone' },
  'GET /api/groups/:id/activity-report': { needs: 'admin' },
  'POST /api/groups/:id/leave': { needs: 'member' },
  'POST /api/groups/:id/accept': { needs: null },
  'POST /api/groups/:id/ignore': { needs: null },
  'POST /api/groups/:id/members': { needs: 'admin' },
  'PUT /api/groups/:id/members/:member': { needs: 'admin' },
  'DELETE /api/groups/:id/members/:member': { needs: 'admin' },
} satisfies Readonly<Record<Call, GroupVerb>>;

export type GroupVerbName = keyof typeof groupVerbs;

/** Result of the role check: null if the call is permitted. */
export function mayCallGroup({ needs }: GroupVerb, role: GroupRole, isPayer = false): 'NO_PERM' | null {
  const held = { admin: role === 'admin', member: true, payer: isPayer };
  return needs === null || held[needs] ? null : 'NO_PERM';
}
