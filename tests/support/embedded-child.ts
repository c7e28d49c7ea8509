import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { connect } from '#db/connect.ts';
import { startEmbedded, type EmbeddedOptions } from '#db/embedded.ts';

/* Process with an embedded database, to be killed: `embedded-child.ts <options as JSON> [write]`. It reports line by
   line: `say …`, `ready <url>`, `kept <id>` for each row that was acknowledged, `refused <name> <message>`. */

const [given = '{}', task] = process.argv.slice(2);

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes at once, so that no line is lost when the process is killed. Waits while a busy reader leaves the pipe full. */
function tell(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0;)
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 5);
    }
}

async function write(url: string): Promise<never> {
  const sql = connect(url, { max: 4, backoff: () => 0.05 });
  await sql`create table if not exists kept (id text primary key)`;
  const writer = async (name: number): Promise<never> => {
    for (let n = 0; ; n++) {
      const id = `${process.pid}-${name}-${n}`;
      const kept = await sql`insert into kept values (${id})`.then(
        () => true,
        () => false,
      );
      if (kept) tell(`kept ${id}`);
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return await Promise.race([0, 1, 2, 3].map(writer));
}

try {
  const options = JSON.parse(given) as EmbeddedOptions;
  const database = await startEmbedded({ ...options, say: (line) => tell(`say ${line}`) });
  process.on('SIGINT', () => {
    const sql = connect(database.url);
    void sql`select 'alive' as state`
      .then(([row]) => tell(`interrupted ${row?.['state']}`))
      .then(() => sql.end())
      .then(() => database.stop())
      .then(() => process.exit(0));
  });
  createInterface({ input: process.stdin }).on('line', (line) => {
    if (line === 'stop') void database.stop().then(() => process.exit(0));
    if (line === 'exit') process.exit(3);
    if (line === 'throw') throw new Error('thrown on purpose');
  });
  tell(`ready ${database.url}`);
  if (task === 'write') await write(database.url);
} catch (error) {
  tell(`refused ${(error as Error).name} ${(error as Error).message}`);
  process.exit(1);
}
