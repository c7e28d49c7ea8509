import type { Editor } from '@tiptap/react';
import type { Node as Segment } from '@tiptap/pm/model';
import { Plugin, PluginKey, type Transaction } from '@tiptap/pm/state';
import { Decoration, DecorationSet, type EditorView } from '@tiptap/pm/view';

import { scrollerOf } from '../../ui/scroller.ts';
import { keepingCaret } from './caret.ts';

// Marks over the text that leave it unchanged; thousands of them cost as much as the few on the screen.

/** Range in one segment's text. */
export interface Mark {
  from: number;
  to: number;
  /** Name in style sheets: `::highlight(kind)` of elements in `[data-spoken]` alone, or the class `kind`. */
  kind: string;
}

/** Segment on the screen. */
export interface Shown {
  node: Segment;
  /** Position in the editor's document; `index` counts segments. */
  pos: number;
  index: number;
  element: HTMLElement;
}

/** Called on each draw for each visible segment; expensive answers should be cached by node. */
type MarksOf = (shown: Shown) => readonly Mark[];

/** Pixels drawn above and below the window at any time, so that scrolling finds them ready. */
const margin = 400;
/** Pixels drawn beyond these while the text scrolls, which then goes as far before it is drawn again. */
const reserve = 400;

export class Painter {
  private readonly editor: Editor;
  private readonly kinds: readonly string[];
  private readonly marksOf: MarksOf;
  private readonly key = new PluginKey<DecorationSet>('paint');
  private readonly drawn = new Map<string, readonly Range[]>();
  private readonly overText = typeof Highlight !== 'undefined';
  private frame = 0;
  private isScrolling = false;
  /** First and last segment that is drawn. */
  private ends: readonly (HTMLElement | undefined)[] = [];

  constructor(editor: Editor, kinds: readonly string[], marksOf: MarksOf) {
    this.editor = editor;
    this.kinds = kinds;
    this.marksOf = marksOf;
  }

  /** Starts drawing; the returned function ends it. */
  open(): () => void {
    const { editor } = this;
    const ending = new AbortController();
    const listening = { capture: true, passive: true, signal: ending.signal };
    document.addEventListener('scroll', this.scrolled, listening);
    window.addEventListener('resize', this.again, listening);
    const onTransaction = ({ transaction }: { transaction: Transaction }) => {
      // Others' selections are decorations in the text, and the browser drops a highlight where they are inserted.
      const drawnInto = this.overText && transaction.getMeta('addToHistory') === false;
      if (transaction.docChanged || drawnInto) this.again();
    };
    editor.on('transaction', onTransaction);
    if (!this.overText) editor.registerPlugin(this.decorations());
    this.again();
    return () => {
      ending.abort();
      cancelAnimationFrame(this.frame);
      editor.off('transaction', onTransaction);
      this.drawn.clear();
      if (this.overText) for (const kind of this.kinds) CSS.highlights.delete(kind);
      else if (!editor.isDestroyed) editor.unregisterPlugin(this.key);
    };
  }

  /** Redraws once with the next frame. */
  readonly again = (): void => {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  };

  private readonly scrolled = (): void => {
    if (this.reaches()) return;
    this.isScrolling = true;
    this.again();
  };

  /** Whether what is drawn still reaches far enough above and below the window. */
  private reaches(): boolean {
    const { view } = this.editor;
    const [first, last] = this.ends;
    if (view.isDestroyed || !first?.isConnected || !last?.isConnected) return false;
    const [top, bottom] = windowOf(view, margin);
    return (
      (!first.previousElementSibling || first.getBoundingClientRect().top <= top) &&
      (!last.nextElementSibling || last.getBoundingClientRect().bottom >= bottom)
    );
  }

