import { Plugin, type EditorState } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import { insertParagraphs } from './commands.ts';
import { toFlat } from './flat.ts';

// Asks before many words with times are typed or pasted over: the words that replace them get estimated times.

export interface AskBeforeReplacing {
  /** Number of words with times of their own between two positions of the flat text. */
  timedWords: (from: number, to: number) => number;
  ask: (words: number) => Promise<boolean>;
}

/** Fewer words are replaced without a question: a phrase is corrected all the time. */
const leastAsked = 10;

function wordsToAskFor({ doc, selection }: EditorState, guard: AskBeforeReplacing | undefined): number {
  if (!guard || selection.empty) return 0;
  const words = guard.timedWords(toFlat(doc, selection.from), toFlat(doc, selection.to));
  return words >= leastAsked ? words : 0;
}

/** Runs `replace` at once, or after the person agreed; the selection may have moved by then. */
export function beforeReplacing(view: EditorView, guard: AskBeforeReplacing | undefined, replace: () => void): void {
  const words = wordsToAskFor(view.state, guard);
  if (!guard || words === 0) return replace();
  void guard.ask(words).then((yes) => {
    if (view.isDestroyed) return;
    view.focus();
    if (yes && view.editable) replace();
  });
}

/** Asks before a typed letter replaces the selection. An input method's composition cannot be stopped to ask. */
export function typingOver(guard: AskBeforeReplacing): Plugin {
  const asked = (view: EditorView, text: string): boolean => {
    if (view.composing || !view.editable || wordsToAskFor(view.state, guard) === 0) return false;
    beforeReplacing(view, guard, () => insertParagraphs([{ text }])(view.state, (tr) => view.dispatch(tr)));
    return true;
  };
  return new Plugin({
    props: {
      // Selections over several segments: the editor replaces these itself.
      handleTextInput: (view, _from, _to, text) => asked(view, text),
      handleDOMEvents: {
        // All others: the browser replaces them.
        beforeinput(view, event) {
          if (event.inputType !== 'insertText' || !event.data || !asked(view, event.data)) return false;
          event.preventDefault();
          return true;
        },
      },
    },
  });
}
