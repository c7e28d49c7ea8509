/** Beginnings by which spreadsheet programs take a text for a formula. */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠|%]/u;

/** A cell: text stays text in a spreadsheet program, whatever it begins with. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** A table as spreadsheet programs read it: UTF-8 with its mark, commas, and CRLF. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
  `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;

/** A text as a part of a file's name. */
export const inFileName = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '');
