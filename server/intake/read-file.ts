import { readDocx } from '#shared/formats/read-docx.ts';
import { decodeText, InvalidTranscript, most, textSource, type Source } from '#shared/formats/source.ts';
import { openZip } from './read-zip.ts';

/** Detects the format from the content; the name does not count. */
export function readFile(bytes: Uint8Array): Source {
  if (bytes.byteLength > most.bytes) throw new InvalidTranscript(null, `a file of at most ${most.bytes >> 20} MB`);
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begins = file.toString('latin1', 0, 8);
  for (const [mark, expected] of strangers) if (begins.startsWith(mark)) throw new InvalidTranscript(null, expected);
  if (!begins.startsWith('PK')) return textSource(decodeText(file));
  const part = openZip(file);
  return readDocx((name) => {
    const content = part(name);
    return content === null ? null : decodeText(content);
  });
}

/** Formats that people mistake for readable transcripts. */
const strangers = [
  ['\u00D0\u00CF\u0011\u00E0', 'a .docx document without a password, not one of an older kind'],
  ['%PDF', 'a text or a .docx document, not a PDF'],
  ['{\\rtf', 'a text or a .docx document, not an RTF'],
] as const;
