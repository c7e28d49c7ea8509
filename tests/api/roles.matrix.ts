// Permissions of all calls, written out by hand from the specification: tests compare the tables of shared/roles.ts with
// it, so that a wrong row there fails. A letter for each kind of person:
//   . let through   P refused (NO_PERM)   A refused like a stranger (NO_ACCESS)   U asked to sign in (UNAUTH)

const answers = { '.': null, P: 'NO_PERM', A: 'NO_ACCESS', U: 'UNAUTH' } as const;
type Answered = (typeof answers)[keyof typeof answers];

/** Kinds of people in the order of the letters; behind the blank those who are not signed in. */
export const kinds = [
  'owner',
  'canEditShare',
  'canEdit',
  'canComment',
  'canRead',
  'only finds it',
  'stranger',
  'nobody',
  'nobody, link to read',
  'nobody, link to edit',
] as const;
export type Kind = (typeof kinds)[number];

export const matrix: Readonly<Record<string, string>> = {
  'GET /api/meetings/:id': '.....AA A..',
  'GET /api/meetings/:id/about': '.....AA A..',
  'GET /api/meetings/:id/outcome-models': '.....AA A..',
  'GET /api/meetings/:id/eval': '.....AA A..',
  'GET /api/meetings/:id/vtt': '.....AA A..',
  'GET /api/meetings/:id/media/:mediaId': '.....AA A..',
  'GET /api/meetings/:id/original': '...PPAA AP.',
  'GET /api/meetings/:id/versions': '...PPAA AP.',
  'GET /api/meetings/:id/versions/:version': '...PPAA AP.',
  'GET /api/meetings/:id/versions/:version/changes': '...PPAA AP.',
  'GET /api/meetings/:id/attachments': '.....AA A..',
  'GET /api/meetings/:id/attachments/:attachmentId': '.....AA A..',
  'POST /api/export/:id': '.....AA A..',

  'GET /api/meetings/:id/live': '.....AA A..',
  'POST /api/meetings/:id/live/ask-to-stop': '.....AA UUU',
  // A new meeting.
  'POST /api/meetings/live': '....... UUU',

  'GET /api/meetings/:id/notes': '.....AA UUU',
  'PUT /api/meetings/:id/notes': '.....AA UUU',
  'GET /api/meetings/:id/summary/own': '.....AA UUU',
  'PUT /api/meetings/:id/summary/own': '.....AA UUU',
  'POST /api/meetings/:id/attachment': '.....AA UUU',
  'POST /api/meetings/:id/delete-attachment': '.....AA UUU',
  'POST /api/meetings/:id/attachments/:attachmentId/restore': '.....AA UUU',
  'GET /api/meetings/:id/glossaries': '.....AA UUU',
  'GET /api/meetings/:id/chat': '.....AA UUU',
  'POST /api/meetings/:id/chat': '.....AA UUU',
  'POST /api/meetings/:id/chat/stop': '.....AA UUU',
  'DELETE /api/meetings/:id/chat': '.....AA UUU',
  'DELETE /api/meetings/:id/chat/:messageId': '.....AA UUU',
  // By a meeting's own id there is no sheet.
  'GET /api/meetings/:id/grades/:type/explanation': '.....AA UUU',
  'POST /api/meetings/:id/grades/:type/explanation': '.....AA UUU',
  'POST /api/meetings/:id/grades/:type/explanation/stop': '.....AA UUU',
  // For an annotation that does not exist.
  'POST /api/meetings/:id/outcomes/update': '.....AA UUU',
  'POST /api/meetings/:id/outcomes/:itemId/update': '.....AA UUU',
  'DELETE /api/meetings/:id/outcomes/:itemId': '.....AA UUU',
  'POST /api/meetings/:id/outcomes/:itemId/reveal/:type': '.....AA UUU',
  'POST /api/meetings/:id/comments/:itemId/update': '.....AA UUU',
  'DELETE /api/meetings/:id/comments/:itemId': '.....AA UUU',

  'POST /api/meetings/:id/outcomes': '....PAA UUU',
  'GET /api/meetings/:id/mentionable': '....PAA UUU',
  'POST /api/meetings/:id/comments': '....PAA UUU',
  'PUT /api/meetings/:id/grades/:type': '....PAA UUU',
  'PUT /api/meetings/:id/listened': '....PAA UUU',

  // The two calls of sets name one that does not exist.
  'POST /api/meetings/:id/outcome-models': '...PPAA UUU',
  'DELETE /api/meetings/:id/outcome-models/:setId': '...PPAA UUU',
  'PUT /api/meetings/:id': '...PPAA UUU',
  'POST /api/meetings/:id/edit': '...PPAA UUU',
  'POST /api/meetings/:id/edits': '...PPAA UUU',
  'POST /api/meetings/:id/rename': '...PPAA UUU',
  'POST /api/meetings/:id/replace': '...PPAA UUU',
  'POST /api/meetings/:id/clone': '...PPAA UUU',
  'PUT /api/meetings/:id/versions/:version/name': '...PPAA UUU',
  'DELETE /api/meetings/:id/versions/:version/name': '...PPAA UUU',

  'DELETE /api/meetings/:id': '..PPPAA UUU',
  'POST /api/meetings/:id/restore': '..PPPAA UUU',
  'POST /api/meetings/:id/process': '..PPPAA UUU',
  'GET /api/meetings/:id/costs': '..PPPAA UUU',
  // A recording in progress belongs to the person who began it.
  'POST /api/meetings/:id/takes': '..PPPAA UUU',
  'POST /api/meetings/:id/live/pause': '..PPPAA UUU',
  'POST /api/meetings/:id/live/resume': '..PPPAA UUU',
  'POST /api/meetings/:id/live/end': '..PPPAA UUU',
  'POST /api/meetings/:id/upgrade': '..PPPAA UUU',
  'POST /api/meetings/:id/paid-share': '..PPPAA UUU',
  'POST /api/meetings/:id/versions/:version/restore': '..PPPAA UUU',
  'POST /api/meetings/:id/close': '..PPPAA UUU',
  'POST /api/meetings/:id/reopen': '..PPPAA UUU',
  'GET /api/meetings/:id/drafts/:kind': '....PAA UUU',
  'POST /api/meetings/:id/drafts/:kind': '....PAA UUU',
  'POST /api/meetings/:id/drafts/:kind/stop': '....PAA UUU',
  'PUT /api/meetings/:id/drafts/:kind/:draftId': '....PAA UUU',
  'GET /api/meetings/:id/analysis': '.....AA UUU',
  'POST /api/meetings/:id/analysis': '...PPAA UUU',
  'POST /api/meetings/:id/analysis/stop': '...PPAA UUU',
  'PUT /api/meetings/:id/ai': '..PPPAA UUU',
  'GET /api/meetings/:id/outcomes/autodetect': '...PPAA UUU',
  'POST /api/meetings/:id/outcomes/autodetect': '...PPAA UUU',
  'POST /api/meetings/:id/outcomes/autodetect/stop': '...PPAA UUU',
  // For a suggestion that does not exist.
  'POST /api/meetings/:id/outcomes/:itemId/accept': '...PPAA UUU',
  'POST /api/meetings/:id/outcomes/:itemId/reject': '...PPAA UUU',
  'POST /api/meetings/:id/outcomes/:itemId/reopen': '...PPAA UUU',
  'GET /api/meetings/:id/acl': '..PPPAA UUU',
  'POST /api/meetings/:id/acl': '..PPPAA UUU',
  'POST /api/meetings/delete': '..PPPAA UUU',
  'POST /api/meetings/restore': '..PPPAA UUU',
  'GET /api/access-requests/:id': '..AAAAA UUU',
  'POST /api/access-requests/:id': '..AAAAA UUU',

  'POST /api/meetings/:id/requestAccess': '....... UUU',
  // Only the owner moves a recording into their own library, even if others have all permissions on it.
  'PUT /api/meetings/:id/move': '.PPPPAA UUU',
  'POST /api/meetings/move': '.PPPPAA UUU',
  'POST /api/meetings/:id/reviews': '..PPPAA UUU',
  'GET /api/meetings/:id/reviews': '.....AA UUU',
  // For a review that does not exist: a part in it decides, not permissions on the recording.
  'GET /api/meetings/:id/reviews/:reviewId': 'PPPPPPP UUU',
  'GET /api/meetings/:id/reviews/:reviewId/listened': 'PPPPPPP UUU',
  'PUT /api/meetings/:id/reviews/:reviewId/listened': 'PPPPPPP UUU',
  'GET /api/meetings/:id/reviews/:reviewId/agreement': 'PPPPPPP UUU',
  'GET /api/meetings/:id/reviews/:reviewId/calibration': 'PPPPPPP UUU',
  'GET /api/meetings/:id/reviews/:reviewId/report': 'PPPPPPP UUU',
  'GET /api/meetings/:id/reviews/:reviewId/report/file': 'PPPPPPP UUU',
  'POST /api/meetings/:id/reviews/:reviewId': 'PPPPPPP UUU',
  'DELETE /api/meetings/:id/reviews/:reviewId': 'PPPPPPP UUU',
  'POST /api/meetings/:id/reviews/:reviewId/reviewers/:reviewerId': 'PPPPPPP UUU',
  'POST /api/meetings/:id/invite/complete': 'PPPPPPP UUU',
  'POST /api/meetings/:id/reviews/:reviewId/join': 'PP..... UUU',
  'POST /api/meetings/:id/reviews/:reviewId/publish': 'PPPPPPP UUU',
  'POST /api/meetings/:id/reviews/:reviewId/reopen': 'PPPPPPP UUU',
  // Its link has no access code.
  'POST /api/meetings/:id/unlock': 'AAAAAAA AAA',
};

