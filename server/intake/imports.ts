import { and, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { recordingImports } from '#db/schema/intake.ts';
import { plainFileName, fileLimits, type MeetingForm } from '#shared/intake.ts';
import type { ServiceRecording } from '#shared/meeting-services.ts';
import { invalid, Problem, type FieldError } from '#shared/problems.ts';
import type { Signed } from '../context.ts';
import { rules } from '../limits.ts';
import { asPerson, serviceOf } from './service-accounts.ts';
import { twinIn, type Twin } from './twins.ts';

export type RecordingImport = typeof recordingImports.$inferSelect;
export type NewImport = Omit<RecordingImport, 'meetingId'> & { title: string };

/** The recording at another service that the form names; both fields of a pair are required. */
export function importNamed(form: MeetingForm): ServiceRecording | null {
  const errors: FieldError[] = [];
  const pair = (service: ServiceRecording['service'], names: readonly [keyof MeetingForm, keyof MeetingForm]) => {
    const [recordingId, fileId] = names.map((name) => form[name] as string) as [string, string];
    if (recordingId === '' && fileId === '') return [];
    for (const name of names) if (form[name] === '') errors.push({ field: name, code: 'required' });
    return [{ service, recordingId, fileId }];
  };
  const [one, other] = [
    ...pair('zoom', ['zoomMeetingId', 'zoomRecordingFileId']),
    ...pair('webex', ['webexMeetingId', 'webexFileType']),
  ];
  if (other) errors.push({ field: 'webexMeetingId', code: 'invalid' });
  if (errors.length > 0) throw invalid(...errors);
  return one ?? null;
}

/** Looks the recording up with the person's account at the service: one they cannot see is not found. */
export async function findImport(ctx: Signed, { service: id, ...ref }: ServiceRecording): Promise<NewImport> {
  const service = serviceOf(ctx, id);
  await ctx.limits.take(rules.imports, ctx.person.id);
  const { title, type, seconds, bytes } = await asPerson(ctx, ctx.person.id, service, (access) =>
    service.find(access, ref),
  );
  if ((bytes ?? 0) > fileLimits.mostBytes) throw new Problem('BIG');
  const plain = title.replaceAll('\0', '').trim().slice(0, 150) || 'Recording';
  const name = plainFileName(`${plain.replace(/[/\\]/g, '-')}.${type.toLowerCase()}`);
  return { service: id, ...ref, fileType: type, name, seconds, title: plain };
}

export async function importOf(orm: Orm, meetingId: string): Promise<RecordingImport | undefined> {
  const [row] = await orm.select().from(recordingImports).where(eq(recordingImports.meetingId, meetingId));
  return row;
}

/** The meeting of the same file at the service, where the caller may read one. */
export const importedBefore = (
  ctx: Signed,
  one: Pick<RecordingImport, 'service' | 'recordingId' | 'fileId' | 'meetingId'>,
): Promise<Twin> =>
  twinIn(
    ctx,
    one.meetingId,
    ctx.db.orm
      .select({ id: recordingImports.meetingId })
      .from(recordingImports)
      .where(
        and(
          eq(recordingImports.service, one.service),
          eq(recordingImports.recordingId, one.recordingId),
          eq(recordingImports.fileId, one.fileId),
        ),
      ),
  );
