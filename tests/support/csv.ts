/**
 * Reads a table as spreadsheet programs do (RFC 4180), and throws where they would have to guess: a quote within a bare
 * cell, anything behind a closing quote, a lone line break, rows of unequal length.
 */
export function readCsv(file: string): string[][] {
  const text = file.replace(/^\ufeff/, '');
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? quoted(text, at) : bare(text, at);
    row.push(cell);
    at = end;
    if (text[at] === ',') {
      at += 1;
      // A comma at the end of the file is followed by one more, empty cell.
      if (at === text.length) row.push('');
      continue;
    }
    if (at < text.length && !text.startsWith('\r\n', at)) throw new Error(`no end of a cell at ${at}`);
    at += 2;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  if (new Set(rows.map(({ length }) => length)).size > 1) throw new Error('rows of unequal length');
  return rows;
}

function quoted(text: string, from: number): [cell: string, end: number] {
  const [found, inner = ''] = /^"((?:[^"]|"")*)"/.exec(text.slice(from)) ?? [];
  if (found === undefined) throw new Error(`a quote at ${from} is never closed`);
  return [inner.replaceAll('""', '"'), from + found.length];
}

function bare(text: string, from: number): [cell: string, end: number] {
  const [found = ''] = /^[^,\r\n]*/.exec(text.slice(from)) ?? [];
  if (found.includes('"')) throw new Error(`a quote within a bare cell at ${from}`);
  return [found, from + found.length];
}
