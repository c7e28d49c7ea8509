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
  /** Address to connect to, read anew each time: a client that lost one process may reconnect to another. */
  at(): string;
  ticket?: string;
  headers?: Record<string, string>;
  /** Reconnects after a tenth of the usual delays, for tests that kill everything many times. */
  hasty?: boolean;
}

/** Our own client over a real socket, driven by a test that types numbered tokens. */
export class Editor {
  readonly doc = new Y.Doc();
  readonly provider: Provider;
  /** Close codes of all connections so far. */
  readonly closes: number[] = [];
  /** Times at which each connection was requested. */
  readonly attempts: number[] = [];
  /** Time of the last byte received. */
  heard = 0;
  socket: WebSocket | null = null;
  /** Tokens in the order they were typed; each is one update. */
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

  /** Types one token at a changing place: people rarely all write at the same place. */
  type(): string {
    const token = `${this.name}.${this.typed.length}`;
    this.typed.push(token);
    const content = this.text.toString();
    let at = Math.floor(Math.random() * (content.length + 1));
    while (at < content.length && content[at] !== '[') at += 1;
    this.text.insert(at, `[${token}]`);
    return token;
  }

  /** Tokens that the server has confirmed as durable. */
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

/** Closes all editors; for `afterEach`. */
export function closeEditors(): void {
  for (const editor of open) editor.close();
}

/** Not an assertion: shorter than the limit of a test, so that a failed one tells what it waited for. */
const longestWait = 240_000;

/** Polls until something is so. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + longestWait;
  while (!(await what())) {
    if (performance.now() > end) throw new Error(`waited ${longestWait / 60_000} minutes for ${what.toString()}`);
    await sleep(20);
  }
}

export const synced = (all: readonly Editor[]): Promise<void> =>
  until(() => all.every(({ provider }) => provider.synced));

/** Waits until everything typed is durable and all editors show the same. */
export async function settled(all: readonly Editor[]): Promise<void> {
  await until(() => all.every(({ provider }) => provider.synced && provider.pending === 0));
  const content = () => new Set(all.map(({ text }) => text.toString()));
  await until(() => content().size === 1);
}

/** All editors type a token each `every` milliseconds, until stopped. */
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

/** Tokens in a text, with repetitions. */
export const tokensIn = (text: string): string[] => [...text.matchAll(/\[([\w.]+)\]/g)].map(([, token]) => token ?? '');

/** A room as stored in the log, read as a process that never loaded it would. */
export async function stored(sql: Sql, room: string): Promise<{ doc: Y.Doc; text: string }> {
  const found = await loadRoom(sql, room);
  const doc = new Y.Doc();
  if (found?.snapshot) Y.applyUpdate(doc, found.snapshot.bytes);
  for (const { bytes } of found?.updates ?? []) for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
  return { doc, text: doc.getText('text').toString() };
}

/** Tokens that are missing from a text, and tokens that occur more than once. */
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
