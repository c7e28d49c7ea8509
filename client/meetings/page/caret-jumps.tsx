import { TextSelection } from '@tiptap/pm/state';
import { useState } from 'react';

import { readTimed } from '#shared/meetings/entries.ts';
import { readSpeakers } from '#shared/meetings/speakers.ts';

import { clockTime } from '../../ui/times.ts';
import { useAction } from '../base/actions.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { useOpenText } from '../open/open-text.ts';
import { reveal } from '../text/paint.ts';
import { speakerOf } from '../text/schema.ts';
import styles from '../../ui/aloud.module.css';
import { useTranslation } from '../../use-translation.ts';

/** Moves the caret from speaker to speaker and from chapter to chapter, and says where it is. */
export function CaretJumps() {
  const { t } = useTranslation(['document', 'player', 'contents']);
  const { live, player, words } = useMeeting();
  const open = useOpenText();
  const [said, setSaid] = useState({ text: '', times: 0 });
  const say = (text: string) => setSaid(({ times }) => ({ text, times: times + 1 }));
  if (!open) return null;
  const { editor, view } = open;

  /** Puts the caret there; the sound goes along while it is quiet, as after a click. */
  const go = (pos: number, ms: number | null, text: string) => {
    view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, pos)));
    reveal(view, pos);
    view.focus();
    if (ms !== null && !player.now().playing) player.seek(ms, 'quiet');
    say(text);
  };
  const toSpeaker = (way: 1 | -1) => {
    const { doc, selection } = editor.state;
    const { head } = selection;
    const names = new Map(readSpeakers(live.doc).map(({ id, name }) => [id, name]));
    const turns: { pos: number; speaker: string }[] = [];
    let before: string | null = null;
    doc.forEach((node, offset) => {
      const speaker = speakerOf(node);
      if (speaker !== before) turns.push({ pos: offset + 1, speaker });
      before = speaker;
    });
    // Paragraphs of hidden speakers are passed over.
    const isShown = ({ pos }: { pos: number }) => {
      const element = view.nodeDOM(pos - 1);
      return element instanceof HTMLElement && element.offsetParent !== null;
    };
    const at =
      way === 1
        ? turns.find((turn) => turn.pos > head && isShown(turn))
        : turns.findLast((turn) => turn.pos < head && isShown(turn));
    if (!at) return say(t('jumps.noSpeaker'));
    const ms = words.timeAt(at.pos);
    const name = names.get(at.speaker) || t(at.speaker === '' ? 'player:noName' : 'player:unknownSpeaker');
    go(at.pos, ms, ms === null ? name : t('player:paragraph', { name, time: clockTime(ms) }));
  };
  const toChapter = (way: 1 | -1) => {
    const chapters = readTimed(live.doc, 'toc');
    if (chapters.length === 0) return say(t('jumps.noChapters'));
    const ms = words.timeAt(editor.state.selection.head) ?? 0;
    const places = chapters.flatMap(({ start, title }) => {
      const place = words.wordAt(start * 1000) ?? { segment: 0, word: 0 };
      // A chapter begins between two words: its first one is the next.
      const word = words.word(place);
      const first = word && word.from < start * 1000 ? nextOf(place) : place;
      const stretch = first && words.stretch(first.segment, first.word, first.word);
      return stretch && first ? [{ pos: stretch.from, start, title, from: words.word(first)?.from ?? ms }] : [];
    });
    const { head } = editor.state.selection;
    const found = way === 1 ? places.find(({ pos }) => pos > head) : places.findLast(({ pos }) => pos < head);
    if (!found) return say(t('jumps.noChapter'));
    const name = found.title || t('contents:unnamed');
    go(found.pos, found.from, t('jumps.chapter', { name, time: clockTime(found.start * 1000) }));
  };
  const nextOf = ({ segment, word }: { segment: number; word: number }) => {
    const { segments } = words.reading();
    if (segments[segment]?.words[word + 1]) return { segment, word: word + 1 };
    const next = segments.findIndex((one, i) => i > segment && one.words.length > 0);
    return next === -1 ? null : { segment: next, word: 0 };
  };
  return <Jumps toSpeaker={toSpeaker} toChapter={toChapter} said={said} />;
}

interface JumpsProps {
  toSpeaker: (way: 1 | -1) => void;
  toChapter: (way: 1 | -1) => void;
  said: { text: string; times: number };
}

function Jumps({ toSpeaker, toChapter, said }: JumpsProps) {
  useAction('nextSpeaker', () => toSpeaker(1));
  useAction('previousSpeaker', () => toSpeaker(-1));
  useAction('nextChapter', () => toChapter(1));
  useAction('previousChapter', () => toChapter(-1));
  // The same words again are announced again only as another node.
  return (
    <p className={styles.aloud} role="status">
      {said.text !== '' && <span key={said.times}>{said.text}</span>}
    </p>
  );
}
