import { expect } from 'vitest';
import type { LanguagesView } from '#shared/intake.ts';
import type { Table } from '#tests/support/table.ts';

export default {
  'GET /api/languages': [
    {
      when: 'anybody asks',
      status: 200,
      then: ({ body }) => {
        const { languages, models } = body as LanguagesView;
        expect(languages[0]).toEqual({ title: 'English (United States)', lang: 'en-US', models: ['external'] });
        expect(models.map(({ name, price }) => [name, price])).toEqual([['external', 0]]);
        expect(models[0]?.languages.map(({ lang }) => lang)).toEqual(languages.map(({ lang }) => lang));
      },
    },
  ],
} satisfies Table;
