import type { ReviewView } from '#shared/reviews.ts';

/** A layer of a review that this person can look at. */
export interface LayerChoice {
  id: string;
  /** One's own, the shared one, that of another person, talk, or nothing but the words. */
  kind: 'mine' | 'of' | 'shared' | 'machine' | 'discussion' | 'feedback' | 'words';
  /** The person whose assessment it is; null where they are not named. */
  name: string | null;
}

/**
 * Layers that this person reads, the one to open first: what they annotate, else an assessment, else talk. Empty without
 * a right on any.
 */
export function layersOf({ cloneId, reviewers, student, layers }: ReviewView): LayerChoice[] {
  const own: LayerChoice[] = reviewers.flatMap(({ cloneId: id, isMe, name, email }) =>
    id === null ? [] : [{ id, kind: isMe ? ('mine' as const) : ('of' as const), name: name ?? email }],
  );
  const assessed: LayerChoice[] =
    student?.cloneId == null ? [] : [{ id: student.cloneId, kind: student.isMe ? 'mine' : 'of', name: student.name }];
  const common = layers
    .filter(({ kind }) => kind !== 'machine')
    .map(({ id, kind }): LayerChoice => ({ id, kind, name: null }));
  const all = [...own, ...assessed, ...common];
  // The transcript is beside each layer, so that the layer without annotations is for those who read no other.
  const shown = all.some(({ kind }) => kind !== 'words') ? all.filter(({ kind }) => kind !== 'words') : all;
  const rank = (one: LayerChoice) => (one.id === cloneId ? -1 : order.indexOf(one.kind));
  return shown.toSorted((one, other) => rank(one) - rank(other));
}

const order: readonly LayerChoice['kind'][] = ['mine', 'shared', 'of', 'discussion', 'feedback', 'words'];

/** Layers in which competencies are graded; in the others people only talk, or nobody writes. */
export const hasSheet = ({ kind }: LayerChoice): boolean => kind === 'mine' || kind === 'of' || kind === 'shared';
export const hasComments = ({ kind }: LayerChoice): boolean => kind !== 'words';

type Mode =
  | 'alone'
  | 'together'
  | 'self'
  | 'practises'
  | 'watches'
  | 'watchesTogether'
  | 'oversees'
  | 'leads'
  | 'opened'
  | 'published';

/** The sentence that says what this person does in the review, and who reads it. */
export function modeOf({ policy, phase, mine }: ReviewView): Mode {
  if (phase === 'published') return 'published';
  if (phase === 'open') return 'opened';
  const together = policy === 'relaxed' || policy === 'ai';
  switch (mine?.role) {
    case undefined:
      return 'leads';
    case 'student':
      return 'self';
    case 'supervisor':
      return 'oversees';
    case 'muted':
      return 'practises';
    case 'watcher':
      return together ? 'watchesTogether' : 'watches';
    default:
      return together ? 'together' : 'alone';
  }
}
