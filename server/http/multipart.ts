import type { Context } from 'hono';
import { invalid, Problem } from '#shared/problems.ts';
import type { Env } from './env.ts';

/** One field or file of a form, as it arrives. Unread content is skipped when the next part is requested. */
export interface FormPart {
  name: string;
  /** Null for a field. */
  fileName: string | null;
  content: AsyncIterable<Buffer>;
}

const mostParts = 100;
const mostHeader = 8 * 1024;
const longestBoundary = 70;

/** The boundary of a form with files; other content types are refused. */
export function boundaryOf(contentType: string | undefined): string {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || boundary.length > longestBoundary) throw new Problem('TYPE');
  return boundary;
}

const malformed = (): Problem => new Problem('BAD_REQUEST');

/** Reads a form in one pass with little memory: files are never held as a whole. */
export async function* readForm(source: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<FormPart, void, void> {
  const bytes = new Bytes(source);
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // Text before the first boundary is ignored.
  for await (const _ of bytes.until(delimiter));
  for (let count = 0; await goesOn(bytes); count += 1) {
    if (count === mostParts) throw invalid({ field: '', code: 'too_many' });
    const head = await bytes.line(Buffer.from('\r\n\r\n'), mostHeader);
    const pieces = bytes.until(delimiter);
    // An iterator without `return`, so that a reader that stops early does not end the generator of the form.
    const content = { [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }) };
    yield { ...readHead(head.toString('utf8')), content };
    for await (const _ of content);
  }
}

/** Whether another part follows: after a boundary comes a line end, or two dashes after the last part. */
async function goesOn(bytes: Bytes): Promise<boolean> {
  const rest = await bytes.line(Buffer.from('\r\n'), mostHeader, Buffer.from('--'));
  if (rest === null) return false;
  if (rest.toString('latin1').trim() !== '') throw malformed();
  return true;
}

function readHead(head: string): { name: string; fileName: string | null } {
  const line = head.split('\r\n').find((one) => /^content-disposition\s*:/i.test(one));
  if (line === undefined || !/:\s*form-data\s*(;|$)/i.test(line)) throw malformed();
  const name = parameter(line, 'name');
  if (name === null || head.includes('\0')) throw malformed();
  return { name, fileName: parameter(line, 'filename') };
}

/** A parameter of the header. Browsers write a quotation mark as %22, other clients with a backslash before it. */
function parameter(line: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]*))`, 'i').exec(line) ?? [];
  if (quoted === undefined) return plain ?? null;
  return quoted
    .replaceAll(/\\(["\\])/g, '$1')
    .replaceAll(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

class Bytes {
  private readonly source: AsyncIterator<Buffer>;
  // Starts with a line end, because a body may begin with a boundary, which lacks the line end before it.
  private held: Buffer = Buffer.from('\r\n');

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  private async more(): Promise<void> {
    const next = await this.source.next();
    if (next.done === true) throw malformed();
    this.held = this.held.length === 0 ? next.value : Buffer.concat([this.held, next.value]);
  }

  /** Yields all bytes up to a mark and skips the mark. */
  async *until(mark: Buffer): AsyncGenerator<Buffer, void, void> {
    for (;;) {
      const at = this.held.indexOf(mark);
      const sure = at < 0 ? this.held.length - mark.length + 1 : at;
      if (sure > 0) {
        const piece = this.held.subarray(0, sure);
        this.held = this.held.subarray(sure);
        yield piece;
      }
      if (at >= 0) {
        this.held = this.held.subarray(mark.length);
        return;
      }
      await this.more();
    }
  }

  async line(mark: Buffer, most: number): Promise<Buffer>;
  /** Null if the line begins with `end`. */
  async line(mark: Buffer, most: number, end: Buffer): Promise<Buffer | null>;
  async line(mark: Buffer, most: number, end?: Buffer): Promise<Buffer | null> {
    for (;;) {
      if (end && this.held.subarray(0, end.length).equals(end)) return null;
      const at = this.held.indexOf(mark);
      if (at > most || (at < 0 && this.held.length > most)) throw new Problem('HEADERS');
      if (at >= 0) {
        const line = this.held.subarray(0, at);
        this.held = this.held.subarray(at + mark.length);
        return line;
      }
      await this.more();
    }
  }
}

/** Text of a field, refused above `most` bytes. */
export async function fieldText(content: AsyncIterable<Buffer>, most: number): Promise<string> {
  const bytes = await fieldBytes(content, most);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid({ field: '', code: 'encoding' });
  }
}

export async function fieldBytes(content: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > most) throw new Problem('BIG');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Form of a request, read from the socket and never held as a whole. */
export const formOf = (c: Context<Env>): AsyncIterable<FormPart> =>
  readForm(c.env.incoming, boundaryOf(c.req.header('content-type')));
