import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOf, type Line } from '#shared/ai/lines.ts';
import { guidePages, readGuide, type GuidePage } from '#shared/guide.ts';
import type { Language } from '#shared/i18n/languages.ts';

// The guide as a model reads it: each block a line, with the texts of controls as people see them.

export interface Knowledge {
  lines: readonly Line[];
  /** Page of each paragraph. */
  pages: readonly GuidePage[];
}

/** Texts of the parts whose controls the guide names. */
const texts: Record<Language, () => Promise<object[]>> = {
  en: async () => [
    (await import('#shared/i18n/meetings/en.ts')).meetingEn,
    (await import('#shared/i18n/reviews/en.ts')).reviewsEn,
    (await import('#shared/i18n/sharing/en.ts')).sharingEn,
  ],
  es: async () => [
    (await import('#shared/i18n/meetings/es.ts')).meetingEs,
    (await import('#shared/i18n/reviews/es.ts')).reviewsEs,
    (await import('#shared/i18n/sharing/es.ts')).sharingEs,
  ],
  ru: async () => [
    (await import('#shared/i18n/meetings/ru.ts')).meetingRu,
    (await import('#shared/i18n/reviews/ru.ts')).reviewsRu,
    (await import('#shared/i18n/sharing/ru.ts')).sharingRu,
  ],
  zh: async () => [
    (await import('#shared/i18n/meetings/zh.ts')).meetingZh,
    (await import('#shared/i18n/reviews/zh.ts')).reviewsZh,
    (await import('#shared/i18n/sharing/zh.ts')).sharingZh,
  ],
};

/** Text at `namespace:key.key`; throws where there is none. */
function labelIn(all: object, key: string): string {
  let found: unknown = all;
  for (const name of key.split(/[:.]/)) found = (found as Record<string, unknown> | undefined)?.[name];
  if (typeof found !== 'string') throw new Error(`no text ${key} for the guide`);
  return found;
}

const read = new Map<Language, Promise<Knowledge>>();

/** Guide in a language, below the root of the program. */
export function knowledgeIn(root: string, language: Language): Promise<Knowledge> {
  const known = read.get(language) ?? readAll(root, language);
  read.set(language, known);
  known.catch(() => read.delete(language));
  return known;
}

async function readAll(root: string, language: Language): Promise<Knowledge> {
  const all = Object.assign({}, ...(await texts[language]())) as object;
  const blocks: { page: GuidePage; name: string; text: string }[] = [];
  for (const page of guidePages) {
    const path = join(root, 'shared/guide', language, `${page}.md`);
    let name = '';
    for (const { kind, lines } of readGuide(await readFile(path, 'utf8')))
      for (const parts of lines) {
        const text = parts.map((part) => (part.kind === 'label' ? labelIn(all, part.key) : part.text)).join('');
        if (kind === 'title') name = text;
        blocks.push({ page, name, text });
      }
  }
  return {
    lines: linesOf(blocks.map(({ name, text }) => ({ name, from: 0, text }))),
    pages: blocks.map(({ page }) => page),
  };
}
