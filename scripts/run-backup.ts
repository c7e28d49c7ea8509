import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { joinEmbedded, startEmbedded } from '#db/embedded.ts';
import { openDatabase } from '#db/open.ts';
import { backUp } from '#server/backup/backup.ts';
import { restore } from '#server/backup/restore.ts';
import { readConfig } from '#server/config.ts';
import { openStore } from './open-store.ts';
import { sayBooks } from './say-books.ts';

const root = new URL('..', import.meta.url).pathname;
const config = readConfig(process.env, root);
const say = (line: string) => console.log(line);
const [command, given, ...more] = process.argv.slice(2);
if (given === undefined || more.length > 0 || (command !== 'backup' && command !== 'restore')) {
  say('npm run backup -- <file> backs everything up into a new file, npm run restore -- <file> puts it back.');
  process.exit(2);
}
// npm changes to the folder of the project; the file is named from where the person is.
const path = resolve(process.env['INIT_CWD'] ?? '.', given);
const openEmbedded = command === 'backup' ? joinEmbedded : startEmbedded;
let stop = async () => {};
try {
  if (!config.databaseUrl && command === 'restore') await mkdir(config.dataDir, { recursive: true });
  const embedded = config.databaseUrl ? null : await openEmbedded({ dataDir: config.dataDir, say });
  stop = async () => embedded?.stop();
  const url = config.databaseUrl ?? embedded?.url ?? '';
  const store = openStore(config);
  if (command === 'backup') {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const told = await backUp({ url, store }, path, version);
    if (told.gone > 0) say(`Files that were deleted for good meanwhile: ${told.gone}.`);
    say(`${path}: ${told.rows} rows of ${told.tables} tables and ${told.files} files, ${megabytes(told.bytes)}.`);
  } else {
    const { at, rows, files } = await restore({ url, store, migrations: join(root, 'db/migrations') }, path);
    say(`Restored: ${rows} rows and ${files} files, as of ${at}. Start the server with npm start.`);
    // Books that were wrong before are wrong here, too: what is restored stays.
    const database = openDatabase(url);
    try {
      if (!(await sayBooks(database.sql, say))) process.exitCode = 1;
    } finally {
      await database.close();
    }
  }
} catch (error) {
  const isMissing = command === 'restore' && (error as NodeJS.ErrnoException).code === 'ENOENT';
  say(isMissing ? `There is no file ${path}.` : (error as Error).message);
  process.exitCode = 1;
} finally {
  await stop();
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
