import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import {
  disagree,
  modelIn,
  preferenceOf,
  preferring,
  readPreferred,
  typesIn,
  writePreferred,
} from './outcome-schema.ts';
import { inCodeOrder, outcomeModels, type OutcomeType } from './outcome-types.ts';

const coaching = { schema: 'coach', model: 'coaching' } as const;

describe('the outcomes preferred in a document', () => {
  it('are set, read and cleared', () => {
    const doc = new Y.Doc();
    expect(readPreferred(doc)).toBeNull();
    writePreferred(doc, coaching, 'test');
    expect(readPreferred(doc)).toEqual(coaching);
    writePreferred(doc, null, 'test');
    expect(readPreferred(doc)).toBeNull();
    for (const odd of ['coach', 'coach/cooking', 'individual/coaching', 'a/b/c', 7, null]) {
      doc.getMap('about').set('outcomes', odd);
      expect(readPreferred(doc), String(odd)).toBeNull();
    }
  });

  it('follow from the fields a program gives', () => {
    expect(preferenceOf({ model: 'coaching' }, null)).toEqual(coaching);
    expect(preferenceOf({ schema: 'mentor' }, null)).toEqual({ schema: 'mentor', model: 'coaching' });
    expect(preferenceOf({ schema: 'mentor' }, { schema: 'coach', model: 'meeting' })).toEqual({
      schema: 'mentor',
      model: 'meeting',
    });
    expect(preferenceOf({ schema: 'individual' }, coaching)).toEqual({ schema: 'individual', model: 'meeting' });
    expect(preferenceOf({ model: 'meeting' }, coaching)).toEqual({ schema: 'coach', model: 'meeting' });
    expect(preferenceOf({ schema: 'student', model: 'meeting' }, null)).toEqual({
      schema: 'student',
      model: 'meeting',
    });
    expect(preferenceOf({ model: null }, coaching)).toBeNull();
    expect(preferenceOf({ schema: null }, coaching)).toBeNull();
    expect(disagree({ schema: 'individual', model: 'coaching' })).toBe(true);
    expect(disagree({ schema: 'coach', model: 'coaching' })).toBe(false);
    expect(disagree({ schema: null, model: 'coaching' })).toBe(false);
  });

  it('override those of an account, which override the default', () => {
    expect(modelIn(coaching, 'meeting')).toBe('coaching');
    expect(modelIn(null, 'coaching')).toBe('coaching');
    expect(modelIn(null, 'of another time')).toBe('meeting');
    expect(modelIn(null, null)).toBe('meeting');
    expect(preferring('coaching', 'student').schema).toBe('student');
    expect(preferring('coaching', 'individual').schema).toBe('coach');
  });

  it('are types by code, those without one last, then other types in use', () => {
    const ids = (types: readonly OutcomeType[]) => types.map(({ id }) => id);
    expect(ids(typesIn('meeting', ['trust', 'notes', 'ethics', 'trust', 'unknown']))).toEqual([
      ...['actionItems', 'decisions', 'problems', 'questions', 'notes', 'vNotes'],
      ...['ethics', 'trust'],
    ]);
    const [first] = outcomeModels.meeting.types;
    if (!first) throw new Error('no type');
    const coded = [1001, null, 999].map((code) => ({ ...first, id: String(code), code }));
    expect(ids(coded.sort(inCodeOrder))).toEqual(['999', 'null', '1001']);
  });
});
