import { inflateSync } from 'node:zlib';

/** Contents of a PDF for its reader. */
interface ReadPdf {
  /** Text of each page, without page numbers. */
  pages: string[];
  bookmarks: string[];
  title: string;
  lang: string;
  /** All of the file that is not an image of letters, with every stream unpacked. */
  whole: string;
}

/** Reads PDFs as pdfkit writes them: one object after the other, streams of zlib, fonts with tables of their letters. */
export function readPdf(bytes: Uint8Array): ReadPdf {
  const file = Buffer.from(bytes).toString('latin1');
  const objects = objectsOf(file);
  const get = (id: string | undefined) => objects.get(id ?? '') ?? { dictionary: '', stream: '' };
  const all = [...objects.values()];
  const kids = all.find(({ dictionary }) => /\/Type \/Pages\b/.test(dictionary))?.dictionary ?? '';
  const pages = [...(/\/Kids \[([^\]]*)\]/.exec(kids)?.[1] ?? '').matchAll(/(\d+) 0 R/g)].map(([, id]) => {
    const page = get(id).dictionary;
    const resources = get(/\/Resources (\d+) 0 R/.exec(page)?.[1]).dictionary;
    const fonts = new Map(
      [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', font]) => {
        const table = /\/ToUnicode (\d+) 0 R/.exec(get(font).dictionary)?.[1];
        return [name, lettersOf(get(table).stream)];
      }),
    );
    return textOf(get(/\/Contents (\d+) 0 R/.exec(page)?.[1]).stream, fonts);
  });
  const strings = (key: string) =>
    all.flatMap(({ dictionary }) => {
      const found = new RegExp(String.raw`/${key} \(((?:\\.|[^\\)])*)\)`, 's').exec(dictionary)?.[1];
      return found === undefined ? [] : [decoded(found)];
    });
  const info = /\/Info (\d+) 0 R/.exec(file)?.[1];
  const title = get(/\/Title (\d+) 0 R/.exec(get(info).dictionary)?.[1]).dictionary.trim();
  return {
    pages,
    bookmarks: strings('Title'),
    title: decoded(title.slice(1, -1)),
    lang: strings('Lang')[0] ?? '',
    whole: [
      pages.join(''),
      ...all.map(({ dictionary, stream }) => `${dictionary}${decoded(dictionary)}${stream}`),
    ].join(),
  };
}

interface PdfObject {
  dictionary: string;
  stream: string;
}

function objectsOf(file: string): Map<string, PdfObject> {
  const objects = new Map<string, PdfObject>();
  const begins = /(\d+) 0 obj\n/g;
  for (let found = begins.exec(file); found; found = begins.exec(file)) {
    const end = file.indexOf('endobj', begins.lastIndex);
    const at = file.indexOf('stream\n', begins.lastIndex);
    const dictionary = file.slice(begins.lastIndex, at >= 0 && at < end ? at : end);
    const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? 0);
    const packed = at >= 0 && at < end ? file.slice(at + 7, at + 7 + length) : '';
    const stream = /\/FlateDecode/.test(dictionary)
      ? inflateSync(Buffer.from(packed, 'latin1')).toString('latin1')
      : packed;
    objects.set(found[1] ?? '', { dictionary, stream });
    begins.lastIndex = at >= 0 && at < end ? at + 7 + length : end;
  }
  return objects;
}

const utf16 = (hex: string): string => Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le');

/** Letters of a font by their code. */
function lettersOf(table: string): Map<string, string> {
  const letters = new Map<string, string>();
  for (const [, from = '', list = ''] of table.matchAll(/<([\da-f]+)> <[\da-f]+> \[([^\]]*)\]/gi))
    [...list.matchAll(/<([^>]*)>/g)].forEach(([, hex = ''], nth) =>
      letters.set((parseInt(from, 16) + nth).toString(16).padStart(4, '0'), utf16(hex)),
    );
  return letters;
}

function decoded(literal: string): string {
  const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  const plain = literal.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
  if (!plain.startsWith('\u00FE\u00FF')) return plain;
  return Buffer.from(plain.slice(2, plain.length - (plain.length % 2)), 'latin1')
    .swap16()
    .toString('utf16le');
}

function textOf(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  let text = '';
  let font = '';
  /** Open parts of the page: what to take instead of their letters, if anything. */
  const open: { instead: string | null }[] = [];
  const steps =
    /\/(?<tag>\w+)(?: <<(?<about>(?:\((?:\\.|[^\\)])*\)|[^()])*?)>>)? B(?:DC|MC)\n|(?<ends>EMC)\n|\/(?<font>F\d+) [\d.]+ Tf|\[(?<shown>[^\]]*)\] TJ/gs;
  for (const { groups = {} } of content.matchAll(steps)) {
    if (groups.tag !== undefined) {
      const actual = /\/ActualText \(((?:\\.|[^\\)])*)\)/s.exec(groups.about ?? '')?.[1];
      const hidden = groups.tag === 'Artifact' ? '' : null;
      open.push({ instead: actual === undefined ? hidden : decoded(actual) });
    } else if (groups.ends !== undefined) text += open.pop()?.instead ?? '';
    else if (groups.font !== undefined) font = groups.font;
    else if (open.every(({ instead }) => instead === null))
      for (const [, hex = ''] of (groups.shown ?? '').matchAll(/<([\da-f]*)>/gi))
        for (const [code] of hex.matchAll(/.{4}/g)) text += fonts.get(font)?.get(code) ?? `?${code}?`;
  }
  return text;
}
