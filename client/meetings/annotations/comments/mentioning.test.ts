import { EditorState, TextSelection } from '@tiptap/pm/state';
import { describe, expect, it } from 'vitest';
import { askedIn, matching, mention } from './mentioning.ts';
import { richSchema } from './rich-schema.ts';

const { nodes } = richSchema;
const at = (text: string) => {
  const doc = nodes.doc.create(null, nodes.paragraph.create(null, text === '' ? [] : richSchema.text(text)));
  const state = EditorState.create({ doc });
  return state.apply(state.tr.setSelection(TextSelection.atEnd(state.doc)));
};
const people = ['Ann Demo', 'Élodie Ann', 'Ben Demo', 'Anton', '王 丽'].map((name) => ({ id: name, name }));
const names = (query: string) => matching(people, query).map(({ name }) => name);

describe('mentioning a person', () => {
  it.each<[string, string | null]>([
    ['@', ''],
    ['Well, @an', 'an'],
    ['(@Ann D', 'Ann D'],
    ['@王', '王'],
    ['ann@example', null],
    ['@ann says that', null],
    ['nothing', null],
    ['', null],
  ])('reads from %j the query %j', (text, query) => {
    expect(askedIn(at(text))?.query ?? null).toBe(query);
  });

  it('offers people with a name that starts with the query', () => {
    expect(names('an')).toEqual(['Ann Demo', 'Élodie Ann', 'Anton']);
    expect(names('elo')).toEqual(['Élodie Ann']);
    expect(names('ann d')).toEqual(['Ann Demo']);
    expect(names('丽')).toEqual(['王 丽']);
    expect(names('')).toHaveLength(5);
    expect(names('x')).toEqual([]);
  });

  it('inserts a mention as one node', () => {
    const state = at('Well, @an');
    const asked = askedIn(state);
    if (!asked) throw new Error('nothing asked');
    const { doc } = state.apply(mention(state, asked, { id: 'a1', name: 'Ann Demo' }));
    expect(doc.toJSON().content[0].content).toEqual([
      { type: 'text', text: 'Well, ' },
      { type: 'mention', attrs: { id: 'a1', label: 'Ann Demo' } },
      { type: 'text', text: ' ' },
    ]);
  });
});
