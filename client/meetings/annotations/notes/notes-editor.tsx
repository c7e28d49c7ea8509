import {
  IconBlockquote,
  IconBold,
  IconHeading,
  IconItalic,
  IconList,
  IconListCheck,
  IconListNumbers,
} from '@tabler/icons-react';
import type { ChainedCommands, Editor } from '@tiptap/core';
import { Collaboration } from '@tiptap/extension-collaboration';
import { TaskItem, TaskList } from '@tiptap/extension-list';
import { EditorContent, useEditor, useEditorState } from '@tiptap/react';
import { StarterKit } from '@tiptap/starter-kit';
import { useEffect, useMemo, type ComponentType } from 'react';
import type * as Y from 'yjs';
import { notesOf } from '#shared/meetings/notes.ts';

import { IconButton } from '../../../ui/icon-button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import styles from './notes.module.css';

const kit = StarterKit.configure({
  // The binding has its own undo, which covers only this window's changes.
  undoRedo: false,
  // The extension would add a paragraph to notes that are merely opened.
  trailingNode: false,
  dropcursor: false,
  gapcursor: false,
  heading: { levels: [2, 3] },
  link: { openOnClick: false, protocols: ['mailto'], defaultProtocol: 'https' },
});

interface Tool {
  name: 'bold' | 'italic' | 'heading' | 'bullets' | 'numbers' | 'tasks' | 'quote';
  icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: 'true' }>;
  active: (editor: Editor) => boolean;
  run: (chain: ChainedCommands) => ChainedCommands;
}

const tools: readonly Tool[] = [
  { name: 'bold', icon: IconBold, active: (editor) => editor.isActive('bold'), run: (chain) => chain.toggleBold() },
  {
    name: 'italic',
    icon: IconItalic,
    active: (editor) => editor.isActive('italic'),
    run: (chain) => chain.toggleItalic(),
  },
  {
    name: 'heading',
    icon: IconHeading,
    active: (editor) => editor.isActive('heading'),
    run: (chain) => chain.toggleHeading({ level: 2 }),
  },
  {
    name: 'bullets',
    icon: IconList,
    active: (editor) => editor.isActive('bulletList'),
    run: (chain) => chain.toggleBulletList(),
  },
  {
    name: 'numbers',
    icon: IconListNumbers,
    active: (editor) => editor.isActive('orderedList'),
    run: (chain) => chain.toggleOrderedList(),
  },
  {
    name: 'tasks',
    icon: IconListCheck,
    active: (editor) => editor.isActive('taskList'),
    run: (chain) => chain.toggleTaskList(),
  },
  {
    name: 'quote',
    icon: IconBlockquote,
    active: (editor) => editor.isActive('blockquote'),
    run: (chain) => chain.toggleBlockquote(),
  },
];

interface NotesEditorProps {
  doc: Y.Doc;
  editable: boolean;
  label: string;
}

/** Rich-text editor in the private room. */
export function NotesEditor({ doc, editable, label }: NotesEditorProps) {
  const { t } = useTranslation('notes');
  const attributes = useMemo(
    () => ({ role: 'textbox', 'aria-multiline': 'true', 'aria-label': label, translate: 'no' }),
    [label],
  );
  const editor = useEditor(
    {
      extensions: [
        kit,
        TaskList,
        TaskItem.configure({ nested: true }),
        Collaboration.configure({ fragment: notesOf(doc) }),
      ],
      injectCSS: false,
      editable,
      editorProps: { attributes },
    },
    [doc],
  );
  useEffect(() => {
    editor.setOptions({ editorProps: { attributes } });
  }, [editor, attributes]);
  useEffect(() => {
    editor.setEditable(editable, false);
  }, [editor, editable]);
  const empty = useEditorState({ editor, selector: ({ editor: now }) => now.isEmpty });
  return (
    <>
      {editable && <Tools editor={editor} />}
      <div className={styles.sheet}>
        {empty && editable && (
          <p className={styles.placeholder} aria-hidden="true">
            {t('placeholder')}
          </p>
        )}
        <EditorContent editor={editor} className={styles.text} />
      </div>
    </>
  );
}

function Tools({ editor }: { editor: Editor }) {
  const { t } = useTranslation('notes');
  const active = useEditorState({
    editor,
    selector: ({ editor: now }) => tools.filter((tool) => tool.active(now)).map(({ name }) => name),
    equalityFn: (one, other) => one.join() === other?.join(),
  });
  return (
    <div className={styles.tools} role="group" aria-label={t('tools')}>
      {tools.map(({ name, icon: Icon, run }) => (
        <IconButton
          key={name}
          label={t(name)}
          icon={<Icon size={18} stroke={1.5} aria-hidden="true" />}
          aria-pressed={active.includes(name)}
          // Prevents the press from changing the selection.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => run(editor.chain().focus()).run()}
        />
      ))}
    </div>
  );
}
