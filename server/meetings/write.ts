import type * as Y from 'yjs';
import type { AccessById } from '#db/access.ts';
import type { Effects } from '#db/answers.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { VerbName } from '#shared/roles.ts';
import { versionLimit } from '#shared/versions.ts';
import type { Ctx } from '../context.ts';
import { answerOf } from '../http/once.ts';
import { accessByCall } from '../rooms/access.ts';
import type { State } from '../rooms/documents.ts';
import type { Given, Readings } from '../rooms/whole-readings.ts';
import { writeNextRow } from '../rooms/write.ts';
import { readAt } from './history.ts';
import { markerOf } from './view.ts';

/** Result of a write: the version that has it, and the meeting's ETag at that version. */
export interface Written {
  version: number;
  etag: string;
}

/** Reads the state that the caller has read. */
type Past = <Kind extends keyof Readings>(kind: Kind, ...given: Given<Kind>) => Promise<ReturnType<Readings[Kind]>>;

interface Writing<S> {
  id: string;
  verb: VerbName;
  /** The version the caller has read; absent to write without comparing. */
  version?: number;
  origin: string;
  /** Stored with the row; `write` may fill it. */
  effects?: Effects;
  /** The assistant that the recording has afterwards, where the call sets it. */
  chatModel?: string | null | undefined;
  /** Reads values of the state that the caller has read, an older one, for the write. */
  see(at: Past): Promise<S>;
  /**
   * Checks and writes; when it throws, nothing is stored. `seen` returns the values the caller saw, or null if the
   * document has not changed since.
   */
  write(doc: Y.Doc, seen: () => S | null, now: number, generation: number): void;
}

/** The caller has seen an older state, which must be read first. */
class Behind extends Error {}

/** Changes the live transcript for a REST verb; everyone who has it open sees it at once. */
export async function writeDocument<S>(ctx: Ctx, writing: Writing<S>): Promise<Written> {
  const { id, verb, version } = writing;
  const access = await accessByCall(ctx, verb, id);
  // Runs while the room is opened.
  const marking = markerOf(ctx, access, writing.chatModel);
  marking.catch(() => {});
  try {
    return await writeNext(ctx, writing, access, marking, null);
  } catch (error) {
    if (!(error instanceof Behind) || version === undefined) throw error;
    const seen = await writing.see((kind, ...given) =>
      readAt(ctx, { id: access.meetingId, version }, kind, ...given).catch((cause: unknown) => {
        throw cause instanceof Problem && cause.code === 'NOT_FOUND' ? unknownVersion() : cause;
      }),
    );
    return writeNext(ctx, writing, access, marking, { seen });
  }
}

/** Refuses a version that has not been. */
export function refuseFuture(version: number, now: Pick<State, 'version'>): void {
  if (version <= now.version) return;
  throw version < versionLimit ? unknownVersion() : fromOldNumbers(now.version);
}

const unknownVersion = (): Problem => invalid({ field: 'version', code: 'unknown' });

/** Numbers of versions were larger once: what the caller read is not known any more, and was changed for all they know. */
const fromOldNumbers = (version: number): Problem => new Problem('CONFLICT', { info: { version } });

async function writeNext<S>(
  ctx: Ctx,
  { verb, version, origin, effects, write }: Writing<S>,
  { meetingId, layerId, held }: AccessById,
  marking: ReturnType<typeof markerOf>,
  then: { seen: S } | null,
): Promise<Written> {
  const { state } = await writeNextRow(ctx, {
    meetingId,
    origin,
    call: { verb, held, layerId },
    effects: effects ?? null,
    write: (doc, _, now) => {
      if (version !== undefined) refuseFuture(version, now);
      const seen = () => {
        if (version === undefined || version === now.version) return null;
        if (!then) throw new Behind();
        return then.seen;
      };
      write(doc, seen, now.version, now.generation);
    },
    answering: async () => {
      const mark = await marking;
      return (_, next) => answerOf({ version: next.version }, mark(next));
    },
  });
  return { version: state.version, etag: (await marking)(state) };
}
