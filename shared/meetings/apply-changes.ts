import type * as Y from 'yjs';
import { newId } from '../ids.ts';
import { readAbout, readTags, writeAbout, writeTags } from './about.ts';
import { editSegments, lineOf } from './edits.ts';
import { entryLists, hungOnWords, readEntries, writeEntries, type Entry } from './entries.ts';
import { preferenceOf, readPreferred, writePreferred } from './outcome-schema.ts';
import { rewriteSegments, seenIn, type SeenSegment, type WantedSegment } from './rewrite.ts';
import { lay, type WireWord } from './seed.ts';
import { leastUsedColor, readSpeakers, replaceSpeakers, type Speaker } from './speakers.ts';
import { Finder, standingIn } from './standing.ts';
import { withOrder } from './summary.ts';
import { setSpeaker, wellFormed } from './transcript.ts';
import type { Changes, GivenEntry, GivenSegment, GivenSpeaker } from './writing.ts';

/** The parts of a document that a change is about, as its author saw them. */
export interface Seen {
  /** Old value at each path that is replaced as a whole. */
  values: ReadonlyMap<string, unknown>;
  speakers: readonly Speaker[];
  segments: readonly SeenSegment[];
}

interface ChangeRefusal {
  path: string;
  /** Somebody else has changed it; it does not exist; or the speaker still has segments. */
  why: 'changed' | 'unknown' | 'active';
}

export function seenBy(doc: Y.Doc, { whole, parts }: Changes): Seen {
  const values = new Map<string, unknown>();
  const lists = readers(doc);
  for (const key of Object.keys(whole)) if (key in lists) values.set(key, lists[key as keyof typeof lists]());
  const ofSegments = whole.segments !== undefined || parts.some((part) => part.of === 'segments');
  const timed = whole.segments?.some(({ words }) => words) ?? false;
  return { values, speakers: readSpeakers(doc), segments: ofSegments ? seenIn(doc, timed) : [] };
}

const byId = (one: Entry, other: Entry): number => (one.id < other.id ? -1 : 1);

const readers = (doc: Y.Doc) => ({
  title: () => readAbout(doc).title,
  tags: () => readTags(doc),
  speakers: () => readSpeakers(doc),
  toc: () => readEntries(doc, 'toc').toSorted(byId),
  bookmarks: () => readEntries(doc, 'bookmarks').toSorted(byId),
  highlights: () => readEntries(doc, 'highlights').toSorted(byId),
  summary: () => readEntries(doc, 'summary').toSorted(byId),
  preferredOutcomesSchema: () => readPreferred(doc)?.schema ?? null,
  preferredOutcomesModel: () => readPreferred(doc)?.model ?? null,
});

/**
 * Writes all changes in one transaction, or returns why not; the caller then discards the transaction. A change is
 * refused only if somebody else has changed the same thing since it was seen. `generation` is that of the document, for
 * the anchors of highlights.
 */
export function applyChanges(
  doc: Y.Doc,
  generation: number,
  changes: Changes,
  seen: Seen,
  origin: unknown,
): ChangeRefusal[] {
  const { whole, parts } = changes;
  const speakers = whole.speakers ? wantedSpeakers(whole.speakers, seen.speakers) : null;
  const entries = entryLists.flatMap((list) => {
    const given: readonly GivenEntry[] | undefined = whole[list];
    const ordered = list === 'summary' && given ? withOrder(given) : given;
    const wanted = ordered?.map(entryOf);
    return wanted ? [[list, list === 'highlights' ? hungOnWords(doc, generation, wanted) : wanted] as const] : [];
  });
  const segments = whole.segments ? wantedSegments(whole.segments, seen.segments) : null;

  const refused = [
    ...changedWholes(doc, seen, {
      title: whole.title,
      tags: whole.tags,
      preferredOutcomesSchema: whole.preferredOutcomesSchema,
      preferredOutcomesModel: whole.preferredOutcomesModel,
      speakers,
      ...Object.fromEntries(entries.map(([list, wanted]) => [list, wanted.toSorted(byId)])),
    }),
    ...unknownSpeakers(doc, changes, speakers, seen),
    ...refusedParts(doc, changes, seen),
  ];
  if (refused.length > 0) return refused;

  let refusals: ChangeRefusal[] = [];
  doc.transact(() => {
    if (segments) {
      const conflicts = rewriteSegments(doc, seen.segments, segments, origin);
      if (conflicts.length > 0)
        refusals = conflicts.map((place) => ({ path: `transcript.segments[${place}]`, why: 'changed' }));
      if (refusals.length > 0) return;
    }
    writeParts(doc, changes, seen, origin);
    if (whole.title !== undefined) writeAbout(doc, { title: whole.title }, origin);
    if (whole.tags) writeTags(doc, whole.tags, origin);
    const preference = { schema: whole.preferredOutcomesSchema, model: whole.preferredOutcomesModel };
    if (preference.schema !== undefined || preference.model !== undefined)
      writePreferred(doc, preferenceOf(preference, readPreferred(doc)), origin);
    for (const [list, wanted] of entries) writeEntries(doc, list, wanted, origin);
    const changed =
      speakers ?? (parts.some((part) => part.of === 'speakers') ? speakersWith(doc, changes, seen) : null);
    if (changed && replaceSpeakers(doc, changed, origin).length > 0)
      refusals = [{ path: 'transcript.speakers', why: 'active' }];
  }, origin);
  return refusals;
}

