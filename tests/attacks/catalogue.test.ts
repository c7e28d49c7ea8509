// The rows of the catalogue, each of which is carried out in this folder or in a file that is named here.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountAttacks } from './accounts.ts';
import { byteAttacks } from './bytes.ts';
import { requestAttacks } from './requests.ts';
import { doorAttacks, socketAttacks } from './sockets.ts';

const catalogue = [
  ...[
    'A01',
    'A02',
    'A03',
    'A04',
    'A05',
    'A06',
    'A07',
    'A09',
    'A10',
    'A11',
    'A12',
    'A13',
    'A14',
    'A15',
    'A17',
    'A18',
    'A20',
  ],
  ...['B01', 'B02', 'B03', 'B04', 'B05', 'B06', 'B07', 'B08', 'B09', 'B11', 'B13', 'B14', 'B15', 'B16', 'B18'],
  ...['E01', 'E02', 'E03', 'E04', 'E06', 'E07', 'E08', 'E09', 'E10', 'E11'],
  ...[
    'G01',
    'G03',
    'G06',
    'G07',
    'G08',
    'G10',
    'G11',
    'G12',
    'G14',
    'G16',
    'G18',
    'G20',
    'G21',
    'G22',
    'G23',
    'G24',
    'G25',
    'G26',
  ],
  ...['J01', 'J02', 'J03', 'J05', 'J06', 'J07', 'J08', 'J10', 'J11', 'J14', 'J15', 'J16'],
  ...['C01', 'C03', 'C04', 'C05', 'C06', 'C07', 'C09', 'C10', 'C11', 'C12', 'C13', 'C14', 'C15', 'C18', 'C19', 'C20'],
  ...['D01', 'D02', 'D04', 'D07', 'D08', 'D09', 'D10', 'D11', 'D12', 'D13', 'D14', 'D15', 'D16'],
  ...['H01', 'H03', 'H04', 'H05', 'H07', 'H08', 'H10', 'H11', 'H12', 'H13', 'H14', 'H16', 'H17'],
  ...['L03', 'L11', 'L12', 'L13', 'L14', 'L15'],
];

/** Rows with files of their own. */
const elsewhere: Record<string, string> = {
  C01: 'tests/api/roles.test.ts',
  C15: 'tests/api/intake.table.ts',
  C19: 'tests/api/principals.table.ts',
  D10: 'tests/attacks/sharing.test.ts',
  G06: 'tests/api/annotations.test.ts',
  G10: 'tests/api/edits.test.ts',
  H01: 'tests/e2e/payloads.test.ts',
  H03: 'tests/e2e/editor.test.ts',
  H05: 'client/ui/safe-link.test.ts',
  H11: 'tests/contracts/export.test.ts',
  H13: 'tests/api/support.table.ts',
  L03: 'tests/attacks/pre-hijacking.test.ts',
  L15: 'tests/house/lockfile.test.ts',
  J01: 'tests/api/intake.table.ts',
  J02: 'tests/api/intake.table.ts',
  J05: 'tests/api/intake.table.ts',
  J06: 'tests/api/intake.table.ts',
  J11: 'tests/api/intake.test.ts',
  J14: 'tests/api/intake.table.ts',
  J15: 'tests/api/intake.table.ts',
  J16: 'tests/api/intake.table.ts',
};

test('every row is carried out', () => {
  const folder = import.meta.dirname;
  const sources = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'catalogue.test.ts');
  const named = sources.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/'([A-EGHJL]\d\d)\b/g)].map(([, id]) => id),
  );
  const tables = [accountAttacks, requestAttacks, byteAttacks, doorAttacks, socketAttacks].flat();
  const done = new Set([...tables.map(({ id }) => id), ...named]);
  expect(catalogue.filter((id) => !done.has(id) && !(id in elsewhere))).toEqual([]);
  for (const [id, file] of Object.entries(elsewhere)) {
    const source = readFileSync(join(folder, '../..', file), 'utf8');
    expect(source, file).not.toBe('');
    if (!id.startsWith('L')) expect(source, file).toContain(id);
  }
});

test('every experiment with Yjs that bears on the design has rows', () => {
  const experiments = ['V1', 'V2', 'V5', 'V7', 'V8', 'V9', 'V10', 'V11', 'V12', 'V21'];
  const has = (name: string) => byteAttacks.some(({ id, what }) => id === name || what.includes(`(${name})`));
  expect(experiments.filter((name) => !has(name))).toEqual([]);
});
