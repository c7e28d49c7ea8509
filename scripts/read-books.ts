import { joinEmbedded } from '#db/embedded.ts';
import { openDatabase } from '#db/open.ts';
import { differencesIn } from '#server/billing/books.ts';
import { readConfig } from '#server/config.ts';

const config = readConfig(process.env, new URL('..', import.meta.url).pathname);
const say = (line: string) => console.log(line);
const embedded = config.databaseUrl ? null : await joinEmbedded({ dataDir: config.dataDir, say });
const database = openDatabase(config.databaseUrl ?? embedded?.url ?? '');
try {
  const found = await differencesIn(database.sql);
  for (const one of found) say(one);
  say(found.length === 0 ? 'The books are right.' : 'The books are wrong.');
  process.exitCode = found.length === 0 ? 0 : 1;
} finally {
  await database.close();
  await embedded?.stop();
}
