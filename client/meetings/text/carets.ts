import { Plugin, PluginKey, type EditorState } from '@tiptap/pm/state';
import { Decoration, DecorationSet, type EditorView } from '@tiptap/pm/view';
import type { Awareness } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { textOf } from '#shared/meetings/transcript.ts';
import { colorOf } from '../../ui/avatar.tsx';
import { keepingCaret } from './caret.ts';
import type { TranscriptBinding } from './binding.ts';
import { flatSize, fromFlat, toFlat } from './flat.ts';

// Carets of other people. A position is sent relative to the character before it, so it stays with its words through
// any edit; it holds nothing that the server strips from presence.

const key = new PluginKey<DecorationSet>('carets');
/** How long a name shows after its caret moved, in ms. */
const namedFor = 2000;
/** Below the server's limit of ten a second. */
const tellEvery = 120;

interface Theirs {
  at: string;
  movedAt: number;
}

/** Encodes a position relative to the character before it. */
function encodePosition(binding: TranscriptBinding, state: EditorState, pos: number): unknown {
  const text = textOf(binding.doc);
  return Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(text, toFlat(state.doc, pos), -1));
}

/** Decodes a received position to its place in the text; null if it is malformed or unknown here. */
export function decodePosition(doc: Y.Doc, value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return null;
  try {
    const position = Y.createRelativePositionFromJSON(value);
    // Following undone deletions would give the person who undoes another position than everyone else.
    const found = Y.createAbsolutePositionFromRelativePosition(position, doc, false);
    return found && found.type === textOf(doc) ? found.index : null;
  } catch {
    return null;
  }
}

export function carets(binding: TranscriptBinding, awareness: Awareness): Plugin<DecorationSet> {
  const moved = new Map<number, Theirs>();
  // A caret can arrive before the letters it refers to.
  const early = { any: false };

  const draw = (state: EditorState): DecorationSet => {
    early.any = true;
    // While remote changes are held back, the text is ahead of the document shown.
    if (binding.holding || flatSize(state.doc) !== textOf(binding.doc).length) return DecorationSet.empty;
    const now = performance.now();
    const list: Decoration[] = [];
    early.any = false;
    for (const [client, presence] of awareness.getStates()) {
      if (client === awareness.clientID) continue;
      const cursor = presence['cursor'] as { anchor?: unknown; head?: unknown } | undefined;
      const head = decodePosition(binding.doc, cursor?.head);
      if (head === null) {
        early.any ||= cursor?.head !== undefined;
        continue;
      }
      const anchor = decodePosition(binding.doc, cursor?.anchor) ?? head;
      const at = JSON.stringify(cursor);
      const before = moved.get(client);
      if (before?.at !== at) moved.set(client, { at, movedAt: now });
      const user = presence['user'] as { id?: string; name?: string } | undefined;
      const voice = String(colorOf(user?.id ?? String(client)) + 1);
      const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)].map((flat) => fromFlat(state.doc, flat));
      if (from !== undefined && to !== undefined && from < to)
        list.push(Decoration.inline(from, to, { class: 'theirs', 'data-voice': voice }));
      const place = state.doc.resolve(fromFlat(state.doc, head));
      // The paragraph's border shows only the first person typing in it; the carets show all of them.
      if (presence['typing'] === true && place.depth > 0)
        list.push(Decoration.node(place.before(1), place.after(1), { 'data-typist': voice }));
      const named = before?.at !== at || now - before.movedAt < namedFor;
      list.push(
        Decoration.widget(fromFlat(state.doc, head), () => caret(user?.name ?? '', voice, named), {
          key: `${client} ${named} ${user?.name ?? ''}`,
          side: -1,
          ignoreSelection: true,
        }),
      );
    }
    return DecorationSet.create(state.doc, list);
  };

  return new Plugin<DecorationSet>({
    key,
    state: {
      init: () => DecorationSet.empty,
      apply: (tr, before, _old, state) => (tr.getMeta(key) ? draw(state) : before.map(tr.mapping, tr.doc)),
    },
    props: { decorations: (state) => key.getState(state) },
    view: (view) => new Presence(view, binding, awareness, early),
  });
}

class Presence {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private fading: ReturnType<typeof setTimeout> | undefined;
  private said = '';
  private readonly view: EditorView;
  private readonly binding: TranscriptBinding;
  private readonly awareness: Awareness;
  private readonly early: { readonly any: boolean };
  private again: ReturnType<typeof setTimeout> | undefined;
  /** True if a composition kept others' carets from being drawn. */
  private missed = false;

  constructor(view: EditorView, binding: TranscriptBinding, awareness: Awareness, early: { readonly any: boolean }) {
    this.view = view;
    this.binding = binding;
    this.awareness = awareness;
    this.early = early;
    awareness.on('change', this.onPresence);
    view.dom.addEventListener('focus', this.tell);
    view.dom.addEventListener('blur', this.tell);
    queueMicrotask(this.redraw);
  }

  update(view: EditorView, before: EditorState): void {
    if (!view.state.selection.eq(before.selection) || view.state.doc !== before.doc) this.tellSoon();
    if (this.early.any && view.state.doc !== before.doc)
      this.again ??= setTimeout(() => {
        this.again = undefined;
        this.redraw();
      });
  }

  private tellSoon(): void {
    this.timer ??= setTimeout(this.tell, tellEvery);
  }

  private readonly tell = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.awareness.getLocalState() === null || this.binding.holding) return;
    const { view, binding } = this;
    if (view.isDestroyed || flatSize(view.state.doc) !== textOf(binding.doc).length) return;
    const { anchor, head } = view.state.selection;
    const cursor = view.hasFocus()
      ? { anchor: encodePosition(binding, view.state, anchor), head: encodePosition(binding, view.state, head) }
      : null;
    const said = JSON.stringify(cursor);
    if (said === this.said) return;
    this.said = said;
    this.awareness.setLocalStateField('cursor', cursor);
  };

  /** The local caret draws nothing, but carets skipped earlier may be drawable now. */
  private readonly onPresence = (_changes: unknown, origin: unknown): void => {
    if (origin !== 'local' || this.early.any || this.missed) this.redraw();
  };

  private readonly redraw = (): void => {
    const { view } = this;
    // Changing the DOM of the word being composed would end the composition.
    this.missed = view.composing;
    if (view.isDestroyed || view.composing) return;
    drawAnew(view);
    clearTimeout(this.fading);
    if (key.getState(view.state) !== DecorationSet.empty)
      this.fading = setTimeout(() => {
        this.missed = view.composing;
        if (!view.isDestroyed && !view.composing) drawAnew(view);
      }, namedFor + 100);
  };

  destroy(): void {
    clearTimeout(this.timer);
    clearTimeout(this.fading);
    clearTimeout(this.again);
    this.awareness.off('change', this.onPresence);
    this.view.dom.removeEventListener('focus', this.tell);
    this.view.dom.removeEventListener('blur', this.tell);
    if (this.awareness.getLocalState() !== null) this.awareness.setLocalStateField('cursor', null);
  }
}

const drawAnew = (view: EditorView): void =>
  view.dispatch(keepingCaret(view, view.state.tr.setMeta(key, true).setMeta('addToHistory', false)));

function caret(name: string, voice: string, named: boolean): HTMLElement {
  const line = document.createElement('span');
  line.className = 'their-caret';
  line.dataset['voice'] = voice;
  line.setAttribute('aria-hidden', 'true');
  if (named && name !== '') {
    // In an attribute, because text nodes here are read as transcript.
    line.dataset['name'] = name;
  }
  return line;
}
