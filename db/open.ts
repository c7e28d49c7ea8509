import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';

/** A connection pool with the query builder on it; `tx` inside a transaction has the same type. */
export type Orm = PostgresJsDatabase;

export interface Database {
  readonly orm: Orm;
  readonly sql: postgres.Sql;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Connections at most. */
  max?: number;
  /** Milliseconds a statement may take before it is given up. */
  statementTimeout?: number;
  lockTimeout?: number;
}

export function openDatabase(url: string, { max = 10, statementTimeout = 5000, lockTimeout = 2000 }: OpenOptions = {}): Database {
  const sql = postgres(url, {
    max,
    connect_timeout: 5,
    idle_timeout: 60,
    onnotice: () => {},
    connection: { application_name: 'colloquy', statement_timeout: statementTimeout, lock_timeout: lockTimeout },
  });
  return { orm: drizzle(sql), sql, close: () => sql.end({ timeout: 5 }) };
}
