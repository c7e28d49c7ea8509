import { describe, expect, it } from 'vitest';
import type { Comment, Outcome } from '../meetings/items.ts';
import { writeJson } from './json.ts';
import { writeMarkdown } from './markdown.ts';
import { saidLists, type Said } from './said.ts';
import type { SpokenDocument } from './spoken.ts';

const empty: SpokenDocument = { title: 'Talk', lang: 'en', tags: [], speakers: [], voices: [], lasts: 0, turns: [] };
const words = {
  outcomes: 'Outcomes',
  comments: 'Comments',
  deleted: 'It was deleted.',
  types: { trust: 'Trust', trustRespect: 'Shows respect' },
};
const item = {
  rev: 1,
  anchor: null,
  start: 62.5,
  end: 63,
  quote: 'it *holds*',
  author: { id: 'a', kind: 'user' as const, name: 'Ann' },
  private: false,
  createdAt: '2024-01-01',
  editTimestamp: null,
  url: null,
};
const outcome: Outcome = {
  ...item,
  id: 'o',
  type: 'trust',
  text: 'Well # done',
  children: [{ type: 'trustRespect', grade: -1 }],
  grade: 3,
  automatic: false,
  wasAutomatic: false,
};
const comment = (id: string, text: string, more: Partial<Comment> = {}): Comment => ({
  ...item,
  id,
  text,
  parent: null,
  resolved: null,
  ...more,
});
const said: Said = {
  outcomes: [outcome],
  comments: [
    comment('c', '', { author: { id: '', kind: 'deleted', name: '' } }),
    comment('d', 'Second', { parent: 'c', createdAt: '2024-01-03' }),
    comment('e', 'First', { parent: 'c', createdAt: '2024-01-02' }),
    comment('f', 'Lost', { parent: 'gone', quote: '' }),
  ],
  words,
};

describe('what was said about a recording', () => {
  it('stands below the text, by the words it is about, and nothing of it is taken for a mark', () => {
    expect(writeMarkdown(empty, { times: true, speakers: true }, saidLists(said))).toBe(
      [
        '# Talk',
        '## Outcomes',
        '- *00:01:02* **Trust 3 (Shows respect −)**: Well \\# done, Ann',
        '  > it \\*holds\\*',
        '## Comments',
        '- *00:01:02* It was deleted.',
        '  > it \\*holds\\*',
        '  - **Ann**: First',
        '  - **Ann**: Second',
        '- *00:01:02* **Ann**: Lost',
        '',
      ]
        .join('\n\n')
        .replace(/\n\n$/, '\n'),
    );
  });

  it('is in JSON as the API has it, and only what is wanted', () => {
    const { outcomes = [], comments = [] } = said;
    expect(JSON.parse(writeJson(empty, said))).toMatchObject({ title: 'Talk', outcomes, comments });
    expect(JSON.parse(writeJson(empty, { comments: [], words }))).toEqual({
      title: 'Talk',
      lang: 'en',
      tags: [],
      transcript: { speakers: [], segments: [] },
      comments: [],
    });
    expect(JSON.parse(writeJson(empty))).not.toHaveProperty('comments');
  });
});
