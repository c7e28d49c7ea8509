import type { Anchored } from '#shared/meetings/anchors.ts';

import type { CommandKind } from './commands.ts';
import type { AnnotationsView } from './meeting-annotations.ts';
import type { Placed } from './places.ts';
import { threadsOf } from './threads.ts';

/** Pane that lists a kind. */
export const paneOf = { comment: 'comments', outcome: 'outcomes', grade: 'outcomes' } as const satisfies Record<
  CommandKind,
  string
>;

/** Id of a passage without an annotation yet. */
const begunId = 'begun';

/** Marks the passage of a comment that is being begun. */
export const placedBegun = (begun: Anchored): Placed => ({
  kind: 'comment',
  item: { ...begun, id: begunId },
  look: 'item-chosen',
  begun: true,
});

/** Annotations drawn in the transcript: unresolved comments, and outcomes in the colour of their type. */
export const placedOf = (
  view: Pick<AnnotationsView, 'comment' | 'outcome'>,
  lookOf: (type: string) => number,
): Placed[] => [
  ...threadsOf(view.comment)
    .filter(({ root }) => root.resolved === null)
    .map(({ root }): Placed => ({ kind: 'comment', item: root, look: 'comment' })),
  ...[...view.outcome.values()].map((item): Placed => ({
    kind: 'outcome',
    item,
    look: `outcome-${lookOf(item.type)}`,
  })),
];
