import type { Editor } from '@tiptap/react';
import { useSyncExternalStore } from 'react';
import { Signal } from '#shared/signal.ts';

import { useMeeting } from './meeting-context.ts';
import type { TranscriptBinding } from '../text/binding.ts';

/** The editor of the page with what ties it to the text, for panes and keys that act on it. */
export interface OpenText {
  editor: Editor;
  binding: TranscriptBinding;
}

/** Where the open editor is found; a document that is started anew brings another one. */
export class TextPlace {
  private open: OpenText | null = null;
  private readonly signal = new Signal();

  readonly subscribe = this.signal.subscribe;

  readonly now = (): OpenText | null => this.open;

  readonly put = (editor: Editor, binding: TranscriptBinding): void => {
    const open = { editor, binding };
    this.set(open);
    editor.on('destroy', () => this.open === open && this.set(null));
  };

  private set(open: OpenText | null): void {
    this.open = open;
    this.signal.emit();
  }
}

/** Null until the editor is there. */
export function useOpenText(): OpenText | null {
  const { text } = useMeeting();
  return useSyncExternalStore(text.subscribe, text.now);
}

/** Writes as one step that the undo of the text takes back; by itself while no editor is there. */
export function useStep(): <T>(write: (origin: unknown) => T) => T {
  const open = useOpenText();
  return (write) => (open ? open.binding.asOne(() => write(open.binding)) : write(null));
}
