/** Beginnings by which spreadsheet programs take a text for a formula. */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠|%]/u;

/** Text, a number, or a number that is given as a text, such as an amount of money. */
type Cell = string | number | { decimal: string };

/** A cell: text stays text in a spreadsheet program, whatever it begins with. */
function cell(value: Cell): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object') return value.decimal;
  const safe = formula.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Mark at the beginning of a table, by which spreadsheet programs know UTF-8. */
export const csvMark = '\ufeff';

/** A row as spreadsheet programs read it: commas and CRLF. */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cell).join(',')}\r\n`;

/** A table as spreadsheet programs read it. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string => csvMark + rows.map(csvRow).join('');

/** A text as a part of a file's name. */
export const inFileName = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '');
