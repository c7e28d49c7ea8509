import { allExtensions, extensionOf, fileLimits } from '#shared/intake.ts';
import type { TranscriptType } from '#shared/formats/formats.ts';
import { longestTitle } from '#shared/meetings/about.ts';

export type FileError = 'large' | 'empty' | 'unsupported' | 'arf' | 'long';

/** Reason to refuse a recording before sending; null where it can be sent. */
export function fileError({ name, size }: Pick<File, 'name' | 'size'>): FileError | null {
  if (size > fileLimits.mostBytes) return 'large';
  if (size < fileLimits.leastBytes) return 'empty';
  const extension = extensionOf(name) ?? '';
  // Only Webex's own player reads these: better said before the upload than after it.
  if (extension === 'arf') return 'arf';
  return allExtensions.includes(extension) ? null : 'unsupported';
}

/** The title of a recording made of this file: its name without the extension. */
export const titleOf = (fileName: string): string => fileName.replace(/\.[^.]*$/, '').slice(0, longestTitle);

/** The extensions of each transcript format, as the program that writes it gives them. */
export const transcriptFiles: Readonly<Record<TranscriptType, readonly string[]>> = {
  AUTO: ['txt', 'docx', 'vtt', 'srt'],
  TRME: ['docx'],
  REV: ['docx'],
  ZOOM: ['vtt'],
  RAE: ['txt', 'docx'],
  OTTERAI: ['txt', 'docx'],
  TURBOSCRIBE: ['txt', 'docx'],
  VTT: ['vtt'],
  SRT: ['srt'],
  TEXT: ['txt', 'docx'],
};

const transcriptEndings = transcriptFiles.AUTO;

/** Whether a file is a transcript instead of a recording, by its name. */
export const isTranscript = ({ name }: Pick<File, 'name'>): boolean =>
  transcriptEndings.includes(extensionOf(name) ?? '');

export interface ChosenTranscript {
  transcript: File | null;
  transcriptType: TranscriptType;
}

export const fitsFormat = ({ transcript, transcriptType }: ChosenTranscript): boolean =>
  transcript !== null && transcriptFiles[transcriptType].includes(extensionOf(transcript.name) ?? '');

/** The chosen file, or else the pasted text as one. */
export function transcriptOf({
  transcript,
  pasted,
}: Pick<ChosenTranscript, 'transcript'> & { pasted: string }): File | null {
  if (transcript) return transcript;
  return pasted.trim() === '' ? null : new File([pasted], 'transcript.txt', { type: 'text/plain' });
}

/** Pasted text for a field of one line. */
export const collapsed = (text: string): string => text.replace(/\s+/g, ' ');