// ---- Wanted state -------------------------------------------------------------------------------

const entryOf = (given: GivenEntry): Entry => ({ ...given, id: given.id ?? newId() });

function wantedSpeakers(given: readonly GivenSpeaker[], before: readonly Speaker[]): Speaker[] {
  const wanted: Speaker[] = [];
  for (const [i, { id = newId(), name, color, sortId }] of given.entries()) {
    const existing = before.find((one) => one.id === id);
    wanted.push({
      id,
      name,
      color: color ?? existing?.color ?? leastUsedColor(wanted),
      sortId: sortId ?? existing?.sortId ?? i,
    });
  }
  return wanted;
}

function wantedSegments(given: readonly GivenSegment[], seen: readonly SeenSegment[]): WantedSegment[] {
  const before = new Map(seen.map((segment) => [segment.id, segment]));
  let last = '';
  return given.map((one, i) => {
    const head = i === 0 && one.id === null && seen[0]?.id === null;
    const id = head ? null : (one.id ?? newId());
    const existing = before.get(id);
    last = one.speaker ?? existing?.speaker ?? last;
    return { id, speaker: last, ...saidIn(one, existing) };
  });
}

/** Text and words of a segment may disagree: the one that was changed wins. */
function saidIn({ text, words }: GivenSegment, seen: SeenSegment | undefined): Pick<WantedSegment, 'text' | 'slots'> {
  if (!words) return { text: text ?? seen?.text ?? '', slots: [] };
  const wireWords = words as readonly WireWord[];
  const laid = lay(text === undefined ? { words: wireWords } : { words: wireWords, text }, 0);
  if (text === undefined || laid.text === text || text === seen?.text) return laid;
  return { text, slots: [] };
}

/** Current speakers with the changed fields. */
function speakersWith(doc: Y.Doc, { parts }: Changes, seen: Seen): Speaker[] {
  return readSpeakers(doc).map((speaker) => {
    const fields = parts.filter(({ of, index }) => of === 'speakers' && seen.speakers[index]?.id === speaker.id);
    return { ...speaker, ...Object.fromEntries(fields.map(({ key, value }) => [key, value])) };
  });
}

// ---- Conflicts ----------------------------------------------------------------------------------

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function changedWholes(doc: Y.Doc, seen: Seen, wanted: Readonly<Record<string, unknown>>): ChangeRefusal[] {
  const now = readers(doc);
  return [...seen.values].flatMap(([key, before]): ChangeRefusal[] => {
    const current = now[key as keyof typeof now]();
    const fine = isSame(current, before) || isSame(current, wanted[key]);
    return fine ? [] : [{ path: key === 'speakers' ? 'transcript.speakers' : key, why: 'changed' }];
  });
}

function unknownSpeakers(doc: Y.Doc, { whole, parts }: Changes, wanted: Speaker[] | null, seen: Seen): ChangeRefusal[] {
  const known = new Set(['', ...[...readSpeakers(doc), ...(wanted ?? [])].map(({ id }) => id)]);
  for (const { speaker } of seen.segments) known.add(speaker);
  const named = [
    ...(whole.segments ?? []).map(({ speaker }, i) => [`transcript.segments.${i}.speaker`, speaker] as const),
    ...parts.map(
      ({ key, index, value }) =>
        [`transcript.segments[${index}].speaker`, key === 'speaker' ? String(value) : undefined] as const,
    ),
  ];
  return named.flatMap(([path, speaker]): ChangeRefusal[] =>
    speaker === undefined || known.has(speaker) ? [] : [{ path, why: 'unknown' }],
  );
}

function refusedParts(doc: Y.Doc, { parts }: Changes, seen: Seen): ChangeRefusal[] {
  if (parts.length === 0) return [];
  const finder = new Finder(standingIn(doc));
  const speakers = readSpeakers(doc);
  return parts.flatMap(({ of, index, key, value }): ChangeRefusal[] => {
    const path = `transcript.${of}[${index}].${key}`;
    const before: object | undefined = seen[of][index];
    if (!before) return [{ path, why: 'unknown' }];
    const place = of === 'segments' ? finder.same(before as SeenSegment) : null;
    const now =
      of === 'segments'
        ? place === null
          ? undefined
          : finder.now[place]
        : speakers.find(({ id }) => id === (before as Speaker).id);
    const [then, current] = [before, now].map((one) => (one as Record<string, unknown> | undefined)?.[key]);
    return now && (current === then || current === value) ? [] : [{ path, why: 'changed' }];
  });
}

function writeParts(doc: Y.Doc, { parts }: Changes, seen: Seen, origin: unknown): void {
  const now = new Finder(standingIn(doc));
  const places = parts.flatMap((part) => {
    const before = part.of === 'segments' ? seen.segments[part.index] : undefined;
    const place = before ? now.same(before) : null;
    return place === null ? [] : [{ ...part, place }];
  });
  // Texts are edited first: these positions are those of the text as it is now.
  const texts = places.flatMap(({ key, place, value }) =>
    key === 'text' ? [{ pos: place, old: wellFormed(now.now[place]?.text ?? ''), new: lineOf(String(value)) }] : [],
  );
  editSegments(doc, texts, () => null, origin);
  for (const { key, place, value } of places)
    if (key === 'speaker') setSpeaker(doc, now.now[place]?.id ?? null, 'one', String(value), origin);
}
