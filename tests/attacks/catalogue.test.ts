// Which rows of the catalogue are carried out here, and which cannot be yet: those are named with what they wait for.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountAttacks } from './accounts.ts';
import { requestAttacks } from './requests.ts';

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
  ...['L03', 'L11', 'L12', 'L13', 'L14', 'L15'],
];

/** Parts of rows whose object does not exist yet. */
const waiting: Record<string, string> = {
  'A18 deleting the account of a team’s payer, or while a job runs': 'waits for teams, billing and jobs',
  'A20 an invitation after removal from the team': 'waits for teams',
  'B04 /api/zoom/logout and /api/webex/logout by an image': 'waits for imports',
  'B16 an attachment, a subtitle or an export opened as a page': 'waits for attachments and export',
};

/** Rows with files of their own. */
const elsewhere: Record<string, string> = {
  L03: 'tests/attacks/pre-hijacking.test.ts',
  L15: 'tests/house/lockfile.test.ts',
};

test('every row is carried out, or named as waiting', () => {
  const folder = import.meta.dirname;
  const sources = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'catalogue.test.ts');
  const named = sources.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/'([ABL]\d\d)\b/g)].map(([, id]) => id),
  );
  const done = new Set([...accountAttacks.map(({ id }) => id), ...requestAttacks.map(({ id }) => id), ...named]);
  const waits = new Set(Object.keys(waiting).map((what) => what.slice(0, 3)));
  expect(catalogue.filter((id) => !done.has(id) && !waits.has(id) && !(id in elsewhere))).toEqual([]);
  for (const file of Object.values(elsewhere)) expect(readFileSync(join(folder, '../..', file), 'utf8')).not.toBe('');
});

for (const [what, reason] of Object.entries(waiting)) test(what, ({ skip }) => skip(reason));
