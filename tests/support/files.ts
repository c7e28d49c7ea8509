import { expect } from 'vitest';
import { zip } from '#server/export/zip.ts';
import { multipart } from './intake.ts';
import type { Person } from './people.ts';

/** One white pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const types = (main: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`;
const wordMain = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

/** A Word document with further parts. */
export const wordFile = (more: Record<string, string | Uint8Array> = {}, main = wordMain): Promise<Buffer> =>
  zip([['[Content_Types].xml', types(main)], ['word/document.xml', '<w:document/>'], ...Object.entries(more)]);

interface SentFile {
  name?: string;
  content?: string | Uint8Array;
  comment?: string;
}

export function fileForm({ name = 'notes.txt', content = 'Monday', comment }: SentFile) {
  const file = { fileName: name, content };
  return multipart({ type: 'file', ...(comment !== undefined && { comment }), file });
}

/** Uploads a file; returns its address. */
export async function sendFile(person: Person, id: string, file: SentFile = {}): Promise<string> {
  const { status, body, text } = await person.post(`/api/meetings/${id}/attachment`, undefined, fileForm(file));
  expect(status, text).toBe(200);
  return (body as { url: string }).url;
}