  private draw(): void {
    const { view } = this.editor;
    if (view.isDestroyed) return;
    // Typing draws the least that has to be ready, as each key waits for it.
    const near = segmentsInView(view, this.isScrolling ? margin + reserve : margin);
    this.isScrolling = false;
    this.ends = [near[0]?.element, near.at(-1)?.element];
    const marked = near.map((shown) => ({ shown, marks: this.marksOf(shown) }));
    if (!this.overText) {
      // Changing the DOM of the word being composed would end the composition.
      if (view.composing) return;
      const list = marked.flatMap(({ shown: { pos }, marks }) =>
        marks.map(({ from, to, kind }) => Decoration.inline(pos + 1 + from, pos + 1 + to, { class: kind })),
      );
      view.dispatch(keepingCaret(view, view.state.tr.setMeta(this.key, list).setMeta('addToHistory', false)));
      return;
    }
    const stretches = new Map<string, Stretch[]>(this.kinds.map((kind) => [kind, []]));
    for (const { shown, marks } of marked) {
      if (marks.length === 0) continue;
      const texts = textsOf(shown.element);
      for (const mark of marks) {
        const stretch = stretchIn(texts, mark.from, mark.to);
        if (stretch) stretches.get(mark.kind)?.push(stretch);
      }
    }
    for (const [kind, wanted] of stretches) {
      const drawn = this.drawn.get(kind) ?? [];
      // Unchanged ranges follow their text; setting them again would cost a frame.
      if (wanted.length === drawn.length && wanted.every((stretch, i) => isSameRange(stretch, drawn[i]))) continue;
      const list = rangesOf(wanted, drawn);
      this.drawn.set(kind, list);
      if (list.length > 0) CSS.highlights.set(kind, new Highlight(...list));
      else CSS.highlights.delete(kind);
    }
  }

  /** For browsers without the Highlight API. */
  private decorations(): Plugin<DecorationSet> {
    const { key } = this;
    return new Plugin<DecorationSet>({
      key,
      state: {
        init: () => DecorationSet.empty,
        apply: (tr, before) => {
          const list = tr.getMeta(key) as Decoration[] | undefined;
          return list ? DecorationSet.create(tr.doc, list) : before.map(tr.mapping, tr.doc);
        },
      },
      props: { decorations: (state) => key.getState(state) },
    });
  }
}

/** Top and bottom of the window that shows the text, and `margin` pixels more on either side. */
function windowOf(view: EditorView, margin: number): [number, number] {
  const port = scrollerOf(view.dom).getBoundingClientRect();
  return [Math.max(0, port.top) - margin, Math.min(window.innerHeight, port.bottom) + margin];
}

/** Segments in the window and `margin` pixels above and below it. */
export function segmentsInView(view: EditorView, margin: number): Shown[] {
  const { doc } = view.state;
  const elements = view.dom.children;
  // The DOM is briefly behind the document; the next change draws again.
  if (elements.length !== doc.childCount) return [];
  const [top, bottom] = windowOf(view, margin);
  const boxOf = (index: number) => elements[index]?.getBoundingClientRect();
  let low = 0;
  let high = doc.childCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boxOf(middle)?.bottom ?? 0) < top) low = middle + 1;
    else high = middle;
  }
  let pos = 0;
  for (let index = 0; index < low; index += 1) pos += doc.child(index).nodeSize;
  const found: Shown[] = [];
  for (let index = low; index < doc.childCount; index += 1) {
    const element = elements[index];
    if (!(element instanceof HTMLElement) || element.getBoundingClientRect().top > bottom) break;
    const node = doc.child(index);
    found.push({ node, pos, index, element });
    pos += node.nodeSize;
  }
  return found;
}

/** Text nodes of a segment, without its gutter and others' carets. */
function textsOf(element: Element): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
    return node instanceof HTMLElement && (node.contentEditable === 'false' || node.matches('.ProseMirror-widget'))
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_SKIP;
  });
  const texts: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode);
  return texts;
}

/** Part of the page's text, as a range has it. */
type Stretch = Pick<Range, 'startContainer' | 'startOffset' | 'endContainer' | 'endOffset'>;

export const isSameRange = (one: Stretch, other: Stretch | null | undefined): boolean =>
  one.startContainer === other?.startContainer &&
  one.startOffset === other.startOffset &&
  one.endContainer === other.endContainer &&
  one.endOffset === other.endOffset;

