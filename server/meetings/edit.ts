import { editSegments } from '#shared/meetings/edits.ts';
import type { EditsInput } from '#shared/meetings/writing.ts';
import { Problem } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { writeDocument, type Written } from './write.ts';

/**
 * Replaces texts of segments: all of them or none. Positions refer to the version the caller has read; an edit applies
 * wherever the replaced text still exists, whatever changed around it.
 */
export const editMeeting = (
  ctx: Ctx,
  verb: 'POST /api/meetings/:id/edit' | 'POST /api/meetings/:id/edits',
  { id, edits, version }: EditsInput & { id: string },
): Promise<Written> =>
  writeDocument(ctx, {
    id,
    verb,
    version,
    origin: 'edit',
    see: (at) => at('texts'),
    write: (doc, seen, now) => {
      const refused = editSegments(doc, edits, seen, 'edit');
      const errors = (why: string, field: string) =>
        refused
          .filter((one) => one.why === why)
          .slice(0, 50)
          .map(({ nth }) => ({ field: edits.length > 1 ? `edits.${nth}.${field}` : field, code: why }));
      const unknown = errors('unknown', 'pos');
      if (unknown.length > 0) throw new Problem('INVALID', { errors: unknown });
      const changed = errors('changed', 'old');
      if (changed.length > 0) throw new Problem('CONFLICT', { errors: changed, info: { version: now } });
    },
  });
