import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { desc, eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { mailOutbox } from '#db/schema/house.ts';
import { grantTrial } from '#server/billing/grants.ts';
import { transaction } from '#server/context.ts';
import { startSession } from '#server/people/sessions.ts';
import { readConfig } from '#server/config.ts';
import { sessionCookie } from '#server/http/cookies.ts';
import { createLog } from '#server/log.ts';
import { start, type Given, type Running } from '#server/start.ts';
import type { AccountTypeId } from '#shared/account-choices.ts';
import { emailKey } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { MovableClock } from './clock.ts';
import { freshDatabase, keptDatabase } from './database.ts';
import { Person } from './people.ts';

const root = new URL('../..', import.meta.url).pathname;

/** The client that `npm start` serves. */
export const builtClient = join(root, 'dist/client');

export interface HouseOptions extends Given {
  /** Configuration in addition to what tests need. */
  env?: Record<string, string>;
  /** Locale of the database, if not that of the cluster. */
  locale?: 'C';
  /** Database that is used as it is and stays, instead of a fresh one. */
  on?: string;
}

type GivenFields = Partial<Pick<Person, 'id' | 'email' | 'password' | 'address'>>;

/** Chosen account type; the library asks for it, so most people have answered already. */
export interface Chosen {
  accountType: AccountTypeId | null;
}

/** Starts a second process on the same database that gets no messages from the first: there is no Redis. */
export const openBeside = ({ url }: Pick<TestHouse, 'url'>): Promise<Running> =>
  start(readConfig({ PORT: '0', DATABASE_URL: url }, root), () => {}, {
    log: createLog('silent'),
    quickPasswords: true,
    client: null,
  });

/** Starts a complete house: real server, real database, real sockets; only passwords are hashed cheaply. */
export async function openHouse(options: HouseOptions = {}) {
  const { env, locale, on, ...given } = options;
  const { url, database, drop } = on === undefined ? await freshDatabase(locale) : keptDatabase(on);
  const clock = new MovableClock();
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString());
      done();
    },
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'colloquy-house-'));
  const config = readConfig({ PORT: '0', DATABASE_URL: url, DATA_DIR: dataDir, ...env }, root);
  const running = await start(config, () => {}, {
    clock,
    log: createLog('debug', sink),
    quickPasswords: true,
    client: null,
    ...given,
  });
  const origin = `http://127.0.0.1:${running.port}`;

  /** Hashes of passwords that people have: most have the same. */
  const hashes = new Map<string, Promise<string>>();
  const hashOf = (password: string): Promise<string> => {
    const hash = hashes.get(password) ?? running.house.passwords.hash(password);
    hashes.set(password, hash);
    return hash;
  };
  /** All in one transaction, without waiting for one before the next: the driver then sends much at once. */
  const makePeople = async (wanted: { name: string; fields: GivenFields; chosen: Chosen }[]): Promise<Person[]> => {
    const made = await Promise.all(
      wanted.map(async ({ name, fields, chosen }) => {
        const person = new Person(origin);
        person.id = newId();
        person.email = `${name.toLowerCase()}-${newId(8).toLowerCase()}@example.test`;
        Object.assign(person, fields);
        return { person, name, chosen, passwordHash: await hashOf(person.password) };
      }),
    );
    const now = clock.now();
    await transaction(running.house, async (tx) => {
      await tx.insert(users).values(
        made.map(({ person: { id, email }, name, chosen, passwordHash }) => ({
          ...{ id, email, emailKey: emailKey(email), passwordHash, firstName: name, lastName: 'Test', ...chosen },
          ...{ createdAt: now, confirmedAt: now },
        })),
      );
      await Promise.all(
        made.map(async ({ person }) => {
          const who = { userId: person.id, remember: false, userAgent: 'test' };
          const [{ secret }] = await Promise.all([
            startSession(running.house, tx, who),
            grantTrial(running.house, tx, person.id),
          ]);
          person.cookies.set(sessionCookie(config.secureCookies), secret);
        }),
      );
    });
    return made.map(({ person }) => person);
  };

  const house = {
    ...running,
    origin,
    url,
    database,
    clock,
    /** Everything logged so far, as the lines a log collector would receive. */
    log: () => logged.join(''),
    /** The newest line of the log that has all of these words; the whole of a long log is not put together for it. */
    lastLine: (...words: string[]) => logged.findLast((line) => words.every((word) => line.includes(word))),
    stranger: (): Person => new Person(origin),
    /** Mails to an address, newest first, straight from the outbox. */
    async mails(to: string) {
      return database.orm
        .select()
        .from(mailOutbox)
        .where(eq(mailOutbox.toAddress, to))
        .orderBy(desc(mailOutbox.createdAt), desc(mailOutbox.id));
    },
    /** The token in the newest mail to an address whose link leads to `path`. */
    async tokenFor(to: string, path: string): Promise<string> {
      for (const mail of await house.mails(to)) {
        const token = new RegExp(`${path}[/?](?:token=)?([\\w.-]+)`).exec(mail.text)?.[1];
        if (token) return token;
      }
      throw new Error(`no mail to ${to} has a link to ${path}`);
    },
    /**
     * Creates a signed-in person with a confirmed account; written directly, because signing up has tests of its own.
     */
    async person(
      name = 'Ann',
      fields: GivenFields = {},
      chosen: Chosen = { accountType: 'individual' },
    ): Promise<Person> {
      const [person] = await makePeople([{ name, fields, chosen }]);
      if (!person) throw new Error('nobody was made');
      return person;
    },
    async people(count: number, chosen: Chosen = { accountType: 'individual' }, named?: string): Promise<Person[]> {
      const names = ['Ann', 'Ben', 'Chen', 'Dana', 'Emil', 'Fay', 'Gus', 'Hana'];
      return makePeople(
        Array.from({ length: count }, (_, i) => ({ name: named ?? names[i % names.length] ?? '', fields: {}, chosen })),
      );
    },
    key: emailKey,
    async close(): Promise<void> {
      await running.stop();
      try {
        await drop();
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
  return house;
}

export type TestHouse = Awaited<ReturnType<typeof openHouse>>;

/** House that several tests share: none of them may stop it or move its clock. */
export type SharedHouse = Omit<TestHouse, 'close' | 'stop' | 'clock'>;
