import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db/open.ts';
import { freshCluster, killCluster, lookInto } from './crash.ts';
import { kill, openProcess, type RunningHouse } from './processes.ts';

export type Victims = 'alone' | 'with its PostgreSQL';

interface KillableOptions {
  /** Configuration in addition to what it needs. */
  env?: Record<string, string>;
  /** Called after each start, when the server has another address. */
  started?: (house: RunningHouse) => Promise<void>;
}

/** A server on a PostgreSQL of its own, which tests kill in the middle of a change. */
export class Killable {
  /** A look at the database from outside. */
  readonly database: Database;
  house!: RunningHouse;
  private readonly cluster: Awaited<ReturnType<typeof freshCluster>>;
  private readonly options: KillableOptions;

  private constructor(cluster: Awaited<ReturnType<typeof freshCluster>>, options: KillableOptions) {
    this.cluster = cluster;
    this.options = options;
    this.database = lookInto(cluster.url);
  }

  static async open(name: string, options: KillableOptions = {}): Promise<Killable> {
    const killable = new Killable(await freshCluster(name), options);
    await killable.start();
    return killable;
  }

  private async start(): Promise<void> {
    const { cluster, options } = this;
    const needed = { DATABASE_URL: cluster.url, DATA_DIR: join(cluster.home, 'house'), LOG_LEVEL: 'warn' };
    this.house = await openProcess({ ...needed, ...options.env });
    await options.started?.(this.house);
  }

  private asleep = async (): Promise<boolean> =>
    (
      await this.database
        .sql`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
    ).length > 0;

  /** Kills the server while this change is being stored, and starts it again. */
  async killedWhile(victims: Victims, change: string, act: () => Promise<unknown>): Promise<void> {
    const { sql } = this.database;
    await sql.unsafe(`
      create or replace function test_slow() returns trigger language plpgsql as $$
        begin perform pg_sleep(3); return new; end $$;
      create trigger test_slow ${change} execute function test_slow();`);
    const acted = act().catch(() => null);
    while (!(await this.asleep())) await sleep(10);
    if (victims === 'alone') await kill(this.house);
    else await killCluster(this.cluster, this.house.child.pid ?? 0);
    await acted;
    // The last statement of the dead process may still run, and then its change is stored.
    while (await this.asleep()) await sleep(10);
    await sql.unsafe(`drop trigger test_slow on ${/ on (\w+)/.exec(change)?.[1]}`);
    await this.start();
  }

  /** The processes it started are ended by `endProcesses`. */
  async close(): Promise<void> {
    await this.database.close();
    await this.cluster.stop();
  }
}
