import { Plugin, TextSelection } from '@tiptap/pm/state';
import type { Slice } from '@tiptap/pm/model';
import type { EditorView } from '@tiptap/pm/view';
import { collapse } from '#shared/meetings/sentence.ts';
import { insertParagraphs, putParagraphs, type Paragraph } from './commands.ts';
import { beforeReplacing, type AskBeforeReplacing } from './replacing.ts';
import { speakerOf } from './schema.ts';

// Pastes plain text only, into one segment: no formatting, pictures, scripts or hidden characters. The editor's own HTML
// parser is never used.

/** Longer pastes are cut, because a paste must fit into one message to the server. */
const most = 200_000;

/** On one line: only Enter makes a segment. */
function paragraphsOf(text: string): Paragraph[] {
  const lines = text.slice(0, most).replace(/\r\n?|\u2028|\u2029/g, '\n');
  const line = collapse(lines.replace(/[^\P{Cc}\n]|\uFFFC/gu, ' '));
  return line === '' ? [] : [{ text: line }];
}

const silent = new Set([
  'SCRIPT',
  'STYLE',
  'TEMPLATE',
  'NOSCRIPT',
  'HEAD',
  'TITLE',
  'IFRAME',
  'OBJECT',
  'SVG',
  'TEXTAREA',
  'SELECT',
]);
const blocks =
  /^(ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BR|DD|DIV|DL|DT|FIGCAPTION|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HR|LI|MAIN|NAV|OL|P|PRE|SECTION|TABLE|TD|TH|TR|UL)$/;

/** Reads the text of untrusted HTML. A parsed document runs no script and loads nothing. */
function textOfHtml(html: string): string {
  const parts: string[] = [];
  const walk = (node: Node): void => {
    if (node.nodeType === Node.TEXT_NODE) parts.push((node.nodeValue ?? '').replace(/\s+/g, ' '));
    else if (node.nodeType === Node.ELEMENT_NODE && !silent.has(node.nodeName.toUpperCase())) {
      const block = blocks.test(node.nodeName);
      if (block) parts.push('\n');
      for (const child of node.childNodes) walk(child);
      if (block) parts.push('\n');
    }
  };
  walk(new DOMParser().parseFromString(html.slice(0, 8 * most), 'text/html').body);
  return parts.join('').replace(/ *\n[ \n]*/g, '\n');
}

function paragraphsIn(data: DataTransfer | null): Paragraph[] {
  const plain = data?.getData('text/plain') ?? '';
  if (plain !== '') return paragraphsOf(plain);
  const html = data?.getData('text/html') ?? '';
  return html === '' ? [] : paragraphsOf(textOfHtml(html));
}

/** Segments moved within the transcript keep their speakers. */
function paragraphsOfSlice({ content }: Slice): Paragraph[] {
  const list: Paragraph[] = [];
  content.forEach((node) =>
    list.push(node.isText ? { text: node.text ?? '' } : { text: node.textContent, speaker: speakerOf(node) }),
  );
  return list;
}

function paste(view: EditorView, paragraphs: readonly Paragraph[], guard: AskBeforeReplacing | undefined): void {
  if (paragraphs.length === 0) return;
  beforeReplacing(view, guard, () => {
    insertParagraphs(paragraphs)(view.state, (tr) => view.dispatch(tr.setMeta('uiEvent', 'paste')));
    view.focus();
  });
}

function drop(view: EditorView, event: DragEvent): boolean {
  const dragged = view.dragging;
  view.dragging = null;
  event.preventDefault();
  const target = view.posAtCoords({ left: event.clientX, top: event.clientY });
  if (!view.editable || !target) return true;
  const paragraphs = dragged ? paragraphsOfSlice(dragged.slice) : paragraphsIn(event.dataTransfer);
  const { tr, doc } = view.state;
  let pos = Math.min(Math.max(1, target.pos), doc.content.size - 1);
  if (dragged?.move) {
    const { from, to } = view.state.selection;
    // Dropped onto itself: nothing moves.
    if (pos >= from && pos <= to) return true;
    tr.deleteSelection();
    pos = tr.mapping.map(pos);
  }
  // Dropped between two segments: goes into the later one.
  const near = TextSelection.near(tr.doc.resolve(pos), 1).from;
  if (putParagraphs(tr, near, near, paragraphs)) view.dispatch(tr.scrollIntoView().setMeta('uiEvent', 'drop'));
  view.focus();
  return true;
}

export const clipboard = (guard?: AskBeforeReplacing): Plugin =>
  new Plugin({
    props: {
      clipboardTextSerializer: (slice) =>
        paragraphsOfSlice(slice)
          .map(({ text }) => text)
          .join('\n\n'),
      handleDOMEvents: {
        paste(view, event) {
          event.preventDefault();
          if (view.editable) paste(view, paragraphsIn(event.clipboardData), guard);
          return true;
        },
        drop,
        beforeinput(_view, event) {
          // No formatting in a transcript, and the browser's own undo history must not apply.
          if (/^(format|history)/.test(event.inputType)) event.preventDefault();
          return false;
        },
      },
    },
  });
