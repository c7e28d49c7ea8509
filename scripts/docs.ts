// Compares what the documents say with the project. Plain functions of text, so that a test can plant a mistake;
// check-docs.ts reads the files.

/** Facts the documents are compared with. Paths are from the root, with `/` and without a leading one. */
export interface Facts {
  /** The files of the project. */
  files: readonly string[];
  /** True for what is made at run time, such as `.data`, and kept out of git. */
  isIgnored(path: string): boolean;
  /** The commands that `npm run` knows. */
  commands: readonly string[];
  /** The packages that are installed by name. */
  packages: readonly string[];
  /** The places of a document that a link can name after `#`. */
  anchorsOf(path: string): readonly string[];
}

const fences = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1/gm;
const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length;
const mediaType = /^(application|audio|font|image|message|multipart|text|video)\//;
const fileName = /^\.?[\w-]+(\.[\w-]+)*\.(css|html|json|lock|md|mjs|png|sql|svg|ts|tsx|webp|ya?ml)$/;

/** Mistakes in one document: `README.md:12 names client/nowhere.ts, which is not there`. */
export function wrongNames(path: string, text: string, facts: Facts): string[] {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
  // Blanked, not cut: line numbers stay true.
  const prose = text.replaceAll(fences, (block) => block.replaceAll(/[^\n]/g, ' '));
  const problems: { index: number; says: string }[] = [];

  for (const { 1: code = '', index } of prose.matchAll(/`([^`\n]+)`/g)) {
    const name = code.replace(/^#(?=\w+\/)/, '');
    if (
      looksLikePath(name, facts) &&
      !exists(name, '', facts) &&
      !exists(name, folder, facts) &&
      !lies(name, folder, facts)
    ) {
      problems.push({ index, says: `names ${code}, which is not there` });
    }
  }
  for (const link of prose.matchAll(/\]\(<?([^)>\s]+)>?[^)]*\)|\b(?:src|href)="([^"]+)"/g)) {
    const whole = decodeURI(link[1] ?? link[2] ?? '');
    if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(whole)) continue;
    const target = whole.replace(/[?#].*$/, '');
    const document = target === '' ? path : resolve(folder, target);
    const anchor = whole.split('#')[1];
    if (target !== '' && !exists(target, folder, facts))
      problems.push({ index: link.index, says: `links to ${target}, which is not there` });
    else if (anchor && document?.endsWith('.md') && !facts.anchorsOf(document).includes(anchor))
      problems.push({ index: link.index, says: `links to ${whole}, a place which is not there` });
  }
  for (const { 1: command = '', index } of text.matchAll(/\bnpm run ([\w:-]+)/g)) {
    if (!facts.commands.includes(command))
      problems.push({ index, says: `names npm run ${command}, which package.json does not know` });
  }
  return problems
    .toSorted((one, other) => one.index - other.index)
    .map(({ index, says }) => `${path}:${lineOf(text, index)} ${says}`);
}

/** The anchors of the headings in a document, formed as GitHub does. */
export const anchorsIn = (text: string): string[] =>
  [...text.replaceAll(fences, '').matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** In bytes: a README that grows beyond this belongs into docs/. */
const longestReadme = 7 * 1024;

export const tooLong = (readme: string): string[] =>
  Buffer.byteLength(readme) > longestReadme
    ? [`README.md has more than ${longestReadme} bytes: move what is not for a first visit to docs/`]
    : [];

const decisionParts = ['Question', 'Choice', 'Why', 'What it costs'];

/** Mistakes in the decisions, given their pages and the index by file name. */
export function wrongDecisions(pages: Readonly<Record<string, string>>, index: string): string[] {
  return Object.keys(pages)
    .toSorted()
    .flatMap((name, nth) => {
      const number = String(nth + 1).padStart(3, '0');
      const text = pages[name] ?? '';
      const [, title = ''] = /^# (\d{3}: .+)\n/.exec(text) ?? [];
      const parts = [...text.matchAll(/^## (.+)\n\n(?=[^#\s])/gm)].map(([, part]) => part);
      return [
        ...(name.startsWith(`${number}-`) && title.startsWith(`${number}: `)
          ? []
          : [`${name} is not number ${number}`]),
        ...(parts.join() === decisionParts.join()
          ? []
          : [`${name} does not have the parts ${decisionParts.join(', ')}`]),
        ...(index.includes(`- [${number}](${name}) ${title.slice(5)}\n`) ? [] : [`the index does not name ${name}`]),
      ];
    });
}

/** `server/config.ts`, `db/`, `client/ui/*.css`; not a route, a package, a media type or a placeholder. */
function looksLikePath(name: string, facts: Facts): boolean {
  if (fileName.test(name)) return true;
  if (!/^\.?[\w-][\w.*-]*(\/[\w.*@-]+)*\/?$/.test(name) || !name.includes('/')) return false;
  const [first = ''] = name.split('/');
  return !mediaType.test(name) && !facts.packages.includes(first);
}

/** A name without a folder may lie anywhere below the document. */
const lies = (name: string, folder: string, facts: Facts) =>
  !name.includes('/') && facts.files.some((file) => file.startsWith(folder) && file.endsWith(`/${name}`));

function exists(name: string, folder: string, facts: Facts): boolean {
  const path = resolve(folder, name);
  if (path === undefined) return false;
  if (path.includes('*')) {
    const pattern = path
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('**', '\0')
      .replaceAll('*', '[^/]*')
      .replaceAll('\0', '.*');
    const matches = new RegExp(`^${pattern}(/|$)`);
    return facts.files.some((file) => matches.test(file));
  }
  return (
    path === '' || facts.files.some((file) => file === path || file.startsWith(`${path}/`)) || facts.isIgnored(path)
  );
}

/** Joins and tidies; undefined where the path leaves the project. */
function resolve(folder: string, name: string): string | undefined {
  const parts: string[] = [];
  for (const part of (name.startsWith('/') ? name : folder + name).split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '' && part !== '.' && part !== '..') parts.push(part);
  }
  return parts.join('/');
}
