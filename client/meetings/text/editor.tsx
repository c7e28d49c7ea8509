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
import type { AskBeforeReplacing } from './replacing.ts';
import type { AskSentences } from './sentence-keys.ts';

interface TranscriptEditorProps {
  /** Another document makes a new editor. */
  doc: Y.Doc;
  awareness: Awareness | null;
  readOnly: boolean;
  /** Accessible name of the text field. */
  label: string;
  /** Language of the recording, for spelling; empty if unknown. */
  lang?: string;
  /** Further extensions: decorations, node views, keys. They change the document by transactions only. */
  extensions?: Extensions;
  /** Sentence rules for splitting and merging segments, read on each use. Without them the letters stay unchanged. */
  sentences?: AskSentences;
  /** Asks before much of the transcript is replaced. */
  guard?: AskBeforeReplacing;
  onReady?: (editor: Editor, binding: TranscriptBinding) => void;
}

/** Transcript editor for several people at once. */
export function TranscriptEditor({ doc, ...rest }: TranscriptEditorProps) {
  const binding = useMemo(() => new TranscriptBinding(doc), [doc]);
  return <BoundEditor key={doc.guid} binding={binding} {...rest} />;
}

function BoundEditor({
  binding,
  awareness,
  readOnly,
  label,
  lang = '',
  extensions,
  sentences,
  guard,
  onReady,
}: Omit<TranscriptEditorProps, 'doc'> & { binding: TranscriptBinding }) {
  const attributes = useMemo(
    () => ({
      role: 'textbox',
      'aria-multiline': 'true',
      'aria-label': label,
      spellcheck: 'true',
      translate: 'no',
      // Without it, words would be checked in the language of the page.
      ...(lang !== '' && { lang }),
    }),
    [label, lang],
  );
  // Creates the editor with its text, which is faster than filling it afterwards.
  const content = useMemo(() => contentOf(readSegments(binding.doc)), [binding]);
  const editor = useEditor(
    {
      content,
      extensions: [...nodes, transcript(binding, awareness, sentences, guard), ...(extensions ?? [])],
      // The editor has its own keys and clipboard; injected styles would violate the page's security policy.
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
    // Skips attributes the editor was created with.
    if (editor.options.editorProps.attributes !== attributes) editor.setOptions({ editorProps: { attributes } });
  }, [editor, attributes]);
  useEffect(() => {
    binding.setReadOnly(readOnly);
    editor.setEditable(!readOnly, false);
  }, [binding, editor, readOnly]);
  return <EditorContent editor={editor} className={styles.editor} />;
}
