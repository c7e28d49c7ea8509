import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { TransactionSql } from 'postgres';
import * as Y from 'yjs';
import type { z } from 'zod';
import { checksum } from '#db/updates.ts';
import { emailKey } from '#shared/accounts.ts';
import {
  annotationsContent,
  historyLine,
  recordingContent,
  type AnnotationsContent,
  type HistoryLine,
  type Manifest,
  type RecordingContent,
} from '#shared/archive-content.ts';
import { attachmentIdIn, attachmentPath } from '#shared/attachments.ts';
import { newId } from '#shared/ids.ts';
import {
  rootOf,
  writeAnnotation,
  type AnnotationKind,
  type AnnotationOf,
  type Author,
} from '#shared/meetings/annotations.ts';
import { parseNotes, writeNotes } from '#shared/meetings/notes.ts';
import type { Part } from '#shared/meetings/parts.ts';
import { writeSummary } from '#shared/meetings/summary.ts';
import { packUpdates, unpackUpdates } from '#sync/protocol.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { House } from '../context.ts';
import { updateProjection } from '../rooms/projection.ts';
import { jsonOf } from './check.ts';
import { idOf } from './ids.ts';
import { setsHere, storeSets } from './import-sets.ts';
import { DamagedZip, type ZipReader } from './read-zip.ts';

// Makes recordings of an archive in this house, for one person. Nobody else gets a permission by it, and an id in the
// archive names nobody here: people are matched by confirmed address, and all others stay as names.

type Importing = Pick<House, 'db' | 'store' | 'documents' | 'wholes' | 'rooms' | 'clock'>;

/** Bytes of one file of text. */
const longestText = 256 * 1024 * 1024;

interface Imported {
  made: string[];
  /** Recordings that an earlier import of the same archive has made. */
  there: number;
  /** Whether what only the maker could see came along: their account is the owner. */
  withPrivate: boolean;
}

/** An unconfirmed address gives null. */
export async function importArchive(
  house: Importing,
  zip: ZipReader,
  manifest: Manifest,
  owner: string,
): Promise<Imported | null> {
  const [ownerId] = (await peopleBy(house, [owner])).values();
  if (ownerId === undefined) return null;
  const withPrivate = emailKey(manifest.by.email) === emailKey(owner);
  const imported: Imported = { made: [], there: 0, withPrivate };
  for (const { id } of manifest.recordings) {
    // So a second import finds what the first one made, and files that it left.
    const to = idOf(manifest.id, id, ownerId);
    const [there] = await house.db.sql`select 1 from meetings where id = ${to}`;
    if (there) imported.there += 1;
    else {
      const source = new Source(zip, manifest, `recordings/${id}`);
      await importOne(house, source, { from: id, to, ownerId, withPrivate });
      imported.made.push(to);
    }
  }
  return imported;
}

/** Ids of accounts by the address that they have confirmed. */
async function peopleBy({ db }: Pick<House, 'db'>, addresses: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.sql<{ id: string; key: string }[]>`
    select id, email_key as key from users
    where confirmed_at is not null and email_key = any(${addresses.map(emailKey)}::text[])`;
  return new Map(rows.map(({ id, key }) => [key, id]));
}

/** The files of one recording, each compared with its sum. */
class Source {
  readonly #zip: ZipReader;
  readonly #sums: ReadonlyMap<string, string>;
  readonly #folder: string;

  constructor(zip: ZipReader, manifest: Manifest, folder: string) {
    this.#zip = zip;
    this.#sums = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
    this.#folder = folder;
  }

  async bytes(name: string): Promise<Buffer> {
    const path = `${this.#folder}/${name}`;
    const bytes = await this.#zip.readWhole(path, longestText);
    this.check(name, createHash('sha256').update(bytes).digest());
    return bytes;
  }

