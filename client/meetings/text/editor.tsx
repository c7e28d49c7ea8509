import type { Extensions } from '@tiptap/core';
import { EditorContent, useEditor, type Editor } from '@tiptap/react';
import { useEffect, useMemo } from 'react';
import type { Awareness } from 'y-protocols/awareness';
import type * as Y from 'yjs';
import { readSegments } from '#shared/meetings/transcript.ts';

import { TranscriptBinding } from './binding.ts';
import styles from './editor.module.css';
import { transcript } from './extension.ts';
import { contentOf, nodes } from './schema.ts';
import type { AskSentences } from './sentence-keys.ts';

interface TranscriptEditorProps {
  /** A new document is a new editor. */
  doc: Y.Doc;
  awareness: Awareness | null;
  readOnly: boolean;
  /** Said aloud when the text gets the focus. */
  label: string;
  /** More of the screen's own: decorations, node views, keys. They never write by other ways than transactions. */
  extensions?: Extensions;
  /** How sentences end and begin where segments are split and merged; asked each time. Without it they stay as they are. */
  sentences?: AskSentences;
  onReady?: (editor: Editor, binding: TranscriptBinding) => void;
}

/** The text of a meeting, to be worked on by many at once. */
export function TranscriptEditor({ doc, ...rest }: TranscriptEditorProps) {
  const binding = useMemo(() => new TranscriptBinding(doc), [doc]);
  return <BoundEditor key={doc.guid} binding={binding} {...rest} />;
}

function BoundEditor({
  binding,
  awareness,
  readOnly,
  label,
  extensions,
  sentences,
  onReady,
}: Omit<TranscriptEditorProps, 'doc'> & { binding: TranscriptBinding }) {
  const attributes = useMemo(
    () => ({ role: 'textbox', 'aria-multiline': 'true', 'aria-label': label, spellcheck: 'true', translate: 'no' }),
    [label],
  );
  // Made with its text, instead of being filled with it afterwards.
  const content = useMemo(() => contentOf(readSegments(binding.doc)), [binding]);
  const editor = useEditor(
    {
      content,
      extensions: [...nodes, transcript(binding, awareness, sentences), ...(extensions ?? [])],
      // Our own keys and clipboard, and no style that the page's policy would refuse.
      enableCoreExtensions: { clipboardTextSerializer: false, keymap: false, drop: false, paste: false, delete: false },
      injectCSS: false,
      enableInputRules: false,
      enablePasteRules: false,
      editable: !readOnly,
      editorProps: { attributes },
      onCreate: ({ editor: made }) => onReady?.(made, binding),
    },
    [binding, extensions],
  );
  useEffect(() => {
    // What it was made with it has.
    if (editor.options.editorProps.attributes !== attributes) editor.setOptions({ editorProps: { attributes } });
  }, [editor, attributes]);
  useEffect(() => {
    binding.setReadOnly(readOnly);
    editor.setEditable(!readOnly, false);
  }, [binding, editor, readOnly]);
  return <EditorContent editor={editor} className={styles.editor} />;
}
