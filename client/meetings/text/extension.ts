import { Extension } from '@tiptap/core';
import type { Command } from '@tiptap/pm/state';
import type { Awareness } from 'y-protocols/awareness';
import type { TranscriptBinding } from './binding.ts';
import { carets } from './carets.ts';
import { clipboard } from './clipboard.ts';
import { deleteSelected, mergeBackward, mergeForward, splitSegment } from './commands.ts';
import { beforeReplacing, typingOver, type AskBeforeReplacing } from './replacing.ts';
import { mergeSentencesBackward, mergeSentencesForward, splitSentences, type AskSentences } from './sentence-keys.ts';

/**
 * Makes an editor a transcript editor; must come before all other extensions. With `sentences`, splitting and merging
 * also ends and begins sentences. `guard` asks before much of the transcript is replaced.
 */
export const transcript = (
  binding: TranscriptBinding,
  awareness: Awareness | null,
  sentences?: AskSentences,
  guard?: AskBeforeReplacing,
): Extension =>
  Extension.create({
    name: 'transcript',
    priority: 10_000,
    addKeyboardShortcuts() {
      const run =
        (...commands: Command[]) =>
        (): boolean => {
          const { state, view } = this.editor;
          return view.editable && commands.some((command) => command(state, (tr) => view.dispatch(tr)));
        };
      const always = (work: () => unknown) => (): boolean => {
        work();
        return true;
      };
      const backward = run(deleteSelected, sentences ? mergeSentencesBackward(sentences) : mergeBackward);
      const forward = run(deleteSelected, sentences ? mergeSentencesForward(sentences) : mergeForward);
      const splitNow = run(sentences ? splitSentences(sentences) : splitSegment);
      const split = always(() => beforeReplacing(this.editor.view, guard, splitNow));
      const undo = always(() => binding.undo());
      const redo = always(() => binding.redo());
      return {
        Enter: split,
        'Shift-Enter': split,
        'Mod-Enter': split,
        Backspace: backward,
        'Mod-Backspace': backward,
        'Shift-Backspace': backward,
        'Alt-Backspace': backward,
        Delete: forward,
        'Mod-Delete': forward,
        'Alt-Delete': forward,
        'Mod-z': undo,
        'Mod-Shift-z': redo,
        'Mod-y': redo,
      };
    },
    addProseMirrorPlugins: () => [
      binding.plugin(),
      ...(guard ? [typingOver(guard)] : []),
      clipboard(guard),
      ...(awareness ? [carets(binding, awareness)] : []),
    ],
  });
