import { createInflateRaw, inflateRawSync } from 'node:zlib';
import { extensionOf, plainFileName } from '#shared/intake.ts';

// Judges files by their content alone. Uncertain ones are refused: people who download a file trust its sender.

interface FileKind {
  type: string;
  /** Usual extension, and others that mean the same. */
  extensions: readonly [string, ...string[]];
}

export interface JudgedFile {
  type: string;
  /** Name that is safe to show and to save, with an extension of its content. */
  name: string;
}

const png: FileKind = { type: 'image/png', extensions: ['png'] };
const jpeg: FileKind = { type: 'image/jpeg', extensions: ['jpg', 'jpeg'] };
const gif: FileKind = { type: 'image/gif', extensions: ['gif'] };
const webp: FileKind = { type: 'image/webp', extensions: ['webp'] };
const pdf: FileKind = { type: 'application/pdf', extensions: ['pdf'] };
const text: FileKind = { type: 'text/plain', extensions: ['txt', 'md', 'csv', 'tsv', 'srt', 'vtt', 'log'] };

const office = 'application/vnd.openxmlformats-officedocument.';
const open = 'application/vnd.oasis.opendocument.';
const documents: Readonly<Record<string, FileKind>> = {
  [`${office}wordprocessingml.document`]: { type: `${office}wordprocessingml.document`, extensions: ['docx'] },
  [`${office}spreadsheetml.sheet`]: { type: `${office}spreadsheetml.sheet`, extensions: ['xlsx'] },
  [`${office}presentationml.presentation`]: { type: `${office}presentationml.presentation`, extensions: ['pptx'] },
  [`${open}text`]: { type: `${open}text`, extensions: ['odt'] },
  [`${open}spreadsheet`]: { type: `${open}spreadsheet`, extensions: ['ods'] },
  [`${open}presentation`]: { type: `${open}presentation`, extensions: ['odp'] },
};

/** Pictures of more pixels take a browser's memory when they are drawn small. */
const mostPixels = 100_000_000;
/** Bytes that a document may unpack to, and parts it may have. */
const mostUnpacked = 300 * 1024 * 1024;
const mostParts = 5000;

/** Type and safe name of a file; null if it is none of the accepted kinds. */
export async function judgeFile(bytes: Buffer, sentName: string): Promise<JudgedFile | null> {
  const kind = await kindOf(bytes);
  return kind && { type: kind.type, name: nameOf(sentName, kind) };
}

/** The first bytes decide which kind is tried: a damaged picture is no text. */
function kindOf(bytes: Buffer): FileKind | null | Promise<FileKind | null> {
  if (pictureMarks.some((mark) => startsWith(bytes, mark))) return pictureOf(bytes);
  if (startsWith(bytes, '%PDF')) return pdfOf(bytes);
  return isZip(bytes) ? documentOf(bytes) : textOf(bytes);
}

function nameOf(sent: string, { extensions }: FileKind): string {
  const name = plainFileName(sent);
  if (name === '') return `file.${extensions[0]}`;
  if (extensions.includes(extensionOf(name) ?? '')) return name;
  return plainFileName(`${name}.${extensions[0]}`);
}

// ---- Pictures -----------------------------------------------------------------------------------

const startsWith = (bytes: Buffer, mark: string, at = 0): boolean =>
  bytes.toString('latin1', at, at + mark.length) === mark;

const pictureMarks = ['\x89PNG', '\xff\xd8\xff', 'GIF8', 'RIFF'];

function pictureOf(bytes: Buffer): FileKind | null {
  const found = startsWith(bytes, '\x89PNG\r\n\x1a\n')
    ? ([png, pngSize(bytes)] as const)
    : startsWith(bytes, '\xff\xd8\xff')
      ? ([jpeg, jpegSize(bytes)] as const)
      : startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')
        ? ([gif, bytes.length > 13 ? [bytes.readUInt16LE(6), bytes.readUInt16LE(8)] : null] as const)
        : startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBPVP8', 8)
          ? ([webp, webpSize(bytes)] as const)
          : null;
  if (!found) return null;
  const [kind, size] = found;
  const [width = 0, height = 0] = size ?? [];
  return width > 0 && height > 0 && width * height <= mostPixels ? kind : null;
}

const pngSize = (bytes: Buffer): number[] | null =>
  bytes.length > 33 && startsWith(bytes, 'IHDR', 12) ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : null;

/** Size in the first frame header; markers before it are skipped by their lengths. */
function jpegSize(bytes: Buffer): number[] | null {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    else if (marker === 0xda || marker === 0xd9) return null;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(bytes: Buffer): number[] | null {
  if (bytes.length < 30) return null;
  if (startsWith(bytes, 'VP8X', 12)) return [1 + bytes.readUIntLE(24, 3), 1 + bytes.readUIntLE(27, 3)];
  if (startsWith(bytes, 'VP8L', 12)) {
    const packed = bytes.readUInt32LE(21);
    return [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)];
  }
  return startsWith(bytes, 'VP8 ', 12) ? [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff] : null;
}

// ---- PDF and text -------------------------------------------------------------------------------

