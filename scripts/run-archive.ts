import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { joinEmbedded } from '#db/embedded.ts';
import { openDatabase } from '#db/open.ts';
import { differencesIn, readManifest } from '#server/archive/check.ts';
import { importArchive } from '#server/archive/import.ts';
import { DamagedZip, ZipReader } from '#server/archive/read-zip.ts';
import { systemClock } from '#server/clock.ts';
import { readConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { createMetrics } from '#server/metrics.ts';
import { Documents } from '#server/rooms/documents.ts';
import { openRooms } from '#server/rooms/rooms.ts';
import { WholeDocuments } from '#server/rooms/whole-documents.ts';
import { openStore } from './open-store.ts';

const usage = `npm run archive -- check <file>                     compares all files of an archive with its manifest
npm run archive -- import <file> --owner <address>  makes recordings of it, for the account with this address`;

const say = (line: string) => console.log(line);
const [command, given, option, owner, ...more] = process.argv.slice(2);
const isCheck = command === 'check' && option === undefined;
const isImport = command === 'import' && option === '--owner' && owner !== undefined && more.length === 0;
if (given === undefined || !(isCheck || isImport)) {
  say(usage);
  process.exit(2);
}
// npm changes to the folder of the project; the file is named from where the person is.
const path = resolve(process.env['INIT_CWD'] ?? '.', given);
try {
  const file = await open(path, 'r');
  try {
    const zip = await ZipReader.open(file);
    process.exitCode = isCheck ? await check(zip) : await takeIn(zip, owner ?? '');
  } finally {
    await file.close();
  }
} catch (error) {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  if (!isMissing && !(error instanceof DamagedZip)) throw error;
  say(isMissing ? `There is no file ${path}.` : `${path} is damaged: ${(error as Error).message}.`);
  process.exitCode = 1;
}

async function check(zip: ZipReader): Promise<number> {
  const manifest = await readManifest(zip);
  const wrong = await differencesIn(zip, manifest);
  for (const line of wrong) say(line);
  const { recordings, missing, files, at } = manifest;
  const left = missing.length === 0 ? '' : `, ${missing.length} left out`;
  if (wrong.length === 0)
    say(`All ${files.length} files are right. Recordings: ${recordings.length}${left}, as of ${at}.`);
  return wrong.length === 0 ? 0 : 1;
}

async function takeIn(zip: ZipReader, address: string): Promise<number> {
  const manifest = await readManifest(zip);
  const config = readConfig(process.env, new URL('..', import.meta.url).pathname);
  const embedded = config.databaseUrl ? null : await joinEmbedded({ dataDir: config.dataDir, say });
  const db = openDatabase(config.databaseUrl ?? embedded?.url ?? '');
  const around = { config, db, clock: systemClock, log: createLog('warn'), metrics: createMetrics() };
  const rooms = openRooms(around, () => Promise.resolve());
  const wholes = new WholeDocuments();
  const house = { ...around, rooms, wholes, store: openStore(config), documents: new Documents(rooms, db.ask, wholes) };
  try {
    const done = await importArchive(house, zip, manifest, address);
    if (!done) {
      say(`No account has confirmed the address ${address}.`);
      return 1;
    }
    say(`Recordings imported: ${done.made.length}. Imported before: ${done.there}.`);
    if (!done.withPrivate)
      say(`What only ${manifest.by.email} could see stays in the archive, because the account is another one.`);
    return 0;
  } finally {
    await rooms.drain(0);
    await wholes.close();
    await db.close();
    await embedded?.stop();
  }
}
