import { csvMark, csvRow } from '#shared/csv.ts';
import type { FindsAnswer, PlaceAt } from '#shared/finds.ts';
import type { SelectionQuery } from '#shared/meetings/meeting.ts';
import { ownName } from '#shared/meetings/own-types.ts';
import { outcomeWords } from '../annotations/said-words.ts';
import { signedIn, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { listFinds, type PageSize } from './finds.ts';

/** Places in one file: a search that finds more is narrowed, or asked page by page. */
export const mostPlacesInFile = 5000;
/** A file asks for few large pages: each asks for the rights and the words of the search again. */
const inFile: PageSize = { places: 500, batch: 500, walked: 500, counted: false };

/** Kinds whose own address opens them. */
const opened: readonly string[] = ['comment', 'outcome', 'grade'];

const header = [
  ...['Recording', 'Owner', 'Added', 'Seconds', 'Kind', 'Before', 'Words', 'After'],
  ...['Outcome', 'Grade', 'Note', 'Address'],
];

interface Around {
  typeName: (type: string) => string;
  /** Origin of the addresses of recordings. */
  origin: string;
  most?: number;
}

/** Lines of places, read page by page while they are sent; a last line says where there are more. */
export async function* linesOfPlaces(
  first: FindsAnswer,
  pageAt: (next: string) => Promise<FindsAnswer>,
  { typeName, origin, most = mostPlacesInFile }: Around,
): AsyncGenerator<string> {
  yield csvMark + csvRow(header);
  let sent = 0;
  for (let page = first; ;) {
    const recordings = new Map(page.recordings.map((one) => [one.id, one]));
    for (const { recording, kind, start, item, before, words, after, outcome, layer } of page.places) {
      if (sent === most) {
        yield csvRow([`More places: these are the first ${most}`, ...header.slice(1).map(() => '')]);
        return;
      }
      const { id, title, owner, date, review } = recordings.get(recording) ?? {};
      const annotated = item !== null && opened.includes(kind) ? `&${kind}=${item}` : '';
      yield csvRow([
        ...[title ?? '', owner?.name ?? '', date ?? '', start ?? '', kind, before, words, after],
        ...[outcome ? (outcome.label ?? typeName(outcome.type)) : '', outcome?.grade ?? '', outcome?.text ?? ''],
        id === undefined
          ? ''
          : `${origin}/meeting/${id}${layer ? `/peer/${layer.reviewId}?layer=${layer.id}${annotated}` : review ? `/peer/${review.id}` : ''}`,
      ]);
      sent += 1;
    }
    if (page.next === null) return;
    page = await pageAt(page.next);
  }
}

/** All places of a selection as CSV; refused before the first line is sent. */
export async function findsCsv(ctx: Ctx, asked: SelectionQuery): Promise<AsyncGenerator<string>> {
  await ctx.limits.take(rules.placesFile, signedIn(ctx).person.id);
  const first = await listFinds(ctx, asked, inFile);
  const { types, one } = outcomeWords[ctx.language];
  const names: Readonly<Record<string, string>> = { ...types, ...one };
  return linesOfPlaces(first, (next) => listFinds(ctx, { ...asked, after: JSON.parse(next) as PlaceAt }, inFile), {
    typeName: (type) => names[type] ?? ownName(type) ?? type,
    origin: ctx.origin(),
  });
}
