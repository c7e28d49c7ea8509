import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergePreferences } from './preferences.ts';

test('given fields replace stored ones, also inside a group; the rest stays', () => {
  const kept = { hardcorePrivacy: true, upload: { language: 'en-US', speakersNumber: 2 }, docPanesOrder: ['a', 'b'] };
  expect(mergePreferences(kept, { upload: { speakersNumber: 3 }, docPanesOrder: ['b'] })).toEqual({
    hardcorePrivacy: true,
    upload: { language: 'en-US', speakersNumber: 3 },
    docPanesOrder: ['b'],
  });
  expect(kept.upload).toEqual({ language: 'en-US', speakersNumber: 2 });
});

test('merging twice is the same as once, and an empty change changes nothing', () => {
  const some = fc.record(
    {
      hardcorePrivacy: fc.boolean(),
      upload: fc.record({ language: fc.string(), speakersNumber: fc.nat(10) }, { requiredKeys: [] }),
      docPanesOrder: fc.array(fc.string()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(some, some, (kept, given) => {
      const once = mergePreferences(kept, given);
      expect(mergePreferences(once, given)).toEqual(once);
      expect(mergePreferences(kept, {})).toEqual(kept);
    }),
  );
});
