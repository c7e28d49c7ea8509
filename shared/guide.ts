/** Pages of the guide, in its order. Their texts are in shared/guide/<language>/<page>.md. */
export const guidePages = [
  'record',
  'correct',
  'speakers',
  'outcomes',
  'share',
  'assess',
  'model',
  'export',
  'shortcuts',
] as const;
export type GuidePage = (typeof guidePages)[number];

export const isGuidePage = (name: string | undefined): name is GuidePage => guidePages.some((one) => one === name);

/** Pages by other names that an address may have. */
export const otherNames: ReadonlyMap<string, GuidePage> = new Map<string, GuidePage>([['review', 'assess']]);

export type GuidePart =
  | { kind: 'text'; text: string }
  /** Text of a control, by its key. */
  | { kind: 'label'; key: string }
  | { kind: 'keys'; text: string };

export interface GuideBlock {
  kind: 'title' | 'heading' | 'paragraph' | 'list';
  /** One line, or one for each entry of a list. */
  lines: GuidePart[][];
  /** Headings from the top of the page to here, its own included. */
  part: number;
}

/** Name of the place of a heading in the address of its page. */
export const guidePart = (part: number): string => `part-${part}`;

const partOf = /\{([A-Za-z]+:[\w.]+)\}|`([^`]+)`/g;

function partsOf(line: string): GuidePart[] {
  const parts: GuidePart[] = [];
  let at = 0;
  const plain = (until: number) => {
    if (until > at) parts.push({ kind: 'text', text: line.slice(at, until) });
  };
  for (const { 0: whole, 1: key, 2: keys, index } of line.matchAll(partOf)) {
    plain(index);
    parts.push(key === undefined ? { kind: 'keys', text: keys ?? '' } : { kind: 'label', key });
    at = index + whole.length;
  }
  plain(line.length);
  return parts;
}

/** Reads a page: headings, paragraphs and lists, with `{namespace:key}` for the text of a control. */
export function readGuide(source: string): GuideBlock[] {
  const blocks: GuideBlock[] = [];
  let joins = false;
  let part = 0;
  for (const line of source.split('\n')) {
    const [, mark = '', text = ''] = /^(# |## |- )?(.*)$/.exec(line) ?? [];
    if (text.trim() === '') {
      joins = false;
      continue;
    }
    const kind = mark === '# ' ? 'title' : mark === '## ' ? 'heading' : mark === '- ' ? 'list' : 'paragraph';
    if (kind === 'heading') part += 1;
    const last = blocks.at(-1);
    if (kind === 'list' && joins && last?.kind === 'list') last.lines.push(partsOf(text));
    else blocks.push({ kind, lines: [partsOf(text)], part });
    joins = kind === 'list';
  }
  return blocks;
}