/** For annotations that only the caller sees. */
export const privately: Readonly<Record<string, string>> = {
  'POST /api/meetings/:id/outcomes': '.....AA UUU',
  'POST /api/meetings/:id/comments': '.....AA UUU',
};

/** Calls with other rules beside the row of the table: the access code, and the content of a library. */
export const byOtherRules = [
  'GET /api/meetings/:id/reviews',
  'GET /api/meetings/:id/reviews/:reviewId',
  'GET /api/meetings/:id/reviews/:reviewId/listened',
  'PUT /api/meetings/:id/reviews/:reviewId/listened',
  'GET /api/meetings/:id/reviews/:reviewId/agreement',
  'GET /api/meetings/:id/reviews/:reviewId/calibration',
  'GET /api/meetings/:id/reviews/:reviewId/report',
  'GET /api/meetings/:id/reviews/:reviewId/report/file',
  'POST /api/meetings/:id/reviews/:reviewId',
  'DELETE /api/meetings/:id/reviews/:reviewId',
  'POST /api/meetings/:id/reviews/:reviewId/reviewers/:reviewerId',
  'POST /api/meetings/:id/invite/complete',
  'POST /api/meetings/:id/reviews/:reviewId/join',
  'POST /api/meetings/:id/reviews/:reviewId/publish',
  'POST /api/meetings/:id/reviews/:reviewId/reopen',
  'POST /api/meetings/:id/unlock',
  'PUT /api/meetings/:id/move',
  'POST /api/meetings/move',
] as const;

export const members = ['admin', 'member', 'invited', 'stranger', 'nobody'] as const;

export const groupMatrix: Readonly<Record<string, string>> = {
  'GET /api/groups/:id': '..AA U',
  'PUT /api/groups/:id': '.PAA U',
  'DELETE /api/groups/:id': '.PAA U',
  'POST /api/groups/:id/deactivate': '.PAA U',
  'POST /api/groups/:id/activate': '.PAA U',
  'POST /api/groups/:id/clone': '.PAA U',
  'GET /api/groups/:id/activity-report': '.PAA U',
  'POST /api/groups/:id/members': '.PAA U',
  'PUT /api/groups/:id/members/:member': '.PAA U',
  'DELETE /api/groups/:id/members/:member': '.PAA U',
  'POST /api/groups/:id/leave': '..AA U',
  'POST /api/groups/:id/accept': '...A U',
  'POST /api/groups/:id/ignore': 'AA.A U',
};

export function expected<K extends string>(row: string | undefined, order: readonly K[], who: K): Answered {
  const letter = row?.replace(' ', '')[order.indexOf(who)];
  if (letter !== '.' && letter !== 'P' && letter !== 'A' && letter !== 'U') throw new Error(`no letter for ${who}`);
  return answers[letter];
}
