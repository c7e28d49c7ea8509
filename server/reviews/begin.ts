import { Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { apply } from './apply.ts';
import { partIn } from './part.ts';

/** Marks that the caller has begun to assess, with their first annotation in a layer of their own or in the shared one. */
export async function beginAssessing(ctx: Ctx, meetingId: string, layerId: string): Promise<void> {
  const signed = signedIn(ctx);
  const { id: personId, emailKey, confirmed } = signed.person;
  const [found] = await ctx.db.ask(
    (sql) => sql<{ review_id: string }[]>`
      select l.review_id from layers l join reviewers p on p.review_id = l.review_id
      where l.id = ${layerId} and l.kind in ('own', 'shared') and p.status = 'new' and p.role <> 'watcher'
        and ((p.kind = 'user' and p.principal_id = ${personId})
          or (p.kind = 'pending' and ${confirmed} and p.principal_id = ${emailKey}))`,
  );
  if (!found) return;
  await transaction(ctx, async (tx) => {
    const stored = await partIn(ctx, tx, { id: meetingId, reviewId: found.review_id }, { owns: false, lock: true });
    await apply(signed, tx, stored, [{ type: 'annotate' }], stored.by);
  }).catch((error: unknown) => {
    // The review has moved on; the rights that the annotation needs are judged when it is stored.
    if (!(error instanceof Problem)) throw error;
  });
}