/** Null if the page holds less text than that. */
function stretchIn(texts: readonly Text[], from: number, to: number): Stretch | null {
  let start: { startContainer: Text; startOffset: number } | null = null;
  let at = 0;
  for (const text of texts) {
    const end = at + text.length;
    if (!start && from < end) start = { startContainer: text, startOffset: from - at };
    if (start && to <= end) return { ...start, endContainer: text, endOffset: to - at };
    at = end;
  }
  return null;
}

function setRange(range: Range, { startContainer, startOffset, endContainer, endOffset }: Stretch): Range {
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, endOffset);
  return range;
}

/**
 * Ranges of these stretches, those there are already and others for the rest. Until the browser collects it, a range is
 * adjusted at each change of the page, wherever that is: thousands of them cost more than the change.
 */
function rangesOf(stretches: readonly Stretch[], known: readonly Range[]): Range[] {
  const byStart = new Map<Node, Range[]>();
  for (const range of known) {
    const others = byStart.get(range.startContainer);
    if (others) others.push(range);
    else byStart.set(range.startContainer, [range]);
  }
  return stretches.map(
    (stretch) =>
      byStart.get(stretch.startContainer)?.find((range) => isSameRange(stretch, range)) ??
      setRange(document.createRange(), stretch),
  );
}

/** Reads the boxes of a stretch, always with the same range, for the reason that `rangesOf` tells. */
function measure<T>(stretch: Stretch, read: (range: Range) => T): T {
  measuring ??= document.createRange();
  const found = read(setRange(measuring, stretch));
  // A range that stands in the text would keep it in memory after the page is closed.
  measuring.setStart(document, 0);
  measuring.collapse(true);
  return found;
}

let measuring: Range | null = null;

/** Text of a segment as it is drawn. */
export const drawnText = (element: Element): string =>
  textsOf(element)
    .map(({ data }) => data)
    .join('');

/** Box of the character before or behind an offset of a segment, in the window; null if it is not drawn. */
export function boxAt(element: Element, at: number, side: 'before' | 'behind' = 'behind'): DOMRect | null {
  const texts = textsOf(element);
  const [before, behind] = [() => stretchIn(texts, at - 1, at), () => stretchIn(texts, at, at + 1)];
  const stretch = side === 'behind' ? (behind() ?? before()) : (before() ?? behind());
  const box = stretch && measure(stretch, (range) => range.getClientRects()[0]);
  return box && box.height > 0 ? box : null;
}

/** Top of the line that has a character of a segment, in the window; null if it is not drawn. */
export const lineTop = (element: Element, at: number): number | null => boxAt(element, at)?.top ?? null;

/** Heights above the window are guesses until drawn, so the position is checked again after each scroll. */
const attempts = 6;

/** Scrolls a document position to a third of the window's height if it is out of view. */
export function reveal(view: EditorView, pos: number, tries = attempts): void {
  if (view.isDestroyed || pos > view.state.doc.content.size) return;
  const place = view.state.doc.resolve(pos);
  const element = view.dom.children[Math.min(place.index(0), view.dom.children.length - 1)];
  if (!element) return;
  const port = scrollerOf(view.dom);
  // A smooth scroll that still runs would carry the position out of view again.
  port.scrollTo({ top: port.scrollTop, behavior: 'instant' });
  const frame = port.getBoundingClientRect();
  const stretch = place.depth > 0 ? stretchIn(textsOf(element), place.parentOffset, place.parentOffset + 1) : null;
  const drawn = stretch && measure(stretch, (range) => range.getBoundingClientRect());
  const box = drawn && drawn.height > 0 ? drawn : element.getBoundingClientRect();
  const [top, bottom] = [Math.max(0, frame.top), Math.min(window.innerHeight, frame.bottom)];
  const inView = box.top >= top + box.height && box.bottom <= bottom - box.height;
  if (!inView) port.scrollTop += box.top - top - (bottom - top) / 3;
  if (tries > 0 && !inView) requestAnimationFrame(() => reveal(view, pos, tries - 1));
}
