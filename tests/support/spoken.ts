import * as Y from 'yjs';
import { seedState } from '#shared/meetings/seed.ts';

/** Paragraphs of a transcript whose words take one second each, from time 0 on. */
export function spoken(...texts: string[]): Y.Doc {
  let at = 0;
  const segments = texts.map((text, i) => ({
    id: `s${i}`,
    speaker: 'p',
    words: text.split(' ').map((w) => ({ w, f: at++, t: at - 0.1 })),
  }));
  const doc = new Y.Doc();
  Y.applyUpdate(doc, seedState({ speakers: [], segments }));
  return doc;
}
