import { readableLayers } from '#db/access.ts';
import type { Database } from '#db/open.ts';

/** A person who searches. */
export interface Reader {
  id: string;
  /** Layers of reviews that they may read, each with its review. */
  layers: ReadonlyMap<string, string>;
}

/** Layers that a person may read as a request begins. */
export async function layersReadBy({ ask }: Pick<Database, 'ask'>, personId: string): Promise<Reader['layers']> {
  const rows = await ask((sql) => readableLayers(sql, personId));
  return new Map(rows.map(({ id, reviewId }) => [id, reviewId]));
}

const layerMark = 'l:';

/** Audience of rows that are made of a layer. */
export const audienceOfLayer = (layerId: string): string => `${layerMark}${layerId}`;

/** Audience of rows that one person alone reads. */
export const audienceOfPerson = (personId: string): string => `u:${personId}`;

/** Audiences of a person whatever the recording: what is private to them, and layers. */
export const ownAudiences = ({ id, layers }: Reader): string[] => [
  audienceOfPerson(id),
  ...[...layers.keys()].map(audienceOfLayer),
];

/** These, and with the right to it the transcript and the recording's own annotations. */
export const audiencesOf = (reader: Reader): string[] => ['t', 'm', ...ownAudiences(reader)];

/** The layer that a row is made of, with its review; null for another row, and for a layer that the person does not read. */
export function layerOf({ layers }: Reader, audience: string): { id: string; reviewId: string } | null {
  const id = audience.startsWith(layerMark) ? audience.slice(layerMark.length) : '';
  const reviewId = layers.get(id);
  return reviewId === undefined ? null : { id, reviewId };
}
