import { TextSelection, type Selection, type Transaction } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';

// A browser tells of a caret up to a frame after it was moved. Whoever draws in between would put it back to where the
// editor last knew it, and the next letter would be written there.

/** Where the caret is by now. */
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

/** For a transaction that only draws. */
export function keepingCaret(view: EditorView, tr: Transaction): Transaction {
  const caret = caretOf(view);
  return caret === view.state.selection ? tr : tr.setSelection(caret);
}

/** In a line of the text itself: all else is for the editor to understand, with the event. */
const inTextOf = (dom: HTMLElement, node: Node): boolean => node.nodeType === Node.TEXT_NODE && dom.contains(node);
