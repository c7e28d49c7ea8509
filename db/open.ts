import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { connect } from './connect.ts';
import { createTurnstile, type Turnstile } from './turnstile.ts';

/** A connection pool with the query builder on it; `tx` inside a transaction has the same type. */
export type Orm = PostgresJsDatabase;

export interface Database {
  /** Runs a query with bounds on time: it fails if the database is busy, frozen or away. */
  readonly orm: Orm;
  /** The same bounds for a statement of the driver's own, which it prepares; a socket may wait longer than a request. */
  ask<T>(question: (sql: postgres.Sql) => Promise<T>, wait?: number): Promise<T>;
  /** The driver itself, for listening and for work with bounds of its own. */
  readonly sql: postgres.Sql;
  close(): Promise<void>;
}

interface OpenOptions {
  /** Maximum number of connections. */
  max?: number;
  /** Milliseconds after which a statement is given up. */
  statementTimeout?: number;
  lockTimeout?: number;
  /** Milliseconds to wait for a free connection. */
  wait?: number;
}

/** Seconds to reach the server. */
const connectTimeout = 3;

export function openDatabase(
  url: string,
  { max = 10, statementTimeout = 5000, lockTimeout = 2000, wait = 1000 }: OpenOptions = {},
): Database {
  // Listens only, on a connection that outlives every pool.
  const ears = connect(url, {
    max,
    connect_timeout: connectTimeout,
    idle_timeout: 60,
    // Reconnects soon after the server is back; the default grows to 20 s.
    backoff: () => 0.2,
    connection: {
      application_name: 'colloquy',
      statement_timeout: statementTimeout,
      lock_timeout: lockTimeout,
      idle_in_transaction_session_timeout: 2 * statementTimeout,
    },
  });
  const another = () => postgres(ears.options as never);
  let pool = another();
  let renewed = performance.now();

  // The server ends a statement that takes long. One that is still silent after that is frozen, or behind a line that
  // swallows everything: it would keep our connections for a quarter of an hour, so it gets to keep them, and new ones
  // are made.
  const overdue = (since: number) => {
    if (since < renewed) return;
    renewed = performance.now();
    const old = pool;
    pool = another();
    void old.end({ timeout: 5 }).catch(() => {});
  };
  const turnstile = createTurnstile({ places: max, wait, overdue });
  const sql = new Proxy(ears, {
    apply: (_, self, args) => Reflect.apply(pool, self, args) as unknown,
    get(_, name) {
      if (name === 'begin') return guardedBegin(pool);
      return Reflect.get(name === 'listen' ? ears : pool, name) as unknown;
    },
  });
  const most = statementTimeout + connectTimeout * 1000 + 1000;
  return {
    orm: drizzle(inTurn(sql, turnstile, most)),
    ask: (question, patience) => turnstile.pass(() => question(sql), most, patience),
    sql,
    close: async () => {
      await Promise.all([pool.end({ timeout: 5 }), ears.end({ timeout: 5 })]);
    },
  };
}

/** The driver as drizzle uses it. */
function inTurn(sql: postgres.Sql, { pass }: Turnstile, most: number): postgres.Sql {
  const unsafe = (text: string, parameters: never[], options: postgres.UnsafeQueryOptions) => {
    let asValues = false;
    const result = pass(async () => {
      // Whether values are wanted is said right after the call, as with a query of the driver's own.
      await Promise.resolve();
      const query = sql.unsafe(text, parameters, { ...options, prepare: isKept(text, parameters) });
      return asValues ? await query.values() : await query;
    }, most);
    return Object.assign(result, { values: () => ((asValues = true), result) });
  };
  const begin = (work: Work) => pass(() => sql.begin(work), 2 * most);
  return Object.assign(Object.create(sql) as postgres.Sql, { unsafe, begin });
}

/** Texts of statements that connections keep. Both bounds save memory: a text with a list is another for each length. */
const kept = new Set<string>();
const mostKept = 1000;
const mostParameters = 30;

/**
 * Decides whether connections keep a statement. One that is kept takes one way to the server and back; another one takes
 * two, as the types of its values are asked for first, and is parsed anew.
 */
function isKept(text: string, parameters: readonly unknown[] = []): boolean {
  if (parameters.length === 0 || parameters.length > mostParameters) return false;
  if (kept.size < mostKept) kept.add(text);
  return kept.has(text);
}

type Work = (tx: postgres.TransactionSql) => Promise<unknown>;

/**
 * The driver tells the caller when the connection of a transaction is lost, but continues the work itself: what it
 * asks next would be written to nothing, or to a session that is somebody else's by then. So the work stops right there.
 */
function guardedBegin(pool: postgres.Sql) {
  return async (...given: [Work] | [options: string, Work]): Promise<unknown> => {
    const state = { over: false };
    const work = given.at(-1) as Work;
    const options = given.length === 2 ? given[0] : '';
    try {
      return await pool.begin(options, (tx) => whileOn(work(guarded(tx, state)), state));
    } finally {
      state.over = true;
    }
  };
}

interface State {
  over: boolean;
}

function guarded(tx: postgres.TransactionSql, state: State): postgres.TransactionSql {
  const watched = (ask: () => unknown): unknown => {
    if (state.over) return never();
    const asked = ask() as { reject?: (error: unknown) => void };
    const { reject } = asked;
    // Not by `catch`, which would ask at once what may only be a part of another question.
    if (reject) {
      asked.reject = (error) => {
        state.over ||= isLost(error);
        reject(error);
      };
    }
    return asked;
  };
  return new Proxy(tx, {
    apply: (_, self, given) => watched(() => Reflect.apply(tx, self, given)),
    get(_, name) {
      if (name === 'unsafe')
        return (text: string, parameters?: never[], options?: postgres.UnsafeQueryOptions) =>
          watched(() => tx.unsafe(text, parameters, { ...options, prepare: isKept(text, parameters) }));
      if (name === 'savepoint')
        return (inner: Work) => tx.savepoint((nested) => whileOn(inner(guarded(nested, state)), state));
      return Reflect.get(tx, name) as unknown;
    },
  });
}

/** Settles with the work. Never settles after a lost connection, because the driver would still roll back on it. */
function whileOn(work: Promise<unknown>, state: State): Promise<unknown> {
  return new Promise((resolve, reject) => {
    work.then(
      (value) => state.over || resolve(value),
      (error: unknown) => state.over || reject(error),
    );
  });
}

function never() {
  const query = new Promise<never>(() => {});
  return Object.assign(query, { values: () => query });
}

/** The server ended the session, or the connection broke. */
const isLost = (error: unknown): boolean =>
  error instanceof postgres.PostgresError
    ? /FATAL|PANIC/.test(error.severity)
    : error instanceof Error &&
      'code' in error &&
      /^(CONNECTION_\w+|CONNECT_TIMEOUT|E[A-Z]+|ERR_(SOCKET|STREAM)_\w+)$/.test(String(error.code));
