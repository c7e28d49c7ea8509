import type { Effects } from '#db/answers.ts';
import { isOwnModel } from '#shared/account-choices.ts';
import { applyChanges, seenBy } from '#shared/meetings/apply-changes.ts';
import { readChanges, type PutInput } from '#shared/meetings/writing.ts';
import { Problem } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { nameSet } from '../outcome-models/named.ts';
import { accessTo } from '../rooms/access.ts';
import { updateProjection } from '../rooms/projection.ts';
import { judgeChatModel, setChatModel } from './chat-model.ts';
import { writeDocument, type Written } from './write.ts';

/** Sets values at paths of a document: all or none, with a conflict only if one of these values was changed since. */
export async function putMeeting(ctx: Ctx, { id, meeting, version }: PutInput & { id: string }): Promise<Written> {
  const { changes, wrong } = readChanges(meeting);
  if (wrong.length > 0) throw new Problem('INVALID', { errors: wrong.slice(0, 50) });
  const { chat_model_id: chatModel, ...ofDocument } = changes.whole;
  let isChanged = false;
  if (chatModel !== undefined) {
    await accessTo(ctx, 'PUT /api/meetings/:id', id);
    isChanged = await judgeChatModel(ctx, { id, model: chatModel, version });
    if (Object.keys(ofDocument).length === 0 && changes.parts.length === 0)
      return setChatModel(ctx, { id, model: chatModel, version });
  }
  const model = changes.whole.preferredOutcomesModel ?? null;
  if (isOwnModel(model)) {
    await accessTo(ctx, 'PUT /api/meetings/:id', id);
    await nameSet(ctx, id, model, 'meeting.preferredOutcomesModel');
  }
  const effects: Effects = {};
  let stood = -1;
  const written = await writeDocument(ctx, {
    id,
    verb: 'PUT /api/meetings/:id',
    version,
    origin: 'put',
    effects,
    chatModel,
    see: (at) => at('seen', changes),
    write: (doc, seen, now, generation) => {
      const refused = applyChanges(doc, generation, changes, seen() ?? seenBy(doc, changes), 'put');
      if (isChanged) refused.push({ path: 'chat_model_id', why: 'changed' });
      const errors = refused.slice(0, 50).map(({ path, why }) => ({ field: `meeting.${path}`, code: why }));
      if (refused.some(({ why }) => why === 'unknown')) throw new Problem('INVALID', { errors });
      if (refused.some(({ why }) => why === 'changed'))
        throw new Problem('CONFLICT', { errors, info: { version: now } });
      if (refused.length > 0) throw new Problem('INVALID', { message: "An active speaker can't be deleted", errors });
      stood = now;
      if (chatModel !== undefined)
        effects.chatModel = { meetingId: id, model: chatModel, since: version, version: now + 1 };
    },
  });
  if (changes.whole.title !== undefined) await updateProjection(ctx, id);
  // Without a change of the document there is no row that the choice could be stored with.
  if (chatModel !== undefined && written.version === stood) return setChatModel(ctx, { id, model: chatModel, version });
  return written;
}
