import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbedded, type EmbeddedDatabase } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { openDatabase, type Database } from '#db/open.ts';
import { sessions, users } from '#db/schema/accounts.ts';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { hashOf, newSecret } from '#server/keys.ts';
import { newId } from '#shared/ids.ts';
import { freePort } from '#tests/support/ports.ts';
import { openRedis, redisBinary, type TestRedis } from '#tests/support/redis.ts';
import { root } from '../../prepare.mjs';
import type { Way } from './line.ts';

/** Number of people to share the sockets, because a person may have 20 at most. */
const crowd = 120;
const peers = join(import.meta.dirname, 'peers');

interface Node {
  port: number;
  child: ChildProcess;
  stderr: () => string;
}

/** Server that is measured. */
export abstract class Subject {
  abstract readonly name: string;
  /** Whether acknowledged changes are on the disk or in memory; `no`: it never acknowledges. */
  abstract readonly acknowledges: 'durable' | 'in memory' | 'no';
  /** Whether documents survive a restart. */
  readonly keeps: boolean = true;
  readonly count: number = 1;
  nodes: Node[] = [];
  /** Folder for CPU profiles of the server; null: no profiles. */
  profiles: string | null = null;

  protected abstract command(node: number): Promise<{ args: string[]; env?: Record<string, string>; port?: number }>;
  abstract rooms(count: number): Promise<string[]>;
  abstract way(room: string, node: number, person: number): Way;

  async start(): Promise<void> {
    this.nodes = await Promise.all(Array.from({ length: this.count }, (_, i) => this.startNode(i)));
  }

  private async startNode(i: number): Promise<Node> {
    const { args, env, port } = await this.command(i);
    const { PATH, HOME } = process.env;
    // The debugger is only opened to measure memory.
    const profile = this.profiles ? ['--cpu-prof', `--cpu-prof-dir=${this.profiles}`] : [];
    const child = spawn(process.execPath, ['--inspect-port=127.0.0.1:0', ...profile, ...args], {
      cwd: root,
      env: { PATH, HOME, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-10_000)));
    const found = await new Promise<number>((resolve, reject) => {
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (output.length > 10_000) return;
        output += text;
        const line = /listening on (\d+)|running at '[^']+' on port (\d+)|ready at http:\/\/localhost:(\d+)/.exec(
          output,
        );
        if (line) resolve(port ?? Number(line[1] ?? line[2] ?? line[3]));
      });
      child.once('exit', (code) => reject(new Error(`${this.name} ended with ${code}:\n${output}${stderr}`)));
    });
    return { port: found, child, stderr: () => stderr };
  }

  get pids(): number[] {
    return this.nodes.map(({ child }) => child.pid ?? 0);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await Promise.all(
      this.nodes.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill(signal);
        const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
        await exited;
        clearTimeout(late);
      }),
    );
    this.nodes = [];
  }

  async restart(signal?: NodeJS.Signals): Promise<void> {
    await this.stop(signal);
    await this.start();
  }
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const names = (count: number): string[] => Array.from({ length: count }, () => newId());
const plain = { headers: {}, prefix: new Uint8Array(), greeting: [] };

class Broadcast extends Subject {
  readonly name = 'bare broadcast';
  readonly acknowledges = 'no';
  override readonly keeps = false;
  protected command = async () => ({ args: [join(import.meta.dirname, 'bare-broadcast.mjs')] });
  rooms = async (count: number) => names(count);
  way(room: string, node: number): Way {
    return { ...plain, port: this.nodes[node]?.port ?? 0, path: `/${room}`, acknowledges: false };
  }
}

class BareLog extends Subject {
  readonly name = 'bare group-commit log';
  readonly acknowledges = 'durable';
  private readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
  }
  protected command = async () => ({ args: [join(import.meta.dirname, 'bare-log.mjs'), this.url] });
  rooms = async (count: number) => names(count);
  way(room: string, node: number): Way {
    return { ...plain, port: this.nodes[node]?.port ?? 0, path: `/${room}`, acknowledges: true };
  }
}

