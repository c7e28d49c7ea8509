import { useEffect, useState } from 'react';

import type { ImportFormat, TranscriptType } from '#shared/formats/formats.ts';
import { extensionOf } from '#shared/intake.ts';

import { transcriptOf } from './file-rules.ts';
import type { Draft, Unreadable } from './steps.ts';

/** Milliseconds without typing before a pasted text is read. */
const readAfter = 300;
/** Reading larger files would hold up the page; the server reads them. */
const mostBytes = 2 * 1024 * 1024;

type Guess = { readAs: ImportFormat } | { unreadable: Unreadable };

/** How the transcript will be read, by the reader that the server uses; null where only the server can tell. */
export function useTranscriptGuess({
  transcript,
  pasted,
  transcriptType,
}: Pick<Draft, 'transcript' | 'pasted' | 'transcriptType'>): Guess | null {
  const [guess, setGuess] = useState<{ of: readonly unknown[]; found: Guess | null } | null>(null);
  useEffect(() => {
    let here = true;
    const timer = setTimeout(
      () => {
        read(transcriptOf({ transcript, pasted }), transcriptType).then(
          (found) => here && setGuess({ of: [transcript, pasted, transcriptType], found }),
          // Not readable in this browser: the server tells.
          () => {},
        );
      },
      transcript ? 0 : readAfter,
    );
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [transcript, pasted, transcriptType]);
  const of = [transcript, pasted, transcriptType];
  return guess?.of.every((one, i) => one === of[i]) === true ? guess.found : null;
}

async function read(file: File | null, type: TranscriptType): Promise<Guess | null> {
  if (!file || file.size > mostBytes || extensionOf(file.name) === 'docx') return null;
  const [{ readTranscript, OtherFormat }, { decodeText, InvalidTranscript, textSource }] = await Promise.all([
    import('#shared/formats/read.ts'),
    import('#shared/formats/source.ts'),
  ]);
  try {
    const text = decodeText(new Uint8Array(await file.arrayBuffer()));
    return { readAs: readTranscript(textSource(text), type).format };
  } catch (error) {
    if (error instanceof InvalidTranscript) {
      const looksLike = error instanceof OtherFormat ? error.looksLike : null;
      return { unreadable: { message: error.message, looksLike } };
    }
    throw error;
  }
}
