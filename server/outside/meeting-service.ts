import type { Readable } from 'node:stream';
import type { ServiceFileType, ServiceId } from '#shared/meeting-services.ts';

/** What a service lets us do in somebody's name. */
export interface Tokens {
  access: string;
  /** Asks for the next pair; some services take each of them once. */
  refresh: string;
  /** How long the first one holds. */
  seconds: number;
}

/** A meeting that was recorded, with the files of it. */
export interface Recorded {
  id: string;
  title: string;
  /** When it was, as the service writes times. */
  at: string | null;
  files: RecordedFile[];
}

interface RecordedFile {
  id: string;
  /** `MP4`, `M4A`, or something that is nothing to us. */
  type: string;
  /** How it was recorded, in the service's own word. */
  kind: string;
  from: string | null;
  to: string | null;
  seconds: number | null;
  /** Where people play it at the service. */
  playUrl: string | null;
}

/** One file, as it is asked for again. */
export interface FileRef {
  recordingId: string;
  fileId: string;
}

/** What is known of a file before it is fetched. */
interface FoundFile {
  title: string;
  type: ServiceFileType;
  seconds: number | null;
  /** Null where the service does not tell. */
  bytes: number | null;
}

/** A file that has begun to come. */
export interface Coming {
  /** Where in the file the first byte stands: not always where it was asked for. */
  from: number;
  /** Of the whole file; null where that is not told. */
  bytes: number | null;
  /** Another one is another file. */
  mark: string | null;
  content: Readable;
}

/** The service does not know the token, or not any more. */
export class NotLetIn extends Error {
  override name = 'NotLetIn';
}

/**
 * Where meetings were recorded. What goes wrong there is NotLetIn, NO_ACCESS (it has no such recording for this person) or
 * UPSTREAM; what a service says in its own words is never passed on, nor written down.
 */
export interface MeetingService {
  readonly id: ServiceId;
  /** Where people let us in; `verifier` is what the same flow ends with. */
  authorizationUrl(flow: { state: string; verifier: string; redirectUri: string }): URL;
  exchange(code: string, flow: { verifier: string; redirectUri: string }): Promise<Tokens>;
  refresh(token: string): Promise<Tokens>;
  /** As far as the service can: from then on it knows them no more. */
  revoke(tokens: Pick<Tokens, 'access' | 'refresh'>): Promise<void>;
  /** All of the person's own in this window, read page by page. */
  list(access: string, window: { from: Date; to: Date; pageSize: number }): Promise<Recorded[]>;
  find(access: string, file: FileRef): Promise<FoundFile>;
  /** From this byte on, if the service can do that. */
  fetch(access: string, file: FileRef, from: number, signal: AbortSignal): Promise<Coming>;
}
