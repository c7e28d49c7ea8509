import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { loadRoom } from '#db/updates.ts';
import { Provider, type ClientWorld } from '#sync/client/provider.ts';
import { unpackUpdates } from '#sync/protocol.ts';

interface EditorOptions {
  /** `<meeting>/<part>`. */
  room: string;
  /** Where to connect, asked each time anew: who lost one process may come back to another. */
  at(): string;
  ticket?: string;
  headers?: Record<string, string>;
  /** Comes back with a tenth of the patience, for tests in which everything is killed many times. */
  hasty?: boolean;
}

/** Our own client over a real socket, and hands that type numbered tokens. */
export class Editor {
  readonly doc = new Y.Doc();
  readonly provider: Provider;
  /** The codes of all closes so far. */
  readonly closes: number[] = [];
  /** When each connection was asked for. */
  readonly attempts: number[] = [];
  /** When a byte last came. */
  heard = 0;
  socket: WebSocket | null = null;
  /** In the order they were typed; each is one update. */
  readonly typed: string[] = [];
  private readonly name: string;

  constructor(options: EditorOptions) {
    this.name = (editors += 1).toString(36);
    this.provider = new Provider({ room: options.room, doc: this.doc, world: this.world(options), offline: null });
    open.add(this);
  }

  private world({ at, ticket, headers, hasty }: EditorOptions): ClientWorld {
    return {
      now: () => Date.now(),
      random: () => Math.random() * (hasty ? 0.1 : 1),
      later: (ms, work) => {
        const timer = setTimeout(work, ms);
        return { cancel: () => clearTimeout(timer) };
      },
      connect: (path, events) => {
        this.attempts.push(performance.now());
        const url = `${at().replace('http', 'ws')}/sync/${path}${ticket ? `&ticket=${ticket}` : ''}`;
        const socket = new WebSocket(url, { perMessageDeflate: false, headers: headers ?? {} });
        this.socket = socket;
        socket.on('open', () => events.open());
        socket.on('message', (bytes: Buffer) => {
          this.heard = performance.now();
          events.message(bytes);
        });
        socket.on('error', () => {});
        socket.on('close', (code) => {
          this.closes.push(code);
          events.closed(code);
        });
        return {
          send: (bytes) => socket.readyState === WebSocket.OPEN && socket.send(bytes),
          close: () => socket.terminate(),
        };
      },
    };
  }

  get text(): Y.Text {
    return this.doc.getText('text');
  }

  /** One token, somewhere: no two people write at the same place all the time. */
  type(): string {
    const token = `${this.name}.${this.typed.length}`;
    this.typed.push(token);
    const content = this.text.toString();
    let at = Math.floor(Math.random() * (content.length + 1));
    while (at < content.length && content[at] !== '[') at += 1;
    this.text.insert(at, `[${token}]`);
    return token;
  }

  /** Those the server has said to be durable. */
  get saved(): string[] {
    return this.typed.slice(0, this.typed.length - this.provider.pending);
  }

  close(): void {
    open.delete(this);
    this.provider.destroy();
    this.socket?.terminate();
  }
}

let editors = 0;
const open = new Set<Editor>();

/** For `afterEach`. */
export function closeEditors(): void {
  for (const editor of open) editor.close();
}

/** Waits as long as the test may last. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(20);
}

export const synced = (all: readonly Editor[]): Promise<void> =>
  until(() => all.every(({ provider }) => provider.synced));

/** All that was typed is durable, and everybody sees the same. */
export async function settled(all: readonly Editor[]): Promise<void> {
  await until(() => all.every(({ provider }) => provider.synced && provider.pending === 0));
  const content = () => new Set(all.map(({ text }) => text.toString()));
  await until(() => content().size === 1);
}

/** Everybody types, a token each `every` milliseconds, until told to stop. */
export function typing(all: readonly Editor[], every = 30): { stop(): Promise<void> } {
  let going = true;
  const hands = all.map(async (editor) => {
    await sleep(Math.random() * every);
    while (going && open.has(editor)) {
      editor.type();
      await sleep(every);
    }
  });
  return {
    stop: async () => {
      going = false;
      await Promise.all(hands);
    },
  };
}

/** Each token of a text, as often as it is there. */
export const tokensIn = (text: string): string[] => [...text.matchAll(/\[([\w.]+)\]/g)].map(([, token]) => token ?? '');

/** What the log holds of a room, read as a process that never had it would. */
export async function stored(sql: Sql, room: string): Promise<{ doc: Y.Doc; text: string }> {
  const found = await loadRoom(sql, room);
  const doc = new Y.Doc();
  if (found?.snapshot) Y.applyUpdate(doc, found.snapshot.bytes);
  for (const { bytes } of found?.updates ?? []) for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
  return { doc, text: doc.getText('text').toString() };
}

/** Which of the tokens are missing, and which are there more than once. */
export function difference(text: string, tokens: readonly string[]): { missing: string[]; doubled: string[] } {
  const there = new Map<string, number>();
  for (const token of tokensIn(text)) there.set(token, (there.get(token) ?? 0) + 1);
  return {
    missing: tokens.filter((token) => !there.has(token)),
    doubled: [...there].filter(([, times]) => times > 1).map(([token]) => token),
  };
}

export const nothingWrong = { missing: [], doubled: [] };
export const typedBy = (all: readonly Editor[]): string[] => all.flatMap(({ typed }) => typed);