class YWebsocket extends Subject {
  readonly name: string;
  readonly acknowledges = 'no';
  override readonly keeps: boolean;
  private readonly folder: string | null;
  /** Without a folder it stores nothing, which is its default. */
  constructor(folder: string | null) {
    super();
    this.folder = folder;
    this.keeps = folder !== null;
    this.name = folder ? '@y/websocket-server, LevelDB' : '@y/websocket-server';
  }
  protected async command() {
    const port = await freePort();
    const env: Record<string, string> = { HOST: '127.0.0.1', PORT: String(port) };
    if (this.folder) env['YPERSISTENCE'] = this.folder;
    return { args: [join(peers, 'node_modules/@y/websocket-server/src/server.js')], env, port };
  }
  rooms = async (count: number) => names(count);
  way(room: string, node: number): Way {
    return { ...plain, port: this.nodes[node]?.port ?? 0, path: `/${room}`, acknowledges: false };
  }
}

class Hocuspocus extends Subject {
  readonly name: string = 'Hocuspocus, SQLite';
  readonly acknowledges = 'in memory';
  protected readonly args: string[];
  constructor(file: string) {
    super();
    this.args = [join(peers, 'hocuspocus.mjs'), file];
  }
  protected command = async () => ({ args: this.args });
  rooms = async (count: number) => names(count);
  way(room: string, node: number): Way {
    const prefix = Buffer.concat([Uint8Array.of(room.length), Buffer.from(room)]);
    // The first message is a token, with the version of the client.
    const greeting = [
      Buffer.concat([Uint8Array.of(2, 0, 1), Buffer.from('t'), Uint8Array.of(5), Buffer.from('4.7.0')]),
    ];
    return { port: this.nodes[node]?.port ?? 0, path: '/', headers: {}, prefix, greeting, acknowledges: true };
  }
}

class HocuspocusRedis extends Hocuspocus {
  override readonly name = 'Hocuspocus, SQLite, Redis, 2 nodes';
  override readonly count = 2;
  constructor(file: string, redis: TestRedis) {
    super(file);
    this.args.push(new URL(redis.url).port);
  }
}

class Colloquy extends Subject {
  readonly name: string = 'Colloquy';
  readonly acknowledges = 'durable';
  private readonly url: string;
  private readonly folder: string;
  private readonly people: { id: string; secret: string }[];
  private readonly database: Database;
  protected redis: TestRedis | null = null;

  constructor(given: { url: string; folder: string; people: { id: string; secret: string }[]; database: Database }) {
    super();
    this.url = given.url;
    this.folder = given.folder;
    this.people = given.people;
    this.database = given.database;
  }

  /** Same server as `npm start`. */
  protected async command(node: number) {
    const env: Record<string, string> = {
      PORT: '0',
      DATABASE_URL: this.url,
      DATA_DIR: join(this.folder, `colloquy-${this.count}-${node}`),
      DEMO: 'off',
    };
    if (this.redis) env['REDIS_URL'] = this.redis.url;
    return { args: [join(root, 'dist/server/main.js')], env };
  }

  /** Recordings in which every signed-in person with the link may write. */
  async rooms(count: number): Promise<string[]> {
    const ids = names(count);
    const [owner] = this.people;
    await this.database.orm.insert(meetings).values(ids.map((id) => ({ id, ownerId: owner?.id ?? '' })));
    await this.database.orm
      .insert(meetingAccess)
      .values(
        ids.map((meetingId) => ({ meetingId, kind: 'anonymous', principalId: '', permissions: ['read', 'write'] })),
      );
    // Waits until the servers know the permissions.
    await new Promise((resolve) => setTimeout(resolve, 200));
    return ids;
  }

  way(room: string, node: number, person: number): Way {
    const port = this.nodes[node]?.port ?? 0;
    const headers = {
      Origin: `http://127.0.0.1:${port}`,
      Cookie: `colloquy=${this.people[person % crowd]?.secret}`,
    };
    const path = `/sync/${room}/transcript?saved=1`;
    return { port, path, headers, prefix: new Uint8Array(), greeting: [], acknowledges: true };
  }
}

