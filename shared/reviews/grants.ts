import {
  canComplete,
  isBlind,
  isCounted,
  phaseOf,
  type Phase,
  type PrincipalKey,
  type Review,
  type Reviewer,
} from './review.ts';

// Readers and annotators of each layer of a review. Rights are rows that a transition writes; nothing else gives any.

export const layerKinds = ['own', 'shared', 'machine', 'discussion', 'feedback', 'words'] as const;
export type LayerKind = (typeof layerKinds)[number];

/** A layer of a review; `of` is the id of the reviewer or student whose own layer it is. */
interface LayerOf {
  kind: LayerKind;
  of: string | null;
}

/** `comment` annotates, `write` corrects words; both read. */
type LayerPermission = 'read' | 'comment' | 'write';

interface LayerGrant {
  layer: LayerOf;
  principal: PrincipalKey;
  permission: LayerPermission;
}

/** Role of a person in a review; a leader may be a reviewer too. */
type Part =
  | { as: 'leader'; principal: PrincipalKey }
  | { as: 'student'; principal: PrincipalKey; id: string }
  | ({ as: 'reviewer' } & Reviewer);

/** Counted reviewers annotate a layer of their own where they are blind to each other, else a shared one. */
function layersOf(review: Review): LayerOf[] {
  const own = review.reviewers.filter((one) => canComplete(one) && (isBlind(review) || !isCounted(one)));
  const student = review.policy === 'student' && review.student ? [review.student] : [];
  const common: LayerKind[] = [
    ...(isBlind(review) ? [] : ['shared' as const]),
    'machine',
    'discussion',
    'feedback',
    'words',
  ];
  return [
    ...[...own, ...student].map(({ id }): LayerOf => ({ kind: 'own', of: id })),
    ...common.map((kind): LayerOf => ({ kind, of: null })),
  ];
}

/** Parts of a review. The person who is assessed has no other part, even as the leader. */
function partsOf({ leader, student, reviewers }: Review): Part[] {
  return [
    ...(student?.principal === leader ? [] : [{ as: 'leader' as const, principal: leader }]),
    ...(student ? [{ as: 'student' as const, principal: student.principal, id: student.id }] : []),
    ...reviewers
      .filter(({ principal }) => principal !== student?.principal)
      .map((one) => ({ as: 'reviewer' as const, ...one })),
  ];
}

/** Layers that the person assessed reads once the review is published, whether somebody is named as such or not. */
export function publishedLayers(review: Review): LayerOf[] {
  const student = review.student ?? { id: '', principal: 'student', status: 'complete' };
  const published = { ...review, student, publishedAt: review.publishedAt ?? 0 };
  return grantsOf(published).flatMap(({ layer, principal }) => (principal === student.principal ? layer : []));
}

const strength = { read: 0, comment: 1, write: 1 } as const;

/** All rights on the layers of a review, one row for a person and a layer. */
export function grantsOf(review: Review): LayerGrant[] {
  if (review.deletedAt !== null) return [];
  const phase = phaseOf(review);
  const parts = partsOf(review);
  return layersOf(review).flatMap((layer) => {
    const held = new Map<PrincipalKey, LayerPermission>();
    for (const part of parts) {
      const permission = permissionOn(layer, part, review, phase);
      const before = held.get(part.principal);
      if (permission && (!before || strength[permission] > strength[before])) held.set(part.principal, permission);
    }
    return [...held].map(([principal, permission]) => ({ layer, principal, permission }));
  });
}

function permissionOn(layer: LayerOf, part: Part, review: Review, phase: Phase): LayerPermission | null {
  const opened = phase === 'open' || phase === 'published';
  if (part.as === 'student') return studentOn(layer, part.id, review, phase);
  const role = part.as === 'leader' ? null : part.role;
  const counts = role === 'required' || role === 'optional';
  const supervises = role === 'supervisor';
  switch (layer.kind) {
    case 'own': {
      if (opened) return 'read';
      if (part.as === 'reviewer' && part.id === layer.of) return ownPermission(part, review, phase);
      return supervises ? 'read' : null;
    }
    case 'shared': {
      if (opened) return 'read';
      if (counts) return 'comment';
      return role === null ? null : 'read';
    }
    case 'machine':
      return opened || supervises || (role !== null && !isBlind(review)) ? 'read' : null;
    case 'discussion': {
      if (isBlind(review) && !opened) return supervises ? 'comment' : null;
      return role === 'watcher' ? 'read' : 'comment';
    }
    case 'feedback': {
      if (phase !== 'published' || role === 'muted') return null;
      return role === 'watcher' ? 'read' : 'comment';
    }
    case 'words': {
      if (phase === 'self' && !supervises) return null;
      // Corrections made in a second pass would tell the people of the first one that there is another.
      return role === null || role === 'watcher' || review.secondOf !== null ? 'read' : 'write';
    }
  }
}

/** A reviewer's right on their own layer before the review opens. Where all see each other, completing ends nothing. */
function ownPermission({ status }: Reviewer, review: Review, phase: Phase): LayerPermission | null {
  if (phase === 'self') return null;
  return isBlind(review) && status === 'complete' ? 'read' : 'comment';
}

function studentOn({ kind, of }: LayerOf, id: string, review: Review, phase: Phase): LayerPermission | null {
  const takesPart = review.policy === 'student' || phase === 'published';
  if (kind === 'own' && of === id) return phase === 'self' ? 'comment' : 'read';
  if (kind === 'words') return takesPart ? 'read' : null;
  if (phase !== 'published' || kind === 'discussion') return null;
  if (kind === 'feedback') return 'comment';
  // A supervisor's assessment is for the reviewers.
  const owner = review.reviewers.find((one) => one.id === of);
  return owner?.role === 'supervisor' ? null : 'read';
}