/** Readers accept a head anywhere in the first kilobyte; here it has to begin the file, so that it is nothing else. */
const pdfOf = (bytes: Buffer): FileKind | null =>
  /^%PDF-[12]\.\d/.test(bytes.toString('latin1', 0, 8)) && bytes.subarray(-2048).includes('%%EOF') ? pdf : null;

/** Beginnings of what a program would draw or run. */
const active = /^\s*(?:<(?:!|\?|[a-z])|#!|\{\\rtf|@echo|MZ|%!PS)/i;

function textOf(bytes: Buffer): FileKind | null {
  const wide = startsWith(bytes, '\xff\xfe') || startsWith(bytes, '\xfe\xff');
  const encoding = startsWith(bytes, '\xfe\xff') ? 'utf-16be' : wide ? 'utf-16le' : 'utf-8';
  const decoded = decode(bytes, encoding) ?? (wide ? null : bytes.toString('latin1'));
  // Letters of an old encoding are above the controls, programs are full of them.
  if (decoded === null || hasControls(decoded) || active.test(decoded)) return null;
  return text;
}

/** Any control character but white space. */
function hasControls(words: string): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const code = words.charCodeAt(at);
    if (code < 9 || (code > 13 && code < 32) || code === 127) return true;
  }
  return false;
}

function decode(bytes: Buffer, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

// ---- Documents ----------------------------------------------------------------------------------

interface Part {
  name: string;
  method: number;
  content: Buffer;
}

const isZip = (bytes: Buffer): boolean => startsWith(bytes, 'PK\x03\x04');
/** Parts that a program would run, or that hold what it would. */
const running =
  /(?:^|\/)(?:vbaProject|vbaData|vbaProjectSignature)|(?:^|\/)(?:activeX|macrosheets|dialogsheets|Basic|Scripts)\/|oleObject|\.(?:exe|dll|js|vbs|bat|cmd|ps1|scr|lnk|hta|jar)$/i;

async function documentOf(bytes: Buffer): Promise<FileKind | null> {
  const parts = partsOf(bytes);
  if (!parts || parts.some(({ name }) => running.test(name))) return null;
  const kind = documents[namedType(parts)];
  return kind && (await unpacksTo(parts, mostUnpacked)) ? kind : null;
}

/** The type that the document declares for itself. */
function namedType(parts: readonly Part[]): string {
  const [first] = parts;
  if (first?.name === 'mimetype') return shortTextOf(first);
  const types = parts.find(({ name }) => name === '[Content_Types].xml');
  if (!types) return '';
  const declared = shortTextOf(types);
  // A document with macros has a main part of another type, as has a template.
  if (/macroEnabled|vbaProject/i.test(declared)) return '';
  return /ContentType="(application\/vnd\.openxmlformats-officedocument\.[\w.]+)\.main\+xml"/.exec(declared)?.[1] ?? '';
}

function shortTextOf({ method, content }: Part): string {
  try {
    return (method === 0 ? content : inflateRawSync(content, { maxOutputLength: 1024 * 1024 })).toString('utf8');
  } catch {
    return '';
  }
}

const [endMark, entryMark, fileMark] = [0x06054b50, 0x02014b50, 0x04034b50];

/** Parts by the directory at the end; null for what readers might understand in different ways. */
function partsOf(bytes: Buffer): Part[] | null {
  const end = endOf(bytes);
  if (end === null) return null;
  const count = bytes.readUInt16LE(end + 10);
  if (count === 0 || count > mostParts) return null;
  const parts: Part[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== entryMark) return null;
    const method = bytes.readUInt16LE(at + 10);
    const packed = bytes.readUInt32LE(at + 20);
    const begin = bytes.readUInt32LE(at + 42);
    const nameLength = bytes.readUInt16LE(at + 28);
    const encrypted = (bytes.readUInt16LE(at + 8) & 1) === 1;
    if (encrypted || (method !== 0 && method !== 8)) return null;
    if (begin + 30 > bytes.length || bytes.readUInt32LE(begin) !== fileMark) return null;
    const from = begin + 30 + bytes.readUInt16LE(begin + 26) + bytes.readUInt16LE(begin + 28);
    if (from + packed > bytes.length) return null;
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    parts.push({ name, method, content: bytes.subarray(from, from + packed) });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  const names = new Set(parts.map(({ name }) => name.toLowerCase()));
  return names.size === parts.length ? parts : null;
}

/** Offset of the end record, which is the end of the file: a comment behind it would hide another file. */
function endOf(bytes: Buffer): number | null {
  const at = bytes.length - 22;
  return at >= 0 && bytes.readUInt32LE(at) === endMark ? at : null;
}

/** Whether all parts together unpack to at most this; counted, as sizes in the file may lie. */
async function unpacksTo(parts: readonly Part[], most: number): Promise<boolean> {
  let left = most;
  for (const { method, content } of parts) {
    left -= method === 0 ? content.length : await inflatedSize(content, left);
    if (left < 0) return false;
  }
  return true;
}

/** Unpacked bytes, counted as they come; more than `most` for what is damaged. */
async function inflatedSize(content: Buffer, most: number): Promise<number> {
  const unpacking = createInflateRaw();
  let size = 0;
  try {
    unpacking.end(content);
    for await (const chunk of unpacking as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) return size;
    }
    return size;
  } catch {
    return most + 1;
  } finally {
    unpacking.destroy();
  }
}
