import type { Language } from '#shared/i18n/languages.ts';
import { guidePages, readGuide, type GuideBlock, type GuidePage } from '#shared/guide.ts';

const files = import.meta.glob<string>('/shared/guide/*/*.md', { query: '?raw', import: 'default' });

export async function loadGuide(language: Language, page: GuidePage): Promise<GuideBlock[]> {
  const load = files[`/shared/guide/${language}/${page}.md`];
  if (!load) throw new Error(`no page ${page} of the guide in ${language}`);
  return readGuide(await load());
}

interface FoundPage {
  page: GuidePage;
  title: string;
  /** Lowercase text to search in. */
  text: string;
}

/** All pages as plain text, with the texts of controls in it. */
export async function loadPages(language: Language, labelOf: (key: string) => string): Promise<FoundPage[]> {
  return Promise.all(
    guidePages.map(async (page) => {
      const lines = (await loadGuide(language, page)).map(({ lines: all }) =>
        all
          .map((parts) => parts.map((part) => (part.kind === 'label' ? labelOf(part.key) : part.text)).join(''))
          .join('\n'),
      );
      return { page, title: lines[0] ?? '', text: lines.join('\n').toLocaleLowerCase(language) };
    }),
  );
}
