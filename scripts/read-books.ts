import { joinEmbedded } from '#db/embedded.ts';
import { openDatabase } from '#db/open.ts';
import { readConfig } from '#server/config.ts';
import { sayBooks } from './say-books.ts';

const config = readConfig(process.env, new URL('..', import.meta.url).pathname);
const say = (line: string) => console.log(line);
const embedded = config.databaseUrl ? null : await joinEmbedded({ dataDir: config.dataDir, say });
const database = openDatabase(config.databaseUrl ?? embedded?.url ?? '');
try {
  if (!(await sayBooks(database.sql, say))) process.exitCode = 1;
} finally {
  await database.close();
  await embedded?.stop();
}
