// @ts-check
// Output of `npm run new`: a capability with one call and one page, which passes every check.

const languages = /** @type {const} */ (['en', 'es', 'ru', 'zh']);

const texts = {
  en: {
    title: 'New page',
    lead: 'Say here what this page is for.',
    emptyTitle: 'Nothing here yet',
    emptyText: 'Entries appear here.',
  },
  es: {
    title: 'Página nueva',
    lead: 'Explica aquí para qué sirve esta página.',
    emptyTitle: 'Todavía no hay nada',
    emptyText: 'Los elementos aparecerán aquí.',
  },
  ru: {
    title: 'Новая страница',
    lead: 'Опишите здесь, для чего эта страница.',
    emptyTitle: 'Пока ничего нет',
    emptyText: 'Здесь появятся записи.',
  },
  zh: { title: '新页面', lead: '在这里说明此页面的用途。', emptyTitle: '还没有内容', emptyText: '条目将显示在这里。' },
};

/** @param {string} word */
const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * The new files, by path.
 * @param {string} name
 * @returns {Record<string, string>}
 */
export function newFiles(name) {
  const type = capital(name);
  const verb = `list${type}`;
  return {
    [`shared/${name}.ts`]: `import { z } from 'zod';

export const ${name}Query = z.object({ search: z.string().trim().max(200, 'too_long').default('') });
export type ${type}Query = z.output<typeof ${name}Query>;

export const ${name}View = z.object({ entries: z.array(z.string()) });
export type ${type}View = z.infer<typeof ${name}View>;
`,
    [`server/${name}/list.ts`]: `import type { ${type}Query, ${type}View } from '#shared/${name}.ts';
import { signedIn, type Ctx } from '../context.ts';

/** An example: one entry, the address of the person who asks. Replace it by a query of the table. */
export function ${verb}(ctx: Ctx, { search }: ${type}Query): ${type}View {
  const { person } = signedIn(ctx);
  return { entries: [person.email].filter((entry) => entry.includes(search)) };
}
`,
    [`server/${name}/routes.ts`]: `import { Hono } from 'hono';
import { ${name}Query, ${name}View } from '#shared/${name}.ts';
import { query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { ${verb} } from './list.ts';

const tag = '${type}';

export const ${name}Routes = new Hono<Env>().get(
  '/${name}',
  describe({ summary: 'The entries that contain \`search\`', tag, answer: ${name}View, problems: ['INVALID'] }),
  query(${name}Query),
  (c) => c.json(${verb}(c.var.ctx, c.req.valid('query'))),
);
`,
    [`client/${name}/${name}.tsx`]: `import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { Empty } from '../ui/empty.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';

export default function ${type}() {
  return useTexts('${name}') ? <Entries /> : <PageBones />;
}

function Entries() {
  const { t } = useTranslation('${name}');
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['${name}'],
    queryFn: ({ signal }) => parseResponse(api.${name}.$get({ query: {} }, { init: { signal } })),
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} page /> : <PageBones />;
  return (
    <>
      <PageTitle lead={t('lead')}>{t('title')}</PageTitle>
      {data.entries.length === 0 ? (
        <Empty title={t('emptyTitle')}>{t('emptyText')}</Empty>
      ) : (
        <ul>
          {data.entries.map((entry) => (
            <li key={entry}>{entry}</li>
          ))}
        </ul>
      )}
    </>
  );
}
`,
    ...Object.fromEntries(
      languages.map((language) => {
        const suffix = capital(language);
        const body = `{ ${name}: ${JSON.stringify(texts[language])} }`;
        const text =
          language === 'en'
            ? `export const ${name}En = ${body} as const;\n`
            : `import type { ${type}Texts } from '../texts.ts';\n\nexport const ${name}${suffix}: ${type}Texts = ${body};\n`;
        return [`shared/i18n/${name}/${language}.ts`, text];
      }),
    ),
    [`tests/api/${name}.table.ts`]: `import { expect } from 'vitest';
import type { Table } from '#tests/support/table.ts';

export default {
  'GET /api/${name}': [
    {
      when: 'the entries of the person who asks',
      as: 'session',
      status: 200,
      then: ({ body }, { caller }) => expect(body).toEqual({ entries: [caller.email] }),
    },
    {
      when: 'none contains what is searched for',
      as: 'token',
      query: '?search=nothing',
      status: 200,
      then: ({ body }) => expect(body).toEqual({ entries: [] }),
    },
    {
      when: 'the search is too long',
      as: 'session',
      query: \`?search=\${'x'.repeat(201)}\`,
      status: 422,
      code: 'INVALID',
      fields: { search: 'too_long' },
    },
    { when: 'not signed in', status: 401, code: 'UNAUTH' },
  ],
} satisfies Table;
`,
    [`tests/e2e/${name}.test.ts`]: `import { expect, it } from 'vitest';
import { expectAccessible, openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});

it('the page shows the entries', async () => {
  const ann = await house.person();
  const page = await desk.seat(ann);
  await page.goto('/${name}');
  await page.getByRole('heading', { name: 'New page' }).waitFor();
  expect(await page.getByRole('main').getByRole('listitem').allInnerTexts()).toEqual([ann.email]);
  await expectAccessible(page);
});
`,
  };
}

