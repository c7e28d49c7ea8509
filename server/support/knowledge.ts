import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOf, type Line } from '#shared/ai/lines.ts';
import { guidePages, guidePart, readGuide, type GuidePage } from '#shared/guide.ts';
import type { Language } from '#shared/i18n/languages.ts';

// The guide as a model reads it: each block a line, with the texts of controls as people see them.

/** A paragraph of the guide, with the place that a link leads to. */
interface Passage {
  text: string;
  /** Titles of its page and of what it stands under. */
  title: string;
  url: string;
}

export interface Knowledge {
  lines: readonly Line[];
  /** Passage of each paragraph. */
  passages: readonly Passage[];
}

/** Texts of the parts whose controls the guide names. */
const texts: Record<Language, () => Promise<object[]>> = {
  en: async () => [
    (await import('#shared/i18n/en.ts')).en,
    (await import('#shared/i18n/meetings/en.ts')).meetingEn,
    (await import('#shared/i18n/reviews/en.ts')).reviewsEn,
    (await import('#shared/i18n/sharing/en.ts')).sharingEn,
    (await import('#shared/i18n/recorder/en.ts')).recorderEn,
    (await import('#shared/i18n/intake/en.ts')).intakeEn,
  ],
  es: async () => [
    (await import('#shared/i18n/es.ts')).es,
    (await import('#shared/i18n/meetings/es.ts')).meetingEs,
    (await import('#shared/i18n/reviews/es.ts')).reviewsEs,
    (await import('#shared/i18n/sharing/es.ts')).sharingEs,
    (await import('#shared/i18n/recorder/es.ts')).recorderEs,
    (await import('#shared/i18n/intake/es.ts')).intakeEs,
  ],
  ru: async () => [
    (await import('#shared/i18n/ru.ts')).ru,
    (await import('#shared/i18n/meetings/ru.ts')).meetingRu,
    (await import('#shared/i18n/reviews/ru.ts')).reviewsRu,
    (await import('#shared/i18n/sharing/ru.ts')).sharingRu,
    (await import('#shared/i18n/recorder/ru.ts')).recorderRu,
    (await import('#shared/i18n/intake/ru.ts')).intakeRu,
  ],
  zh: async () => [
    (await import('#shared/i18n/zh.ts')).zh,
    (await import('#shared/i18n/meetings/zh.ts')).meetingZh,
    (await import('#shared/i18n/reviews/zh.ts')).reviewsZh,
    (await import('#shared/i18n/sharing/zh.ts')).sharingZh,
    (await import('#shared/i18n/recorder/zh.ts')).recorderZh,
    (await import('#shared/i18n/intake/zh.ts')).intakeZh,
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
  const passages: Passage[] = [];
  for (const page of guidePages) passages.push(...(await passagesOf(root, language, page, all)));
  return {
    lines: linesOf(passages.map(({ title, text }) => ({ name: title, from: 0, text }))),
    passages,
  };
}

async function passagesOf(root: string, language: Language, page: GuidePage, all: object): Promise<Passage[]> {
  const source = await readFile(join(root, 'shared/guide', language, `${page}.md`), 'utf8');
  let [name, under] = ['', ''];
  return readGuide(source).flatMap(({ kind, lines, part }) =>
    lines.map((parts) => {
      const text = parts.map((one) => (one.kind === 'label' ? labelIn(all, one.key) : one.text)).join('');
      if (kind === 'title') name = text;
      if (kind === 'heading') under = text;
      return {
        text,
        title: under === '' ? name : `${name} · ${under}`,
        url: `/help/${page}${part === 0 ? '' : `#${guidePart(part)}`}`,
      };
    }),
  );
}
