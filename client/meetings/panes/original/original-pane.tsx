import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useMemo, useState } from 'react';
import type * as Y from 'yjs';

import {
  compareWithOriginal,
  type ComparedPiece,
  type ComparedSegment,
  type OriginalSeed,
} from '#shared/meetings/original.ts';
import { readSpeakers } from '#shared/meetings/speakers.ts';
import { textOf } from '#shared/meetings/transcript.ts';

import { useApi } from '../../../api.ts';
import { Failure } from '../../../errors/failure.tsx';
import { SwitchField } from '../../../ui/field.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { useLater } from '../../base/use-later.ts';
import { useShared } from '../../base/use-shared.ts';
import styles from './original-pane.module.css';

/** Original transcript (version 0), read-only, with later changes highlighted word by word. */
export function OriginalPane() {
  const { t } = useTranslation('original');
  const { about } = useMeeting();
  const { doc } = useDocument();
  const timed = useTimed(doc);
  const api = useApi();
  const { data, error, refetch } = useQuery({
    // A new generation of the document begins with another text; speech that is recognized later adds a seed.
    queryKey: ['meeting', about.id, 'original', doc.guid, timed],
    queryFn: async ({ signal }) => ({
      ...(await parseResponse(api.meetings[':id'].original.$get({ param: { id: about.id } }, { init: { signal } }))),
      timed,
    }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before, query) => (query?.queryKey[3] === doc.guid ? before : undefined),
  });
  const arriving = useMemo(() => new Set(timed.filter((seed) => data?.timed.includes(seed) === false)), [timed, data]);
  if (data) return <Compared seeds={data.seeds} arriving={arriving} />;
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return <Waiting label={t('loading')}>{null}</Waiting>;
}

const inOrder = (one: number, other: number) => one - other;

/** Client ids whose text has times: those of all seeds, and maybe of people. */
function useTimed(doc: Y.Doc): number[] {
  const timings = doc.getMap('timings');
  return useShared(timings, () => [...timings.keys()].map(Number).toSorted(inOrder));
}

interface ComparedProps {
  seeds: readonly OriginalSeed[];
  /** Seeds whose text is in the document already, and which are being read from the log. */
  arriving: ReadonlySet<number>;
}

function Compared({ seeds, arriving }: ComparedProps) {
  const { t } = useTranslation('original');
  const { doc } = useDocument();
  const shared = useMemo(() => [textOf(doc)], [doc]);
  const read = useMemo(() => () => compareWithOriginal(doc, seeds, arriving), [doc, seeds, arriving]);
  const segments = useLater(shared, read);
  const speakers = useShared(
    doc.getMap('speakers'),
    () => new Map(readSpeakers(doc).map(({ id, name }) => [id, name])),
  );
  const [changedOnly, setChangedOnly] = useState(true);
  if (seeds.length === 0) return <p className={styles.how}>{t('none')}</p>;
  if (!segments) return <Waiting label={t('loading')}>{null}</Waiting>;
  const shown = changedOnly ? segments.filter(({ changed }) => changed) : segments;
  return (
    <div className={styles.original}>
      <p className={styles.how}>{t('how')}</p>
      <SwitchField label={t('changedOnly')} checked={changedOnly} onChange={setChangedOnly} />
      {shown.length === 0 ? (
        <p className={styles.how}>{t('unchanged')}</p>
      ) : (
        <ol className={styles.segments}>
          {shown.map((segment, place) => (
            <Segment key={segment.id ?? `head ${place}`} segment={segment} name={speakers.get(segment.speaker) ?? ''} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Segment({ segment: { pieces }, name }: { segment: ComparedSegment; name: string }) {
  return (
    <li className={styles.segment}>
      {name !== '' && <p className={styles.name}>{name}</p>}
      <p className={styles.text}>
        {pieces.map((piece, place) => (
          // The index is a stable key: the order of pieces never changes.
          <Piece key={place} {...piece} />
        ))}
      </p>
    </li>
  );
}

function Piece({ kind, text }: ComparedPiece) {
  const { t } = useTranslation('original');
  if (kind === 'same') return text;
  const Element = kind === 'gone' ? 'del' : 'ins';
  return (
    <Element className={styles[kind]}>
      <span className={styles.said}>{t(kind)} </span>
      {text}
    </Element>
  );
}
