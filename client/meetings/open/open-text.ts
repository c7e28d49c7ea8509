import type { EditorView } from '@tiptap/pm/view';
import type { Editor } from '@tiptap/react';
import { useSyncExternalStore } from 'react';
import { Signal } from '#shared/signal.ts';

import { useMeeting } from './meeting-context.ts';
import type { TranscriptBinding } from '../text/binding.ts';

/** Page's editor and its binding to the text, for panes and shortcuts. */
export interface OpenText {
  editor: Editor;
  /** Stays readable after the editor is destroyed, unlike the editor's own: an effect may run that late. */
  view: EditorView;
  binding: TranscriptBinding;
}

/** Holds the open editor; a document started anew brings another one. */
export class OpenTextHolder {
  private open: OpenText | null = null;
  private readonly signal = new Signal();

  readonly subscribe = this.signal.subscribe;

  readonly now = (): OpenText | null => this.open;

  readonly put = (editor: Editor, binding: TranscriptBinding): void => {
    const open = { editor, view: editor.view, binding };
    this.set(open);
    editor.on('destroy', () => this.open === open && this.set(null));
  };

  private set(open: OpenText | null): void {
    this.open = open;
    this.signal.emit();
  }
}

/** Null until the editor is open. */
export function useOpenText(): OpenText | null {
  const { text } = useMeeting();
  return useSyncExternalStore(text.subscribe, text.now);
}

/** Makes a change one undo step of the text; without an editor, writes it directly. */
export function useStep(): <T>(write: (origin: unknown) => T) => T {
  const open = useOpenText();
  return (write) => (open ? open.binding.asOne(() => write(open.binding)) : write(null));
}

/** Writes what is typed into a field beside the text, as one undo step however many letters it has. */
export function useTyped(): {
  write: <T>(field: object, write: (origin: unknown) => T) => T;
  /** False if that has to be written instead. */
  takeBack: (field: object) => boolean;
} {
  const open = useOpenText();
  return {
    write: (field, write) => (open ? open.binding.typeInto(field, () => write(open.binding)) : write(null)),
    takeBack: (field) => open?.binding.takeBack(field) ?? false,
  };
}
