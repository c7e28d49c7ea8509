// Minimal XML reader in one pass: no document types, so no entities but the five standard ones and numbers.

interface XmlReader {
  /** `close` is also called for empty elements. `name` is as written, with its prefix. */
  open(name: string, attribute: (name: string) => string | undefined): void;
  close(name: string): void;
  text(text: string): void;
}

export class NotXml extends Error {}

const deepest = 500;
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function readXml(source: string, reader: XmlReader): void {
  const open: string[] = [];
  let at = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < source.length) {
    const next = source.indexOf('<', at);
    if (next !== at) {
      const text = source.slice(at, next < 0 ? source.length : next);
      if (open.length > 0) reader.text(unescaped(text));
      else if (text.trim() !== '') throw new NotXml('text outside of all elements');
      if (next < 0) break;
    }
    at = next;
    if (source.startsWith('<!--', at)) at = behind(source, '-->', at + 4);
    else if (source.startsWith('<![CDATA[', at)) {
      const end = behind(source, ']]>', at + 9);
      if (open.length > 0) reader.text(source.slice(at + 9, end - 3));
      at = end;
    } else if (source.startsWith('<?', at)) at = behind(source, '?>', at + 2);
    else if (source.startsWith('<!', at)) throw new NotXml('a document type');
    else if (source.startsWith('</', at)) {
      const end = behind(source, '>', at + 2);
      const name = source.slice(at + 2, end - 1).trim();
      if (open.pop() !== name) throw new NotXml('an end without its beginning');
      reader.close(name);
      at = end;
    } else {
      const end = tagEnd(source, at + 1);
      const empty = source.charCodeAt(end - 2) === 47;
      const tag = source.slice(at + 1, empty ? end - 2 : end - 1);
      const name = /^[^\s=>/"'<]{1,200}/.exec(tag)?.[0];
      if (name === undefined) throw new NotXml('a tag without a name');
      let attributes: Map<string, string> | null = null;
      reader.open(name, (wanted) =>
        (attributes ??= attributesOf(tag.slice(name.length, name.length + 20_000))).get(wanted),
      );
      if (empty) reader.close(name);
      else if (open.push(name) > deepest) throw new NotXml('elements too deep in each other');
      at = end;
    }
  }
  if (open.length > 0) throw new NotXml('an element without its end');
}

function behind(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from);
  if (at < 0) throw new NotXml('an end that is missing');
  return at + mark.length;
}

/** Position after the end of a tag; quoted values may contain `>`. */
function tagEnd(source: string, from: number): number {
  let quote = 0;
  for (let at = from; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 34 || code === 39) quote = code;
    else if (code === 62) return at + 1;
    else if (code === 60) break;
  }
  throw new NotXml('an end that is missing');
}

/** Begins only where a name begins, so that each character is read once. */
const attributes = /(?<![^\s=/"'<>])([^\s=/"'<>]{1,200})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function attributesOf(tag: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of tag.matchAll(attributes))
    found.set(name, unescaped(double ?? single ?? ''));
  return found;
}

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{2,4}));/g, (whole, hex, decimal, name: string) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : '\uFFFD';
  });
}

/** Characters that XML cannot hold, even escaped. */
const forbidden = new RegExp(String.raw`[[\p{Cc}\uFFFE\uFFFF]--[\t\n\r]]|\p{Surrogate}`, 'gv');

export const escaped = (text: string): string =>
  text
    .replace(forbidden, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
