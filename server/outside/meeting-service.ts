import type { Readable } from 'node:stream';
import type { ServiceFileType, ServiceId } from '#shared/meeting-services.ts';

/** Tokens by which this server acts for a person at the service. */
export interface Tokens {
  access: string;
  /** Token to get the next pair; some services accept each only once. */
  refresh: string;
  /** Seconds until the access token expires. */
  seconds: number;
}

/** A recorded meeting with its files. */
export interface Recorded {
  id: string;
  title: string;
  /** Time of the meeting, in the service's format. */
  at: string | null;
  files: RecordedFile[];
}

interface RecordedFile {
  id: string;
  /** `MP4`, `M4A`, or a type that cannot be imported. */
  type: string;
  /** Kind of recording, in the service's own term. */
  kind: string;
  from: string | null;
  to: string | null;
  seconds: number | null;
  /** Page of the service that plays it. */
  playUrl: string | null;
}

/** Ids to request one file again. */
export interface FileRef {
  recordingId: string;
  fileId: string;
}

/** Facts about a file before it is downloaded. */
interface FoundFile {
  title: string;
  type: ServiceFileType;
  seconds: number | null;
  /** Null when the service does not report it. */
  bytes: number | null;
}

/** A download that has begun. */
export interface Coming {
  /** Offset of the first byte in the file, which may differ from the requested one. */
  from: number;
  /** Size of the whole file; null when not reported. */
  bytes: number | null;
  /** Version of the file; a different one means that the file has changed. */
  mark: string | null;
  content: Readable;
}

/** The service does not accept the token, or no longer does. */
export class NotLetIn extends Error {
  override name = 'NotLetIn';
}

/**
 * Service where meetings were recorded. Its failures are NotLetIn, NO_ACCESS (this person has no such recording there)
 * or UPSTREAM; text of the service is never passed on or logged.
 */
export interface MeetingService {
  readonly id: ServiceId;
  /** Page on which people grant access; `verifier` is needed again at the end of the flow. */
  authorizationUrl(flow: { state: string; verifier: string; redirectUri: string }): URL;
  exchange(code: string, flow: { verifier: string; redirectUri: string }): Promise<Tokens>;
  refresh(token: string): Promise<Tokens>;
  /** Revokes the tokens, as far as the service can do that. */
  revoke(tokens: Pick<Tokens, 'access' | 'refresh'>): Promise<void>;
  /** All recordings of the person in this window, read page by page. */
  list(access: string, window: { from: Date; to: Date; pageSize: number }): Promise<Recorded[]>;
  find(access: string, file: FileRef): Promise<FoundFile>;
  /** Downloads from this byte on, if the service supports it. */
  fetch(access: string, file: FileRef, from: number, signal: AbortSignal): Promise<Coming>;
}
