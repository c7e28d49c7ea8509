import { IconBold, IconItalic, IconLink, IconList, IconListNumbers } from '@tabler/icons-react';
import { baseKeymap, toggleMark } from '@tiptap/pm/commands';
import { history, redo, undo } from '@tiptap/pm/history';
import { keymap } from '@tiptap/pm/keymap';
import type { Mark } from '@tiptap/pm/model';
import { liftListItem, sinkListItem, splitListItem, wrapInList } from '@tiptap/pm/schema-list';
import { EditorState, type Command } from '@tiptap/pm/state';
import { EditorView } from '@tiptap/pm/view';
import { useEffect, useEffectEvent, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import { plainText, readRichText, type RichNode } from '#shared/meetings/rich-text.ts';

import { Avatar } from '../../../ui/avatar.tsx';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { askedIn, matching, mention, type Asked, type Mentioned } from './mentioning.ts';
import { addressOf, richSchema } from './rich-schema.ts';
import styles from './rich-editor.module.css';

interface RichEditorProps {
  /** Accessible name, and the placeholder while empty. */
  label: string;
  /** Stored rich text to begin with; later values are not read. */
  initial: string;
  /** Called with the stored form; null while empty. */
  onChange: (stored: string | null) => void;
  onSubmit: () => void;
  onEscape: () => void;
  /** People who can be mentioned. */
  people: readonly Mentioned[];
  /** Called when somebody begins to type a name. */
  onAsk: () => void;
}

const { nodes, marks } = richSchema;

/** Small rich-text editor for comments. Ctrl+Enter submits. */
export default function RichEditor({ label, initial, onChange, onSubmit, onEscape, people, onAsk }: RichEditorProps) {
  const { t } = useTranslation('annotations');
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView | null>(null);
  const [active, setActive] = useState<Active>(nothing);
  const [linking, setLinking] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [at, setAt] = useState(0);
  const list = useId();
  const offered = asked ? matching(people, asked.query) : [];
  const chosen = offered[Math.min(at, offered.length - 1)];
  const pick = (person: Mentioned | undefined): boolean => {
    if (!view || !asked || !person) return false;
    view.dispatch(mention(view.state, asked, person));
    view.focus();
    return true;
  };
  // Keys for the list of mentions while it is open; otherwise they belong to the editor.
  const onList = useEffectEvent((key: 'pick' | 'up' | 'down' | 'close'): boolean => {
    if (!asked || !chosen) return false;
    if (key === 'pick') return pick(chosen);
    if (key === 'close') setAsked(null);
    else setAt((offered.indexOf(chosen) + (key === 'up' ? offered.length - 1 : 1)) % offered.length);
    return true;
  });
  const changed = useEffectEvent(onChange);
  const ask = useEffectEvent(onAsk);
  const submit = useEffectEvent(onSubmit);
  const escape = useEffectEvent(onEscape);
  const first = useEffectEvent(() => ({ initial, label }));
  useEffect(() => {
    if (!place.current) return;
    const now = first();
    const doc = now.initial === '' ? null : readRichText(now.initial);
    const state = EditorState.create({
      schema: richSchema,
      ...(doc && { doc: richSchema.nodeFromJSON(doc) }),
      plugins: [
        history(),
        keymap({
          ArrowUp: () => onList('up'),
          ArrowDown: () => onList('down'),
          Enter: () => onList('pick'),
          Tab: () => onList('pick'),
          Escape: () => onList('close'),
        }),
        keymap({
          'Mod-Enter': () => {
            submit();
            return true;
          },
          Escape: () => {
            escape();
            return true;
          },
          Enter: splitListItem(nodes.listItem),
          Tab: sinkListItem(nodes.listItem),
          'Shift-Tab': liftListItem(nodes.listItem),
          'Shift-Enter': ({ tr }, dispatch) => {
            dispatch?.(tr.replaceSelectionWith(nodes.hardBreak.create()).scrollIntoView());
            return true;
          },
          'Mod-b': toggleMark(marks.bold),
          'Mod-i': toggleMark(marks.italic),
          'Mod-z': undo,
          'Mod-Shift-z': redo,
          'Mod-y': redo,
          'Mod-k': () => {
            setLinking(true);
            return true;
          },
        }),
        keymap(baseKeymap),
      ],
    });
    const made = new EditorView(place.current, {
      state,
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': now.label,
        // Excludes this editor from the transcript's shortcuts.
        'data-field': '',
        class: styles.text ?? '',
      },
      dispatchTransaction(transaction) {
        const next = made.state.apply(transaction);
        made.updateState(next);
        setActive((before) => sameOr(before, activeIn(next)));
        const naming = askedIn(next);
        setAsked(naming);
        if (naming) ask();
        if (transaction.docChanged) setAt(0);
        if (transaction.docChanged) changed(storedOf(next));
      },
    });
    setActive(activeIn(made.state));
    setView(made);
    // Opens on request, so it takes the focus.
    made.focus();
    return () => {
      setView(null);
      made.destroy();
    };
  }, []);

  // Tells screen readers which person of the list the keys have reached.
  const option = chosen ? `${list}-${chosen.id}` : null;
  useEffect(() => {
    const text = view?.dom;
    if (!text) return;
    for (const [name, value] of [
      ['aria-activedescendant', option],
      ['aria-controls', option === null ? null : list],
    ] as const)
      if (value === null) text.removeAttribute(name);
      else text.setAttribute(name, value);
  }, [view, option, list]);

  const run = (command: Command) => {
    if (!view) return;
    command(view.state, view.dispatch);
    view.focus();
  };
  const listOf = (type: typeof nodes.bulletList) =>
    active.list === type.name ? liftListItem(nodes.listItem) : wrapInList(type);
  const tools: {
    name: 'bold' | 'italic' | 'bulleted' | 'numbered' | 'link';
    icon: ReactNode;
    on: boolean;
    press: () => void;
  }[] = [
    { name: 'bold', icon: <IconBold {...icon} />, on: active.bold, press: () => run(toggleMark(marks.bold)) },
    { name: 'italic', icon: <IconItalic {...icon} />, on: active.italic, press: () => run(toggleMark(marks.italic)) },
    {
      name: 'bulleted',
      icon: <IconList {...icon} />,
      on: active.list === 'bulletList',
      press: () => run(listOf(nodes.bulletList)),
    },
    {
      name: 'numbered',
      icon: <IconListNumbers {...icon} />,
      on: active.list === 'orderedList',
      press: () => run(listOf(nodes.orderedList)),
    },
    { name: 'link', icon: <IconLink {...icon} />, on: active.link !== null, press: () => setLinking(!linking) },
  ];
  return (
    <div className={styles.editor}>
      <div ref={place} data-empty={active.empty ? label : undefined} className={styles.place} />
      {chosen && (
        <div id={list} role="listbox" aria-label={t('editor.mention')} className={styles.people}>
          {offered.map((person) => (
            <div
              key={person.id}
              id={`${list}-${person.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={person === chosen}
              className={styles.person}
              // Prevents the press from moving the caret.
              onPointerDown={(event) => {
                event.preventDefault();
                pick(person);
              }}
            >
              <Avatar id={person.id} name={person.name} size={24} />
              {person.name}
            </div>
          ))}
        </div>
      )}
      <div className={styles.tools} role="toolbar" aria-label={t('editor.tools')}>
        {tools.map(({ name, icon: face, on, press }) => (
          <IconButton key={name} label={t(`editor.${name}`)} icon={face} aria-pressed={on} onClick={press} />
        ))}
      </div>
      {linking && view && (
        <LinkForm
          href={active.link ?? ''}
          onDone={(href) => {
            setLinking(false);
            if (href !== null) run(setLink(href));
            else view.focus();
          }}
        />
      )}
    </div>
  );
}

const icon = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;

/** Asks for an address: null cancels, an empty one removes the link. */
function LinkForm({ href, onDone }: { href: string; onDone: (href: string | null) => void }) {
  const { t } = useTranslation('annotations');
  const id = useId();
  const [typed, setTyped] = useState(href);
  const [wrong, setWrong] = useState(false);
  useEffect(() => document.querySelector<HTMLElement>(`#${CSS.escape(id)}`)?.focus(), [id]);
  const set = () => {
    if (typed.trim() === '') return onDone('');
    const address = addressOf(typed);
    if (address === null) setWrong(true);
    else onDone(address);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Enter') set();
    else onDone(null);
  };
  return (
    <div className={styles.link}>
      <TextField
        id={id}
        label={t('editor.address')}
        value={typed}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={wrong ? t('editor.wrongAddress') : undefined}
        onChange={(value) => {
          setTyped(value);
          setWrong(false);
        }}
        onKeyDown={keys}
      />
      <Button onClick={set}>{t('editor.setLink')}</Button>
    </div>
  );
}

interface Active {
  empty: boolean;
  bold: boolean;
  italic: boolean;
  list: string | null;
  link: string | null;
}

const nothing: Active = { empty: true, bold: false, italic: false, list: null, link: null };

const sameOr = (before: Active, now: Active): Active => (JSON.stringify(before) === JSON.stringify(now) ? before : now);

function activeIn(state: EditorState): Active {
  const { $from, from, to, empty } = state.selection;
  const here: readonly Mark[] = state.storedMarks ?? $from.marks();
  const has = (name: 'bold' | 'italic') =>
    empty ? marks[name].isInSet(here) !== undefined : state.doc.rangeHasMark(from, to, marks[name]);
  let list: string | null = null;
  for (let depth = $from.depth; depth > 0 && list === null; depth -= 1) {
    const { name } = $from.node(depth).type;
    if (name === 'bulletList' || name === 'orderedList') list = name;
  }
  const link = marks.link.isInSet(here) ?? marks.link.isInSet($from.nodeAfter?.marks ?? []);
  const { doc } = state;
  const blank = doc.childCount === 1 && doc.firstChild?.type === nodes.paragraph && doc.firstChild.childCount === 0;
  return {
    empty: blank,
    bold: has('bold'),
    italic: has('italic'),
    list,
    link: link ? String(link.attrs['href']) : null,
  };
}

/** Links the selection; with nothing selected, inserts the address itself as linked text. */
const setLink =
  (href: string): Command =>
  (state, dispatch) => {
    const { tr, selection } = state;
    const { from, to, empty } = selection;
    if (href === '') tr.removeMark(from, Math.max(to, from + (selection.$from.nodeAfter?.nodeSize ?? 0)), marks.link);
    else if (empty) tr.replaceSelectionWith(richSchema.text(href, [marks.link.create({ href })]), false);
    else tr.addMark(from, to, marks.link.create({ href }));
    dispatch?.(tr.scrollIntoView());
    return true;
  };

function storedOf({ doc }: EditorState): string | null {
  const json = doc.toJSON() as RichNode;
  return plainText(json).trim() === '' ? null : JSON.stringify(json);
}
