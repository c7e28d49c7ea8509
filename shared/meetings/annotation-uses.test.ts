import { describe, expect, it } from 'vitest';
import { usesOf } from './annotation-uses.ts';
import type { Comment } from './annotations.ts';

const says = (id: string, text: string) => ({ id, start: 7, text }) as Comment;
const link = (of: string) =>
  JSON.stringify({
    type: 'doc',
    content: [
      {
        type: 'paragraph',
        content: [
          { type: 'text', text: 'this', marks: [{ type: 'link', attrs: { href: `/meeting/m?outcome=${of}` } }] },
        ],
      },
    ],
  });

describe('uses of an outcome', () => {
  it('are links in comments and in the summary, in every form', () => {
    const comments = [
      says('a', link('one')),
      says('b', 'see https://colloquy.example/meeting/m?tab=1&outcome=one.'),
      says('c', link('another')),
      says('d', 'one'),
    ];
    const summary = [
      { id: 's', order: 1, text: 'Decided: /meeting/m?outcome=one' },
      { id: 't', order: 2, text: 'outcome=one' },
    ];
    expect(usesOf('one', comments, summary)).toEqual([
      { kind: 'comment', id: 'a', start: 7 },
      { kind: 'comment', id: 'b', start: 7 },
      { kind: 'summary', id: 's', start: null },
    ]);
  });

  it('exclude links to an id that only begins with it', () => {
    expect(usesOf('one', [says('a', link('one-more')), says('b', link('ones'))], [])).toEqual([]);
    expect(usesOf('.*', [says('a', link('anything'))], [])).toEqual([]);
  });
});
