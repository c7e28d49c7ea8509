import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mentionsIn, plainOf, plainText, readRichText } from './rich-text.ts';

const doc = (...content: unknown[]) => ({ type: 'doc', content });
const p = (...content: unknown[]) => ({ type: 'paragraph', content });
const t = (text: string, ...marks: unknown[]) =>
  marks.length > 0 ? { type: 'text', text, marks } : { type: 'text', text };
const read = (value: unknown) => readRichText(JSON.stringify(value));

describe('the text of a comment', () => {
  it('is a document without unknown elements', () => {
    const link = { type: 'link', attrs: { href: 'https://example.org', onclick: 'x' } };
    const item = { type: 'listItem', content: [p(t('one'))] };
    expect(
      read(
        doc(
          { ...p(t('Look ', { type: 'bold' }), t('here', link)), style: 'x' },
          { type: 'bulletList', content: [item] },
        ),
      ),
    ).toEqual(
      doc(p(t('Look ', { type: 'bold' }), t('here', { type: 'link', attrs: { href: 'https://example.org' } })), {
        type: 'bulletList',
        content: [item],
      }),
    );
  });

  it('is made of any plain text', () => {
    expect(read('so')).toEqual(doc(p(t('"so"'))));
    expect(readRichText('12')).toEqual(doc(p(t('12'))));
    expect(readRichText('one\n\n two ')).toEqual(doc(p(t('one')), p(t('two'))));
    expect(readRichText('{"type":"doc"')).toEqual(doc(p(t('{"type":"doc"'))));
  });

  it.each<[string, unknown]>([
    ['nothing', doc()],
    ['blanks', doc(p(t('   ')))],
    ['an element nobody knows', doc({ type: 'iframe', attrs: { src: 'x' } })],
    ['a link that runs', doc(p(t('a', { type: 'link', attrs: { href: 'javascript:x' } })))],
    ['a link with a blank before what runs', doc(p(t('a', { type: 'link', attrs: { href: ' javascript:x' } })))],
    ['a mark nobody knows', doc(p(t('a', { type: 'style', attrs: { color: 'red' } })))],
    ['somebody without an id', doc(p({ type: 'mention', attrs: { label: 'Ann' } }))],
    ['text where none can stand', doc(t('a'))],
    ['no document', p(t('a'))],
    ['a list', [doc(p(t('a')))]],
  ])('is not %s', (_, given) => expect(read(given)).toBeNull());

  it('has a limit of nesting', () => {
    const nested = '{"type":"bulletList","content":[{"type":"listItem","content":['.repeat(5000);
    expect(readRichText(`{"type":"doc","content":[${nested}${']}]}'.repeat(5000)}]}`)).toBeNull();
  });

  it('has plain text and mentions', () => {
    const ann = { type: 'mention', attrs: { id: 'a1', label: 'Ann' } };
    const node = read(doc(p(t('Well, '), ann, t('?')), p(t('one'), { type: 'hardBreak' }, t('two'), ann)));
    if (!node) throw new Error('no document');
    expect(plainText(node)).toBe('Well, @Ann?\none\ntwo@Ann');
    expect(mentionsIn(node)).toEqual(['a1']);
    expect([plainOf(JSON.stringify(node)), plainOf('')]).toEqual(['Well, @Ann?\none\ntwo@Ann', '']);
  });

  it('is the same when read again, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (given) => {
        const node = readRichText(given);
        if (node) expect(readRichText(JSON.stringify(node))).toEqual(node);
      }),
    );
  });
});
