// Transcripts as people upload them, and the errors of those that are refused.
import { docxParts } from '#shared/formats/docx.ts';
import { Problem } from '#shared/problems.ts';
import { zip } from '#server/export/zip.ts';
import type { Task } from '#server/intake/read-transcript.ts';

export const otter = 'Maria Lopez  0:00  \nThanks for joining.\n\nTom  0:34  \nYes.\n';
export const task = (text: string | Uint8Array, more: Partial<Task> = {}): Task => ({
  bytes: typeof text === 'string' ? Buffer.from(text) : text,
  format: 'OTTERAI',
  personId: 'ann',
  ...more,
});

export const problem = async (work: Promise<unknown>): Promise<Problem> => {
  const error: unknown = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error instanceof Problem) return error;
  throw new Error('not refused', { cause: error });
};

export const document = (body: string, more: Record<string, string | Uint8Array> = {}): Promise<Buffer> => {
  const parts = docxParts({ kind: 'docx', blocks: [], title: '', lang: '' });
  const main = (parts.get('word/document.xml') ?? '').replace('<w:body>', `<w:body>${body}`);
  return zip(new Map<string, string | Uint8Array>([...parts, ['word/document.xml', main], ...Object.entries(more)]));
};
const paragraph = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
export const turns =
  paragraph('Maria Lopez  0:00') + paragraph('Thanks for joining.') + paragraph('Tom  0:34') + paragraph('Yes.');
