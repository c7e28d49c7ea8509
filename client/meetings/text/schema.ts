import { Node, type JSONContent } from '@tiptap/core';
import { Fragment, type Node as Shown, type Schema } from '@tiptap/pm/model';
import type { Segment } from '#shared/meetings/transcript.ts';

// Schema of a transcript: segments of plain text. It has no marks; highlights are decorations.

const DocumentNode = Node.create({ name: 'doc', topNode: true, content: 'segment+' });

const TextNode = Node.create({ name: 'text', group: 'inline' });

const SegmentNode = Node.create({
  name: 'segment',
  content: 'text*',
  marks: '',
  defining: true,
  selectable: false,
  whitespace: 'pre',
  addAttributes: () => ({
    // Null for text before the first boundary, and for a new segment until it gets an id.
    id: { default: null },
    speaker: { default: '' },
  }),
  renderHTML: ({ node }) => [
    'div',
    { 'data-id': String(node.attrs['id'] ?? ''), 'data-speaker': String(node.attrs['speaker']) },
    0,
  ],
});

export const nodes = [DocumentNode, TextNode, SegmentNode];

export const idOf = (segment: Shown): string | null => segment.attrs['id'] as string | null;
export const speakerOf = (segment: Shown): string => segment.attrs['speaker'] as string;

export function segmentNode(schema: Schema, id: string | null, speaker: string, text = ''): Shown {
  return schema.node('segment', { id, speaker }, text === '' ? Fragment.empty : schema.text(text));
}

/** Document for the given segments; an empty one still has a paragraph for the caret. */
export function render(schema: Schema, segments: readonly Segment[]): Shown {
  const shown = segments.map(({ id, speaker, text }) => segmentNode(schema, id, speaker, text));
  return schema.node('doc', null, shown.length > 0 ? shown : segmentNode(schema, null, ''));
}

/** Same as `render`, for an editor that has no schema yet. */
export function contentOf(segments: readonly Segment[]): JSONContent {
  const nodeOf = ({ id, speaker, text }: Pick<Segment, 'id' | 'speaker' | 'text'>): JSONContent => ({
    type: 'segment',
    attrs: { id, speaker },
    ...(text !== '' && { content: [{ type: 'text', text }] }),
  });
  return {
    type: 'doc',
    content: (segments.length > 0 ? segments : [{ id: null, speaker: '', text: '' }]).map(nodeOf),
  };
}
