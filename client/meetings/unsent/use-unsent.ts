import { useEffect, useState } from 'react';

import { dropCommands, dropCopy, leftCommands, leftOf } from '#sync/client/copies.ts';
import { passages } from '#sync/client/passages.ts';

import { loadChunk } from '../../load.ts';
import { useSession } from '../../session.ts';
import type { Command } from '../annotations/base/commands.ts';
import type { UnsentWords } from '../live/room.ts';

/** Words of one kind, and how nothing of them stays here. */
interface LeftBehind extends UnsentWords {
  drop(): Promise<unknown>;
}

const parts = ['transcript', 'notes', 'outcomes', 'comments'] as const;

/** Of a recording that is closed to this person: all that this browser has of theirs and never sent, and how to let it go. */
export function useUnsent(meeting: string): readonly [readonly LeftBehind[], (words: LeftBehind) => void] {
  const principal = useSession().data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const [left, setLeft] = useState<readonly LeftBehind[]>([]);
  useEffect(() => {
    if (userId === null) return;
    let here = true;
    const found = [...parts.map((part) => ofRoom(userId, meeting, part)), ofCommands(userId, meeting)];
    for (const finding of found)
      finding.then(
        (words) => here && words.length > 0 && setLeft((all) => [...all, ...words]),
        () => {
          // A browser that keeps nothing kept no words.
        },
      );
    return () => {
      here = false;
      setLeft([]);
    };
  }, [userId, meeting]);
  const letGo = (words: LeftBehind) => {
    setLeft((all) => all.filter((one) => one !== words));
    words.drop().catch(() => {});
  };
  return [left, letGo];
}

async function ofRoom(userId: string, meeting: string, part: (typeof parts)[number]): Promise<LeftBehind[]> {
  const room = `${meeting}/${part}`;
  const found = await leftOf(userId, room);
  return found.map(({ generation, doc, unsaved }) => {
    const of = part === 'notes' ? 'notes' : 'text';
    const own = passages(doc, unsaved);
    // Of one's own notes nothing else was changed by anybody.
    const text = own === '' && of === 'text' ? passages(doc, null) : own;
    doc.destroy();
    const others = text === '' ? unsaved.length : 0;
    return { why: 'access', of, text, others, generation, drop: () => dropCopy(userId, room, generation) };
  });
}

async function ofCommands(userId: string, meeting: string): Promise<LeftBehind[]> {
  const commands = await leftCommands<Command>(userId, meeting);
  if (commands.length === 0) return [];
  const [{ wordsOf }, { voiceOf }] = await loadChunk(() =>
    Promise.all([import('../annotations/base/commands.ts'), import('../annotations/base/recordings.ts')]),
  );
  const words = commands.map(wordsOf).filter((one) => one !== '');
  const voices = commands.flatMap((command) => voiceOf(command) ?? []);
  const others = commands.filter((command) => wordsOf(command) === '' && voiceOf(command) === null).length;
  const ids = new Set(commands.map(({ id }) => id));
  const drop = () => dropCommands(userId, meeting, ids);
  return [{ why: 'access', of: 'said', text: words.join('\n'), voices, others, generation: null, drop }];
}