  check(name: string, sha256: Buffer): void {
    const path = `${this.#folder}/${name}`;
    if (this.#sums.get(path) !== sha256.toString('hex')) throw new DamagedZip(`${path} differs from the manifest`);
  }

  async json<S extends z.ZodType>(name: string, schema: S): Promise<z.output<S>> {
    return this.shaped(name, (await this.bytes(name)).toString('utf8'), schema);
  }

  shaped<S extends z.ZodType>(name: string, text: string, schema: S): z.output<S> {
    const parsed = schema.safeParse(jsonOf(text));
    if (!parsed.success) throw new DamagedZip(`${this.#folder}/${name} has another shape`);
    return parsed.data;
  }

  stream = (name: string): Readable => Readable.from(this.#zip.read(`${this.#folder}/${name}`), { objectMode: false });
}

interface Target {
  from: string;
  to: string;
  ownerId: string;
  withPrivate: boolean;
}

async function importOne(house: Importing, source: Source, target: Target): Promise<void> {
  const about = await source.json('recording.json', recordingContent);
  const annotations = await source.json('annotations.json', annotationsContent);
  const { sets, typeHere } = await setsHere(house, annotations.sets);
  const matched = await peopleBy(
    house,
    about.people.flatMap(({ email }) => email ?? []),
  );
  const ids = new Map(
    about.people.flatMap(({ id, email }) => {
      const found = email === null ? undefined : matched.get(emailKey(email));
      return found === undefined ? [] : [[id, found] as const];
    }),
  );
  const transcript = about.history ? await logOf(house, source, about, ids) : await seedOf(house, source, about);
  // Without the maker's private annotations, their files stay in the archive too.
  const hidden = [...annotations.outcomes, ...annotations.comments].filter((one) => one.private && !target.withPrivate);
  const files = await storeFiles(house, source, about, { ...target, hidden: new Set(hidden.map(({ id }) => id)) });
  const rooms = await roomsOf(source, annotations, { ...target, ids, files, typeHere });
  try {
    await house.db.sql.begin(async (tx) => {
      const { to, ownerId } = target;
      await tx`
        insert into meetings (id, owner_id, created_at, closed_at, closed_version)
        values (${to}, ${ownerId}, ${about.createdAt}::timestamptz, ${about.closedAt}::timestamptz,
          ${about.closedAt === null ? null : transcript.base + transcript.seq}::bigint)`;
      await storeSets(tx, to, sets, house.clock.now());
      await storeTranscript(tx, to, transcript);
      for (const one of about.history?.origins ?? [])
        await tx`
          insert into room_origins (room, generation, from_generation, from_seq)
          values (${roomName(to, 'transcript', null)}, ${one.generation}, ${one.fromGeneration}, ${one.fromSeq})`;
      for (const { name, ...of } of about.history?.names ?? [])
        await tx`
          insert into version_names (meeting_id, version, name, user_id, at)
          values (${to}, ${of.version}, ${name}, ${ids.get(of.by) ?? nobodyHere(of.by)}, ${of.at}::timestamptz)`;
      for (const room of rooms) await storeRoom(tx, target, room, house.clock.now());
      for (const [was, file] of files) await storeRow(tx, target, { was, ...file }, about, ids);
      for (const id of new Set(ids.values()))
        await tx`insert into item_authors (meeting_id, user_id) values (${to}, ${id})`;
    });
  } catch (error) {
    for (const { storeKey } of files.values()) await house.store.remove(storeKey).catch(() => {});
    throw error;
  }
  await updateProjection(house, target.to);
}

/** Id of a person who is unknown here; no account ever has it. */
const nobodyHere = (id: string): string => `imported:${id}`;

interface Transcript {
  generation: number;
  seq: number;
  base: number;
  lines: (Omit<HistoryLine, 'bytes'> & { bytes: Uint8Array })[];
  /** Client ids in the document, which belong to nobody. */
  clientIds: readonly number[];
}

/** The log as it was, once each of its documents is proved. */
async function logOf(
  house: Importing,
  source: Source,
  { generation, history, id }: RecordingContent,
  ids: ReadonlyMap<string, string>,
): Promise<Transcript> {
  const text = (await source.bytes('history.jsonl')).toString('utf8');
  const lines = text.split('\n').flatMap((line): Transcript['lines'] => {
    if (line === '') return [];
    const { bytes, by, ...rest } = source.shaped('history.jsonl', line, historyLine);
    const who = by === null ? null : (ids.get(by) ?? nobodyHere(by));
    return [{ ...rest, by: who, bytes: Buffer.from(bytes, 'base64') }];
  });
  let clientIds: readonly number[] = [];
  let seq = 0;
  let base = 0;
  const numbers = [...new Set(lines.map((line) => line.generation))];
  for (const number of numbers) {
    const own = lines.filter((line) => line.generation === number);
    if (number > generation || own.some((line, nth) => line.seq !== nth + 1))
      throw new DamagedZip(`the history of ${id} has a gap`);
    ({ clientIds } = await proved(
      house,
      own.flatMap(({ bytes }) => unpackUpdates(bytes)),
      number,
    ));
    if (number === generation) seq = own.length;
    else base += own.length;
  }
  if (seq !== history?.seq || base !== history.base) throw new DamagedZip(`the history of ${id} is not whole`);
  return { generation, seq, base, lines, clientIds };
}

/** A document without its history is the first of its own. */
async function seedOf(
  house: Importing,
  source: Source,
  { generation, createdAt }: RecordingContent,
): Promise<Transcript> {
  const { seed, clientIds } = await proved(house, [await source.bytes('document.yjs')], generation);
  const line = { generation: 1, seq: 1, by: null, at: createdAt, clients: [...clientIds], bytes: packUpdates([seed]) };
  const isEmpty = clientIds.length === 0;
  return { generation: 1, seq: isEmpty ? 0 : 1, base: 0, lines: isEmpty ? [] : [line], clientIds };
}

const proved = ({ wholes, rooms }: Importing, pieces: Uint8Array[], generation: number) =>
  wholes.do('copied', pieces, { generation, title: null, removeMarkup: false, limits: rooms.limits });

async function storeTranscript(tx: TransactionSql, to: string, of: Transcript): Promise<void> {
  if (of.lines.length === 0) return;
  const name = roomName(to, 'transcript', null);
  const at = of.lines[0]?.at ?? '';
  await tx`
    insert into rooms (name, meeting_id, part, generation, seq, base, created_at)
    values (${name}, ${to}, 'transcript', ${of.generation}, ${of.seq}, ${of.base}, ${at}::timestamptz)`;
  for (const line of of.lines) {
    const bytes = Buffer.from(line.bytes);
    await tx`
      insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
      values (${name}, ${line.generation}, ${line.seq}, ${line.by},
        string_to_array(nullif(${line.clients.join(',')}, ''), ',')::bigint[], ${bytes},
        ${checksum(name, line.generation, line.seq, bytes)}, ${line.at}::timestamptz)`;
  }
  await tx`
    insert into room_clients (room, generation, client_id, user_id, at)
    select ${name}, 0, k.id, '', ${at}::timestamptz from unnest(string_to_array(${of.clientIds.join(',')}, ',')::bigint[]) as k(id)`;
}

interface StoredFile {
  kind: 'media' | 'attachments';
  id: string;
  storeKey: string;
}

/** Puts the files into the store; rows by the id that each has in the archive. */
async function storeFiles(
  { store }: Importing,
  source: Source,
  { media, attachments }: RecordingContent,
  { to, hidden }: Target & { hidden: ReadonlySet<string> },
): Promise<Map<string, StoredFile>> {
  const files = new Map<string, StoredFile>();
  const ofRecording = attachments.filter(({ layer }) => layer === null);
  const wanted = { media, attachments: ofRecording.filter(({ item }) => item === null || !hidden.has(item)) };
  for (const kind of ['media', 'attachments'] as const)
    for (const { id, path } of wanted[kind]) {
      if (path === null) continue;
      const storeKey = idOf(to, kind, id);
      files.set(id, { kind, id: newId(), storeKey });
      try {
        const { sha256 } = await store.put(storeKey, source.stream(path));
        source.check(path, sha256);
      } catch (error) {
        for (const one of files.values()) await store.remove(one.storeKey).catch(() => {});
        throw error;
      }
    }
  return files;
}

async function storeRow(
  tx: TransactionSql,
  { to }: Target,
  { was, kind, id, storeKey }: StoredFile & { was: string },
  about: RecordingContent,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  if (kind === 'media') {
    const one = about.media.find((medium) => medium.id === was);
    if (one)
      await tx`
        insert into media (id, meeting_id, tag, name, type, bytes, duration_ms, store_key, created_at)
        values (${id}, ${to}, ${one.tag}, ${one.name}, ${one.type}, ${one.bytes}, ${one.durationMs}, ${storeKey},
          ${one.createdAt}::timestamptz)`;
    return;
  }
  const one = about.attachments.find((file) => file.id === was);
  if (!one) return;
  const by = one.by === null ? null : (ids.get(one.by) ?? null);
  // A file has a name, a voice note has none.
  await tx`
    insert into attachments (id, meeting_id, user_id, type, name, bytes, duration_ms, store_key, item_kind, item_id,
      created_at, looked_at)
    values (${id}, ${to}, ${by}, ${one.type}, ${one.name === '' ? null : one.name}, ${one.bytes}, ${one.durationMs},
      ${storeKey}, ${one.kind}, ${one.item}, ${one.createdAt}::timestamptz, now())`;
}

interface MadeRoom {
  part: Part;
  bytes: Uint8Array;
}

interface Annotating extends Target {
  ids: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, StoredFile>;
  typeHere(type: string): string;
}

/** Shared annotations; with them what only the maker saw, where they are the owner. Layers of reviews stay in the file. */
async function roomsOf(
  source: Source,
  { outcomes, comments, summary }: AnnotationsContent,
  { from, to, ids, files, typeHere, withPrivate }: Annotating,
): Promise<MadeRoom[]> {
  const authorOf = ({ id, name }: Author): Author => {
    const found = ids.get(id);
    return found === undefined ? { id: '', kind: 'deleted', name } : { id: found, kind: 'user', name };
  };
  const urlOf = (url: string | null): string | null => {
    const file = files.get((url !== null && attachmentIdIn(url, from)) || '');
    return file === undefined ? null : attachmentPath(to, file.id);
  };
  const moved: { [K in AnnotationKind]: AnnotationOf[K][] } = {
    outcome: outcomes.map((one) => ({
      ...{ ...one, type: typeHere(one.type), author: authorOf(one.author), url: urlOf(one.url) },
      children: one.children.map((child) => ({ ...child, type: typeHere(child.type) })),
    })),
    comment: comments.map((one) => ({
      ...one,
      author: authorOf(one.author),
      url: urlOf(one.url),
      resolved: one.resolved && { ...one.resolved, by: authorOf(one.resolved.by) },
    })),
  };
  const write = <K extends AnnotationKind>(doc: Y.Doc, kind: K, mine: boolean) => {
    for (const one of moved[kind])
      if (one.private === mine) writeAnnotation(doc, kind, one, mine ? 'private' : 'shared', 'import');
  };
  const rooms = [
    madeRoom(rootOf.outcome, (doc) => write(doc, 'outcome', false)),
    madeRoom(rootOf.comment, (doc) => write(doc, 'comment', false)),
  ];
  if (withPrivate) {
    const notes = parseNotes((await source.bytes('notes.json')).toString('utf8'));
    rooms.push(
      madeRoom('notes', (doc) => {
        write(doc, 'outcome', true);
        write(doc, 'comment', true);
        writeSummary(doc, 'private', summary, 'import');
        if (notes) writeNotes(doc, notes, 'import');
      }),
    );
  }
  return rooms.filter((room) => room !== null);
}

function madeRoom(part: Part, write: (doc: Y.Doc) => void): MadeRoom | null {
  const doc = new Y.Doc();
  let isChanged = false;
  doc.on('update', () => (isChanged = true));
  doc.transact(() => write(doc), 'import');
  const bytes = Y.encodeStateAsUpdate(doc);
  doc.destroy();
  return isChanged ? { part, bytes } : null;
}

async function storeRoom(
  tx: TransactionSql,
  { to, ownerId }: Target,
  { part, bytes }: MadeRoom,
  now: Date,
): Promise<void> {
  const of = part === 'notes' ? ownerId : null;
  const name = roomName(to, part, of);
  const packed = Buffer.from(packUpdates([bytes]));
  await tx`
    insert into rooms (name, meeting_id, part, owner_id, seq, created_at)
    values (${name}, ${to}, ${part}, ${of}, 1, ${now.toISOString()}::timestamptz)`;
  await tx`
    insert into room_updates (room, generation, seq, user_id, client_ids, bytes, checksum, at)
    values (${name}, 1, 1, ${of}, null, ${packed}, ${checksum(name, 1, 1, packed)}, ${now.toISOString()}::timestamptz)`;
}
