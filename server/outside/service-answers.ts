import { z } from 'zod';
import { Problem } from '#shared/problems.ts';
import { serviceNames, type ServiceId } from '#shared/meeting-services.ts';
import { ask, Astray, download, isWithin, Silent, type Answered, type Asking, type Place } from './asking.ts';
import { NotLetIn, type Coming, type Tokens } from './meeting-service.ts';

// Answers of services, translated into results and problems of this server: their text is never passed on, because it
// may contain anything.

/** Problem of a service; the cause is for the log and contains a status or a fixed text. */
export const upstream = (id: ServiceId, why: string, message = `${serviceNames[id]} did not answer as it should`) =>
  new Problem('UPSTREAM', { message, cause: new Error(`${id}: ${why}`) });

/** Problem for a request that got no usable answer. */
function lost(id: ServiceId, error: unknown): unknown {
  if (error instanceof Silent) return upstream(id, error.message, `${serviceNames[id]} could not be reached`);
  if (error instanceof Astray) return upstream(id, `it leads astray, ${error.message}`);
  return error;
}

export async function askService(id: ServiceId, url: URL, within: Place, asking: Asking): Promise<Answered> {
  try {
    return await ask(url, within, asking);
  } catch (error) {
    throw lost(id, error);
  }
}

export const bearer = (access: string) => ({ Authorization: `Bearer ${access}` });

/** Parses the answer of an API to an authenticated request. */
export function readAnswer<T>(id: ServiceId, shape: z.ZodType<T>, { status, body }: Answered): T {
  if (status === 401) throw new NotLetIn();
  if (status === 404) throw new Problem('NO_ACCESS', { message: 'This recording is not there any more' });
  if (status === 429)
    throw upstream(id, 'answered 429', `${serviceNames[id]} is asked too often. Please try again in a few minutes`);
  if (status !== 200) throw upstream(id, `answered ${status}`);
  const parsed = shape.safeParse(json(body));
  if (!parsed.success) throw upstream(id, 'answered something that is not understood');
  return parsed.data;
}

const tokensShape = z.looseObject({
  access_token: z.string().min(1).max(16_384),
  refresh_token: z.string().min(1).max(16_384),
  expires_in: z.coerce.number().min(1),
});
const refusalShape = z.looseObject({ error: z.string() });

/**
 * Parses tokens. An expired or unknown code or token is NotLetIn; a wrong client id is the operator's mistake, not the
 * person's.
 */
export function readTokens(id: ServiceId, { status, body }: Answered): Tokens {
  if (status === 400 || status === 401) {
    const refusal = refusalShape.safeParse(json(body));
    if (refusal.success && ['invalid_client', 'unauthorized_client'].includes(refusal.data.error))
      throw upstream(id, 'it does not know our client id and secret');
    throw new NotLetIn();
  }
  const parsed = status === 200 ? tokensShape.safeParse(json(body)) : null;
  if (!parsed?.success) throw upstream(id, `answered ${status} where tokens were asked for`);
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = parsed.data;
  return { access, refresh, seconds };
}

function json(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}

/** Downloads a recording, only from the service's own hosts. */
export async function fetchFile(
  id: ServiceId,
  url: string,
  within: Place,
  from: number,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Coming> {
  const range: Record<string, string> = from > 0 ? { Range: `bytes=${from}-` } : {};
  const at = URL.canParse(url) ? new URL(url) : null;
  if (!at || !isWithin(within, at)) throw upstream(id, 'the address of a recording leads to another host');
  let answer;
  try {
    answer = await download(at, within, { headers: { ...headers, ...range, Accept: '*/*' }, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw lost(id, error);
  }
  const { status, headers: received, content } = answer;
  try {
    if (status === 401 || status === 403) throw new NotLetIn();
    if (status === 404 || status === 410)
      throw new Problem('NO_ACCESS', { message: 'This recording is not there any more' });
    if (status !== 200 && status !== 206) throw upstream(id, `answered ${status} where a recording was asked for`);
    // A page for people instead of the file, such as a sign-in page.
    if (/^text\/html\b/i.test(received['content-type'] ?? '')) throw new NotLetIn();
    if ((received['content-encoding'] ?? 'identity') !== 'identity')
      throw upstream(id, 'sent a recording that is packed');
  } catch (error) {
    content.destroy();
    throw error;
  }
  const etag = received.etag ?? received['last-modified'] ?? null;
  const mark = etag?.slice(0, 200) ?? null;
  const [, first, total] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(received['content-range'] ?? '') ?? [];
  if (status === 206 && first === undefined) {
    content.destroy();
    throw upstream(id, 'sent a part without its place');
  }
  const length = /^\d{1,15}$/.test(received['content-length'] ?? '') ? Number(received['content-length']) : null;
  return {
    from: status === 206 ? Number(first) : 0,
    bytes: status === 206 ? (total === '*' ? null : Number(total)) : length,
    mark,
    content,
  };
}