/** Several processes behind one address: the people of each room are spread over all of them, or a proxy places rooms. */
class ColloquyNodes extends Colloquy {
  override readonly name: string;
  override readonly count: number;
  private readonly placed: boolean;
  constructor(
    given: ConstructorParameters<typeof Colloquy>[0],
    redis: TestRedis,
    { count, placed }: { count: number; placed: boolean },
  ) {
    super(given);
    this.name = `Colloquy, Redis, ${count} nodes${placed ? ', a room on one' : ''}`;
    this.count = count;
    this.placed = placed;
    this.redis = redis;
  }

  override way(room: string, node: number, person: number): Way {
    return super.way(room, this.placed ? room.charCodeAt(0) % this.count : node, person);
  }
}

export interface Field {
  subjects: Subject[];
  /** Parent process of PostgreSQL's processes. */
  postgres: number;
  close(): Promise<void>;
}

/** All servers available here, with disks and databases of their own in one folder. */
export async function openField(folder: string, say: (line: string) => void): Promise<Field> {
  mkdirSync(folder, { recursive: true });
  // PostgreSQL has its default settings, so a commit is flushed to the disk; eleven processes need more connections.
  const cluster = await startEmbedded({ dataDir: folder, settings: { max_connections: '300' } });
  const redis = redisBinary() ? await openRedis() : null;
  if (!redis) say('There is no redis-server here: nothing is measured with two nodes.');
  const withPeers = existsSync(join(peers, 'node_modules/.package-lock.json'));
  const [bareUrl, url] = await makeDatabases(cluster);
  await migrate(url, join(root, 'db/migrations'));
  const database = openDatabase(url);
  const people = await makePeople(database);
  const given = { url, folder, people, database };
  const subjects = [
    new Broadcast(),
    new BareLog(bareUrl),
    ...(withPeers
      ? [
          new YWebsocket(null),
          new YWebsocket(join(folder, 'y-websocket')),
          new Hocuspocus(join(folder, 'hocuspocus.sqlite')),
        ]
      : []),
    new Colloquy(given),
    ...(withPeers && redis ? [new HocuspocusRedis(join(folder, 'hocuspocus-2.sqlite'), redis)] : []),
    ...(redis
      ? [
          new ColloquyNodes(given, redis, { count: 2, placed: false }),
          new ColloquyNodes(given, redis, { count: 4, placed: false }),
          new ColloquyNodes(given, redis, { count: 4, placed: true }),
        ]
      : []),
  ];
  return {
    subjects,
    postgres: Number(readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n')[0]),
    async close() {
      await Promise.all(subjects.map((subject) => subject.stop('SIGKILL')));
      await database.close();
      await redis?.close();
      await cluster.stop();
    },
  };
}

async function makeDatabases(cluster: EmbeddedDatabase): Promise<[string, string]> {
  const sql = postgres(cluster.url, { max: 1 });
  const named = (name: string) => {
    const url = new URL(cluster.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  await sql`create database bare_log`;
  await sql`create database house`;
  await sql.end();
  return [named('bare_log'), named('house')];
}

/** Signed-in people, inserted directly into the database. */
async function makePeople({ orm }: Database): Promise<{ id: string; secret: string }[]> {
  const people = Array.from({ length: crowd }, () => ({ id: newId(), secret: newSecret() }));
  const at = new Date();
  await orm.insert(users).values(
    people.map(({ id }) => ({
      id,
      email: `${id.toLowerCase()}@example.test`,
      emailKey: `${id.toLowerCase()}@example.test`,
      passwordHash: '',
      firstName: 'Ann',
      lastName: 'Test',
      createdAt: at,
      confirmedAt: at,
    })),
  );
  await orm.insert(sessions).values(
    people.map(({ id, secret }) => ({
      hash: hashOf(secret),
      id: newId(),
      userId: id,
      remember: false,
      userAgent: 'bench',
      createdAt: at,
      seenAt: at,
      provedAt: at,
    })),
  );
  return people;
}
