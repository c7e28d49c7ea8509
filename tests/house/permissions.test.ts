// Permissions come from the tables of shared/roles.ts alone (docs/architecture.md): no file of the server asks by name.
import { expect, it } from 'vitest';
import { groupVerbs, verbs, type GroupVerb, type Verb } from '#shared/roles.ts';
import { files, read } from './files.ts';

// Calls are let in by the tables of shared/roles.ts and by nothing else.

const server = files().filter((path) => /^server\/.*(?<!\.test)\.ts$/.test(path));
const withText = (pattern: RegExp) => server.filter((path) => pattern.test(read(path)));

/** Files that look permissions up themselves instead of calling `accessTo`. */
const lookUp = [
  // Defines `accessTo`.
  'server/rooms/access.ts',
  // Rooms and news are let in by the rights on rooms.
  'server/meetings/live.ts',
  'server/meetings/news.ts',
  'server/meetings/tickets.ts',
  // Sockets of people who record.
  'server/recorder/sockets.ts',
  // Shows the titles of recordings that a payer may read.
  'server/billing/transactions.ts',
  // An answer stops when its asker may no longer read.
  'server/ai/asking.ts',
  // Ask whether other people may read.
  'server/annotations/mentions.ts',
  'server/annotations/telling.ts',
  'server/sharing/requests.ts',
  // Names only copies and originals that the caller may read.
  'server/meetings/copies.ts',
  // Names the recording of the same file only if the caller may read it.
  'server/intake/twins.ts',
  // Compares, of many recordings and layers, those that the caller may read.
  'server/compare/compare.ts',
  // Archive what their maker may read, asked again when each recording is packed.
  'server/archive/archives.ts',
  'server/archive/pack.ts',
  // Picks for a second pass only who does not own the recording.
  'server/reviews/second-pass.ts',
];

it('only these files look up the permissions of a person on a meeting', () => {
  expect(withText(/\baccess(es|esById)?Of\b.*#db\/access\.ts/)).toEqual(lookUp.toSorted());
});

it('no file of the server asks for a permission by name, but for reading', () => {
  expect(withText(/\.has\('(comment|write|own|discover|upload)'\)/)).toEqual([]);
  expect(withText(/role\s*[!=]==\s*'(admin|member)'\)\s*throw/)).toEqual([]);
});

it('every call with a row of its own is named where it is let in', () => {
  const rows: [string, Pick<Verb | GroupVerb, 'needs'>][] = [...Object.entries(verbs), ...Object.entries(groupVerbs)];
  const texts = server.map(read).join('\n');
  const unnamed = rows.filter(([name, { needs }]) => needs !== null && !texts.includes(`'${name}'`));
  expect(unnamed.map(([name]) => name)).toEqual([]);
});
