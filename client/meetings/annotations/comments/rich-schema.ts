import { Schema } from '@tiptap/pm/model';

/** ProseMirror schema of the format in shared/meetings/rich-text.ts. */
export const richSchema = new Schema({
  nodes: {
    doc: { content: '(paragraph | bulletList | orderedList | blockquote)+' },
    paragraph: { content: '(text | hardBreak | mention)*', parseDOM: [{ tag: 'p' }], toDOM: () => ['p', 0] },
    bulletList: { content: 'listItem+', parseDOM: [{ tag: 'ul' }], toDOM: () => ['ul', 0] },
    orderedList: { content: 'listItem+', parseDOM: [{ tag: 'ol' }], toDOM: () => ['ol', 0] },
    listItem: {
      content: 'paragraph (paragraph | bulletList | orderedList)*',
      parseDOM: [{ tag: 'li' }],
      toDOM: () => ['li', 0],
      defining: true,
    },
    blockquote: { content: 'paragraph+', parseDOM: [{ tag: 'blockquote' }], toDOM: () => ['blockquote', 0] },
    text: {},
    hardBreak: { inline: true, selectable: false, parseDOM: [{ tag: 'br' }], toDOM: () => ['br'] },
    mention: {
      inline: true,
      atom: true,
      attrs: { id: { validate: 'string' }, label: { validate: 'string' } },
      toDOM: ({ attrs }) => ['span', { 'data-mention': '' }, `@${String(attrs['label'])}`],
    },
  },
  marks: {
    link: {
      attrs: { href: { validate: 'string' } },
      inclusive: false,
      parseDOM: [
        {
          tag: 'a[href]',
          getAttrs: (element) => {
            const href = addressOf(element.getAttribute('href') ?? '');
            return href !== null && { href };
          },
        },
      ],
      toDOM: ({ attrs }) => ['a', { href: String(attrs['href']), rel: 'noopener noreferrer' }, 0],
    },
    bold: { parseDOM: [{ tag: 'strong' }, { tag: 'b' }], toDOM: () => ['strong', 0] },
    italic: { parseDOM: [{ tag: 'em' }, { tag: 'i' }], toDOM: () => ['em', 0] },
    strike: { parseDOM: [{ tag: 's' }, { tag: 'del' }], toDOM: () => ['s', 0] },
    code: { parseDOM: [{ tag: 'code' }], toDOM: () => ['code', 0] },
  },
});

/** Link of a typed address; null for schemes that are not allowed. */
export function addressOf(text: string): string | null {
  const trimmed = text.trim();
  if (/^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(trimmed)) return `mailto:${trimmed}`;
  const href = /^[\w-]+(\.[\w-]+)+([/?#]\S*)?$/.test(trimmed) ? `https://${trimmed}` : trimmed;
  return /^(?:https?:\/\/|mailto:)\S{1,2000}$/i.test(href) && URL.canParse(href) ? href : null;
}
