import { z } from 'zod';
import { isEmail } from './email.ts';
import { closeInput } from './meetings/meeting.ts';
import { modelId } from './outcome-models.ts';
import { longestReviewComment, phases, policies, reviewerRoles } from './reviews/review.ts';

// Reviews on the wire. A reviewer's assessment is a layer, whose id (`cloneId`) stands in the place of a meeting's in the
// calls of annotations.

/** Reviewers in one request; the limits of a house are lower. */
const mostInRequest = 100;

const principalInput = z
  .object({ id: z.string().max(100).optional(), email: z.string().max(500).optional() })
  .refine(({ id, email }) => (id === undefined) !== (email === undefined), 'required')
  .refine(({ email }) => email === undefined || isEmail(email), 'email');
export type PrincipalInput = z.infer<typeof principalInput>;

const reviewerInput = z.object({ principal: principalInput, role: z.enum(reviewerRoles) });
export type ReviewerInput = z.infer<typeof reviewerInput>;

const day = z.iso.date();
const settings = {
  /** Hides who reviewers are from all but supervisors and the leader; chosen when asking. */
  anonymous: z.boolean().optional(),
  outcomeModel: modelId.nullish(),
  due: day.nullish(),
  /** Percent of the recording that reviewers have to listen to before they complete. */
  coverage: z.number().int('invalid').min(1, 'invalid').max(100, 'invalid').nullish(),
};

export const reviewInput = z.object({
  policy: z.enum(policies),
  reviewers: z.array(reviewerInput).min(1).max(mostInRequest),
  /** The person who is assessed. */
  student: principalInput.nullish(),
  /**
   * Shows people who watch or oversee as present in a strict or student review. It stays as it is: what they corrected
   * while they were hidden would get their names.
   */
  observers: z.boolean().optional(),
  /** Closes the transcript, and names its version; one that is closed stays as it is. */
  closeText: closeInput.nullish(),
  /** Id of an open review of this recording, for strict reviews: each assessment is compared with it once complete. */
  keyOf: z.string().max(100).nullish(),
  ...settings,
});
export type ReviewInput = z.infer<typeof reviewInput>;

export const reviewChange = z.object({
  /** The `rev` that was read; another one is a conflict. */
  rev: z.number().int().nonnegative(),
  policy: z.enum(policies).optional(),
  ...settings,
  add: z.array(reviewerInput).max(mostInRequest).optional(),
  remove: z.array(z.string().max(100)).max(mostInRequest).optional(),
  roles: z
    .array(z.object({ id: z.string().max(100), role: z.enum(reviewerRoles) }))
    .max(mostInRequest)
    .optional(),
  /** Ends the review, whatever its reviewers completed. */
  end: z.literal(true).optional(),
  /** Skips the student's own assessment, which is overdue. */
  skipSelf: z.literal(true).optional(),
});
export type ReviewChange = z.infer<typeof reviewChange>;

export const joinInput = z.object({ role: z.enum(['required', 'optional']).default('optional') });
export type JoinInput = z.infer<typeof joinInput>;

const statuses = ['new', 'in-progress', 'complete'] as const;

export const reviewerChange = z.object({
  /** `in-progress` begins, or takes completing back. */
  status: z.enum(['in-progress', 'complete']).optional(),
  comment: z.string().max(longestReviewComment).optional(),
});
export type ReviewerChange = z.infer<typeof reviewerChange>;

/** `notesId`: the layer with the caller's assessment. */
export const inviteCompleteInput = z.object({ notesId: z.string('required').min(1, 'required').max(100) });

const reviewerView = z.object({
  id: z.string(),
  /**
   * Null for an address without an account, which others do not learn. In an anonymous review the number of the row in the
   * caller's language, with the name for those who learn it.
   */
  name: z.string().nullable(),
  /** Account, where the name is told. */
  userId: z.string().nullable(),
  /** For supervisors, the leader and the reviewer alone. */
  email: z.string().nullable(),
  role: z.enum(reviewerRoles),
  /** Null where the caller does not learn how far they are. */
  status: z.enum(statuses).nullable(),
  comment: z.string(),
  /** Whether they have listened to as much as the review asks for; for supervisors and the leader. */
  heardEnough: z.boolean().nullable(),
  /** The layer with this reviewer's annotations, where the caller reads it. */
  cloneId: z.string().nullable(),
  isMe: z.boolean(),
});
export type ReviewerView = z.infer<typeof reviewerView>;

/** Actions a caller may take on a review. */
export const reviewActions = [
  'annotate',
  'complete',
  'take-back',
  'change',
  'add',
  'publish',
  'reopen',
  'delete',
] as const;

const reviewView = z.object({
  id: z.string(),
  meetingId: z.string(),
  title: z.string(),
  policy: z.enum(policies),
  phase: z.enum(phases),
  status: z.enum(['in-progress', 'complete']),
  /** Time of opening; null: not yet, or not complete any more. */
  completionDate: z.string().nullable(),
  firstOpenedAt: z
    .string()
    .nullable()
    .describe('Time of the first opening, once the review is open; null where it was not recorded.'),
  leader: z.object({ id: z.string(), name: z.string() }),
  student: z
    .object({
      name: z.string(),
      /** Account, where it is named. */
      userId: z.string().nullable(),
      status: z.enum(statuses).nullable(),
      isMe: z.boolean(),
      cloneId: z.string().nullable(),
    })
    .nullable(),
  anonymous: z.boolean(),
  observers: z.boolean(),
  outcomeModel: modelId.nullable(),
  askedTypes: z
    .array(z.string())
    .nullable()
    .describe('Types of a set that people made, as it was when the review froze; once the review is open.'),
  due: z.string().nullable(),
  coverage: z.number().int().nullable(),
  keyed: z.boolean().describe('Whether each assessment is compared with a key once it is complete.'),
  isSecondPass: z
    .boolean()
    .describe('Whether the recording is assessed a second time here; only its leader and supervisors are told.'),
  /** Null for everybody who does not change the review. */
  rev: z.number().int().nullable(),
  /** The caller's own part: id of their row, and what they are. */
  mine: z
    .object({
      id: z.string(),
      role: z.enum([...reviewerRoles, 'student']),
      status: z.enum(statuses),
      comment: z.string(),
      /** Percent of the recording that they have listened to; null where none is asked for or its length is not known. */
      heard: z.number().int().nullable(),
    })
    .nullable(),
  /** The layer to open: one's own or the shared one, else one that only shows the words; null without a right on any. */
  cloneId: z.string().nullable(),
  reviewers: z.array(reviewerView),
  /** Layers the caller reads beside those of reviewers. */
  layers: z.array(z.object({ id: z.string(), kind: z.enum(['shared', 'machine', 'discussion', 'feedback', 'words']) })),
  can: z.array(z.enum(reviewActions)),
});
export type ReviewView = z.infer<typeof reviewView>;

export const reviewAnswer = z.object({ review: reviewView });
export const reviewsAnswer = z.object({ reviews: z.array(reviewView) });
export const joinAnswer = z.object({ joined: z.boolean() });
