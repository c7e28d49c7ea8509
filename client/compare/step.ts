/** A cell of the table. */
export interface Spot {
  row: number;
  column: number;
}

interface Cells {
  rows: number;
  /** Numbers of the columns that are shown, from left to right. */
  columns: readonly number[];
  has: (spot: Spot) => boolean;
}

/** The next cell with something in it in the direction of a key; null without one, and for other keys. */
export function stepTo(key: string, { row, column }: Spot, { rows, columns, has }: Cells): Spot | null {
  const at = columns.indexOf(column);
  const range = (from: number, to: number): number[] =>
    Array.from({ length: Math.abs(to - from) }, (_, i) => from + (to > from ? i + 1 : -i - 1));
  const inRow = (nths: readonly number[]) => nths.map((nth) => ({ row, column: columns[nth] ?? column }));
  const inColumn = (nths: readonly number[]) => nths.map((nth) => ({ row: nth, column }));
  const ways: Record<string, readonly Spot[]> = {
    ArrowRight: inRow(range(at, columns.length - 1)),
    ArrowLeft: inRow(range(at, 0)),
    ArrowDown: inColumn(range(row, rows - 1)),
    ArrowUp: inColumn(range(row, 0)),
    Home: inRow(columns.map((_, nth) => nth).filter((nth) => nth !== at)),
    End: inRow(columns.map((_, nth) => columns.length - 1 - nth).filter((nth) => nth !== at)),
  };
  return ways[key]?.find(has) ?? null;
}
