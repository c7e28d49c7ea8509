import { TextSelection, type Selection, type Transaction } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';

// Browsers report a caret up to a frame after it moved. A redraw in between would reset it to the editor's last known
// position, and the next letter would be typed there; a shortcut in between would act on the old selection.

/** Reads the caret from the browser, which may be ahead of the editor's state. */
export function caretOf(view: EditorView): Selection {
  const { state, dom } = view;
  if (view.composing || !view.hasFocus() || !(state.selection instanceof TextSelection)) return state.selection;
  const native = dom.ownerDocument.getSelection();
  const { anchorNode, focusNode } = native ?? {};
  if (!native || !anchorNode || !focusNode || !inTextOf(dom, anchorNode) || !inTextOf(dom, focusNode))
    return state.selection;
  const head = view.posAtDOM(focusNode, native.focusOffset, 1);
  const anchor = native.isCollapsed ? head : view.posAtDOM(anchorNode, native.anchorOffset, 1);
  if (head === state.selection.head && anchor === state.selection.anchor) return state.selection;
  return TextSelection.between(state.doc.resolve(anchor), state.doc.resolve(head));
}

/** Takes the browser's caret over, before a key acts on it. */
export function takeCaret(view: EditorView): void {
  const caret = caretOf(view);
  if (caret !== view.state.selection) view.dispatch(view.state.tr.setSelection(caret));
}

/** Keeps the browser's caret in a transaction that only redraws. */
export function keepingCaret(view: EditorView, tr: Transaction): Transaction {
  const caret = caretOf(view);
  return caret === view.state.selection ? tr : tr.setSelection(caret);
}

/** Only positions inside a text node; the editor itself resolves all others when the event arrives. */
const inTextOf = (dom: HTMLElement, node: Node): boolean => node.nodeType === Node.TEXT_NODE && dom.contains(node);