/**
 * Additions to existing files: a text to find, and the text to insert after it.
 * @param {string} name
 * @returns {Record<string, [before: string, added: string][]>}
 */
function additions(name) {
  const type = capital(name);
  /** @type {[string, string][]} */
  const inTestsOfTexts = languages.flatMap((language) => {
    const constant = `${name}${capital(language)}`;
    return [
      [
        `import { ${language} as ${language}Common } from '#shared/i18n/${language}.ts';`,
        `\nimport { ${constant} } from '#shared/i18n/${name}/${language}.ts';`,
      ],
      [`...${language}Common,`, ` ...${constant},`],
    ];
  });
  const loaders = languages.map(
    (language) =>
      `${language}: async () => (await import('#shared/i18n/${name}/${language}.ts')).${name}${capital(language)},`,
  );
  return {
    'server/app.ts': [
      [
        `import { supportRoutes } from './support/routes.ts';`,
        `\nimport { ${name}Routes } from './${name}/routes.ts';`,
      ],
      [`.route('/', supportRoutes)`, `\n  .route('/', ${name}Routes)`],
    ],
    'client/paths.ts': [[`  orders: '/orders',`, `\n  ${name}: '/${name}',`]],
    'client/routes.tsx': [
      [
        `{ path: paths.orders, lazy: screen(() => import('./orders/orders.tsx')) },`,
        `\n{ path: paths.${name}, lazy: screen(() => import('./${name}/${name}.tsx')) },`,
      ],
    ],
    'client/i18n.ts': [
      [
        `import type { en } from '#shared/i18n/en.ts';`,
        `\nimport type { ${name}En } from '#shared/i18n/${name}/en.ts';`,
      ],
      ['resources: typeof en &', ` typeof ${name}En &`],
      ['export type TextPart =', `\n  | '${name}'`],
      ['const loaders: Record<TextPart, Record<Language, Load>> = {', `\n${name}: {${loaders.join('')}},`],
    ],
    'shared/i18n/texts.ts': [
      [`import type { en } from './en.ts';`, `\nimport type { ${name}En } from './${name}/en.ts';`],
      [
        'export type Texts = Translated<typeof en>;',
        `\n\n/** The same for the page \`/${name}\`. */\nexport type ${type}Texts = Translated<typeof ${name}En>;`,
      ],
    ],
    'tests/house/texts.test.ts': inTestsOfTexts,
    'tests/house/translations.test.ts': inTestsOfTexts,
    // On the floor of the orders, which may import most folders.
    '.oxlintrc.json': [
      ['["library", "orders",', ` "${name}",`],
      ['["meetings", "orders"', `, "${name}"`],
    ],
  };
}

/**
 * The changed files, by path. Throws where a file has no place for a change, or more than one.
 * @param {string} name
 * @param {(path: string) => string} read
 * @returns {[path: string, text: string][]}
 */
export function edits(name, read) {
  return Object.entries(additions(name)).map(([path, changes]) => {
    let text = read(path);
    for (const [before, added] of changes) {
      const parts = text.split(before);
      if (parts.length !== 2)
        throw new Error(`${path} has \`${before}\` ${parts.length - 1} times: mend scripts/new/skeleton.mjs.`);
      text = parts.join(before + added);
    }
    return [path, text];
  });
}

/** @param {string} name */
export const nextSteps = (name) => `Next (docs/architecture.md, "A new capability"):
  1. Write what it stores in db/schema/${name}.ts, then \`npx drizzle-kit generate --name what_it_does\`.
  2. Replace the example in server/${name}/list.ts, and add the other calls, each with its rows in tests/api/${name}.table.ts.
  3. Write the texts in shared/i18n/${name}/, in four languages, and the page in client/${name}/.
  4. \`npm run check\`, \`npm test -- house\`, \`npm test -- tests/api/tables.test.ts tests/api/routes.test.ts tests/e2e/${name}.test.ts\`.`;
