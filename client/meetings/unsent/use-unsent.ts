import { useEffect, useState } from 'react';

import { dropCommands, dropCopy, leftCommands, leftOf } from '#sync/client/copies.ts';
import { passages } from '#sync/client/passages.ts';

import { loadChunk } from '../../load.ts';
import { useSession } from '../../session.ts';
import type { Command } from '../annotations/base/commands.ts';
import type { UnsentWords } from '../live/room.ts';

/** Unsent words of one kind, and how to remove them from this browser. */
interface UnsentPart extends UnsentWords {
  drop(): Promise<unknown>;
}

const parts = ['transcript', 'notes', 'outcomes', 'comments'] as const;

/** Everything unsent that this browser holds of a recording closed to this person, and a function to discard it. */
export function useUnsent(meeting: string): readonly [readonly UnsentPart[], (words: UnsentPart) => void] {
  const principal = useSession().data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const [unsent, setUnsent] = useState<readonly UnsentPart[]>([]);
  useEffect(() => {
    if (userId === null) return;
    let mounted = true;
    const lookups = [...parts.map((part) => ofRoom(userId, meeting, part)), ofCommands(userId, meeting)];
    for (const lookup of lookups)
      lookup.then(
        (words) => mounted && words.length > 0 && setUnsent((all) => [...all, ...words]),
        () => {
          // Browsers without storage hold no unsent words.
        },
      );
    return () => {
      mounted = false;
      setUnsent([]);
    };
  }, [userId, meeting]);
  // Shown until they are gone from the browser: a reload must not bring back what the page no longer shows.
  const discard = (words: UnsentPart) => {
    words.drop().then(
      () => setUnsent((all) => all.filter((one) => one !== words)),
      () => {
        // Still stored, so still shown.
      },
    );
  };
  return [unsent, discard];
}

async function ofRoom(userId: string, meeting: string, part: (typeof parts)[number]): Promise<UnsentPart[]> {
  const room = `${meeting}/${part}`;
  const copies = await leftOf(userId, room);
  return copies.map(({ generation, doc, unsaved }) => {
    const of = part === 'notes' ? 'notes' : 'text';
    const changed = passages(doc, unsaved);
    // Falls back to all words of a transcript; private notes need no fallback, as only one person edits them.
    const text = changed === '' && of === 'text' ? passages(doc, null) : changed;
    doc.destroy();
    const others = text === '' ? unsaved.length : 0;
    return { why: 'access', of, text, others, generation, drop: () => dropCopy(userId, room, generation) };
  });
}

async function ofCommands(userId: string, meeting: string): Promise<UnsentPart[]> {
  const commands = await leftCommands<Command>(userId, meeting);
  if (commands.length === 0) return [];
  const [{ wordsOf }, { voiceOf }] = await loadChunk(() =>
    Promise.all([import('../annotations/base/commands.ts'), import('../annotations/base/recordings.ts')]),
  );
  const words = commands.map(wordsOf).filter((one) => one !== '');
  const voiceNotes = commands.flatMap((command) => voiceOf(command) ?? []);
  const others = commands.filter((command) => wordsOf(command) === '' && voiceOf(command) === null).length;
  const ids = new Set(commands.map(({ id }) => id));
  const drop = () => dropCommands(userId, meeting, ids);
  return [{ why: 'access', of: 'said', text: words.join('\n'), voices: voiceNotes, others, generation: null, drop }];
}
