import { unionOf, type ListenedPartsAnswer, type Part } from '#shared/reviews/listened.ts';
import type { ReviewView } from '#shared/reviews.ts';

import { colorOf } from '../../ui/avatar.tsx';
import { personKey } from '../../ui/person-key.ts';

/** One person, and the parts they listened to. */
export interface PersonHeard {
  /** Id of their row. */
  id: string;
  name: string;
  /** Key of their colour, the same as elsewhere in the review. */
  personId: string;
  isMe: boolean;
  heard: readonly Part[];
}

/**
 * People of whom it is known what they listened to, this person first; `played` is not on the server yet. Of a person whose
 * parts are not kept there is nothing to say.
 */
export function peopleHeard(
  { mine, student, reviewers, coverage }: Pick<ReviewView, 'mine' | 'student' | 'reviewers' | 'coverage'>,
  answer: ListenedPartsAnswer,
  played: readonly Part[],
): PersonHeard[] {
  const named = (id: string, isStudent: boolean, rest: Pick<PersonHeard, 'isMe' | 'heard'>): PersonHeard[] => {
    const one = isStudent ? student && { ...student, email: null } : reviewers.find((reviewer) => reviewer.id === id);
    // The review may be known as it was before somebody came.
    if (!one) return [];
    return [{ id, name: one.name ?? one.email ?? '', personId: personKey(one.userId, one.email) || id, ...rest }];
  };
  const own = mine !== null && answer.mine !== null && (coverage !== null || answer.mine.shared) ? answer.mine : null;
  return [
    ...(own && mine ? named(mine.id, student?.isMe === true, { isMe: true, heard: unionOf([own.heard, played]) }) : []),
    ...answer.people.flatMap(({ id, isStudent, heard }) => named(id, isStudent, { isMe: false, heard })),
  ];
}

/** Most lines below the wave; more people than that share one. */
const mostLines = 4;

/** Lines below the wave: this person's own, and one for each other, or one for all others where these are many. */
export function linesOf(people: readonly PersonHeard[]) {
  const others = people.filter(({ isMe }) => !isMe);
  const own = people.filter(({ isMe }) => isMe).map(({ id, heard }) => ({ key: id, voice: null, parts: heard }));
  if (own.length + others.length <= mostLines)
    return [
      ...own,
      ...others.map(({ id, personId, heard }) => ({ key: id, voice: colorOf(personId) + 1, parts: heard })),
    ];
  return [...own, { key: 'others', voice: 0, parts: unionOf(others.map(({ heard }) => heard)) }];
}
