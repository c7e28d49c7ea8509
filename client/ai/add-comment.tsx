import { IconMessagePlus } from '@tabler/icons-react';
import { atom, useAtom, useAtomValue } from 'jotai';

import type { StoredPart } from '#shared/ai/views.ts';
import { longestQuote } from '#shared/meetings/anchors.ts';
import { mayAdd } from '#shared/meetings/annotation-rules.ts';
import { plainDocument } from '#shared/meetings/rich-text.ts';

import { annotationsAtom } from '../meetings/annotations/base/open-annotations.ts';
import { passageOfQuote } from '../meetings/annotations/base/selection.ts';
import { useAsking } from '../meetings/annotations/base/use-asking.ts';
import { useMeeting } from '../meetings/open/meeting-context.ts';
import { useOpenText } from '../meetings/open/open-text.ts';
import { usePreferences } from '../preferences.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './chat-pane.module.css';

/** Ids of comments that were made of parts, by recording, place and words: they outlive the closed pane. */
const addedAtom = atom<Readonly<Record<string, string>>>({});

/** Button that makes a proved part a comment at its first quote: for everyone, or for the person where they prefer that. */
export function AddComment({ part }: { part: StoredPart }) {
  const { t } = useTranslation(['chat', 'annotations']);
  const items = useAtomValue(annotationsAtom);
  const asking = useAsking();
  const notify = useNotify();
  const { words, live, about } = useMeeting();
  const open = useOpenText();
  const [{ hardcorePrivacy = false }] = usePreferences();
  const [added, setAdded] = useAtom(addedAtom);
  const isOwn = hardcorePrivacy || !mayAdd(asking, false);
  const [quote] = part.quotes;
  if (!items || !quote || !mayAdd(asking, isOwn)) return null;

  const comment = (): string => {
    const { start, end } = quote;
    const said = { anchor: null, start, end, quote: quote.text.slice(0, longestQuote) };
    const begun = items.begin((open && passageOfQuote(open, words, live.generation, said)) ?? said, isOwn);
    const text = JSON.stringify(plainDocument(part.text));
    items.do('comment', begun.id, { do: 'add', item: { ...begun, parent: null, text, resolved: null, url: null } });
    return begun.id;
  };
  const add = () => {
    const key = `${about.id} ${quote.start} ${part.text}`;
    const before = added[key];
    // Pressed twice, it stays one comment.
    const id = before !== undefined && items.now().comment.has(before) ? before : comment();
    setAdded((all) => ({ ...all, [key]: id }));
    const takeBack = () => {
      if (!items.do('comment', id, { do: 'delete' })) notify({ message: t('annotations:tooLateHere') });
    };
    const undo = { kind: 'clickable', text: t('annotations:undo'), onClick: takeBack } as const;
    notify({ type: 'info', message: [t(isOwn ? 'commentedOwn' : 'commented'), ' ', undo] });
  };
  return (
    <div className={styles.actions}>
      <Button look="quiet" icon={<IconMessagePlus size={16} stroke={1.5} aria-hidden="true" />} onClick={add}>
        {t('addComment')}
      </Button>
    </div>
  );
}
