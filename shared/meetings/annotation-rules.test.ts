import { describe, expect, it } from 'vitest';
import { roles, type Permission } from '../roles.ts';
import { mayAdd, mayChange, mayDelete, mayResolve, mayReveal, type Asking } from './annotation-rules.ts';
import type { Comment } from './annotations.ts';

const who = (userId: string | null, held: readonly Permission[]): Asking => ({ userId, held: new Set(held) });
const item = (author: string, own = false): Comment => ({
  id: 'i',
  rev: 1,
  anchor: null,
  start: 0,
  end: 0,
  quote: '',
  author: { id: author, kind: author === '' ? 'deleted' : 'user', name: '' },
  private: own,
  createdAt: '',
  editTimestamp: null,
  parent: null,
  text: '',
  resolved: null,
  url: null,
});

const people: [string, Asking][] = [
  ['a stranger', who('s', [])],
  ['a guest by a link', who(null, ['read'])],
  ['a guest by a link that lets comment', who(null, ['read', 'comment'])],
  ['a reader', who('r', roles.canRead)],
  ['a commenter', who('c', roles.canComment)],
  ['an editor', who('e', roles.canEdit)],
  ['an owner', who('o', roles.canEditShare)],
];
const names = (may: (asking: Asking) => boolean) => people.filter(([, asking]) => may(asking)).map(([name]) => name);

describe('permission to', () => {
  it('add shared and private annotations', () => {
    expect(names((asking) => mayAdd(asking, false))).toEqual(['a commenter', 'an editor', 'an owner']);
    expect(names((asking) => mayAdd(asking, true))).toEqual(['a reader', 'a commenter', 'an editor', 'an owner']);
  });

  it('change and delete an annotation', () => {
    const theirs = item('c');
    expect(names((asking) => mayChange(asking, 'comment', theirs))).toEqual(['a commenter']);
    expect(names((asking) => mayChange(asking, 'outcome', theirs))).toEqual(['a commenter', 'an editor', 'an owner']);
    expect(names((asking) => mayDelete(asking, 'comment', theirs))).toEqual(['a commenter', 'an owner']);
    expect(names((asking) => mayResolve(asking, theirs))).toEqual(['a commenter', 'an editor', 'an owner']);
    // Comments without an author belong to nobody.
    expect(names((asking) => mayChange(asking, 'comment', item('')))).toEqual([]);
  });

  it('change and publish a private annotation', () => {
    const own = item('r', true);
    for (const may of [mayChange, mayDelete])
      expect(names((asking) => may(asking, 'outcome', own))).toEqual(['a reader']);
    // Publishing needs permission to comment.
    expect(names((asking) => mayReveal(asking, own))).toEqual([]);
    expect(names((asking) => mayReveal(asking, item('c', true)))).toEqual(['a commenter']);
    expect(names((asking) => mayReveal(asking, item('c')))).toEqual([]);
  });
});
