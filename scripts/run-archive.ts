import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { differencesIn, readManifest } from '#server/archive/check.ts';
import { DamagedZip, ZipReader } from '#server/archive/read-zip.ts';

const say = (line: string) => console.log(line);
const [command, given, ...more] = process.argv.slice(2);
if (command !== 'check' || given === undefined || more.length > 0) {
  say('npm run archive -- check <file> compares all files of an archive with its manifest.');
  process.exit(2);
}
// npm changes to the folder of the project; the file is named from where the person is.
const path = resolve(process.env['INIT_CWD'] ?? '.', given);
try {
  const file = await open(path, 'r');
  try {
    process.exitCode = await check(await ZipReader.open(file));
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
