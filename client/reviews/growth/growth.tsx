import { IconTrendingUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSearchParams } from 'react-router-dom';

import { learnSet } from '#shared/meetings/own-types.ts';
import { linesOf, type GrowthAnswer } from '#shared/reviews/growth.ts';

import { useApi } from '../../api.ts';
import { Failure } from '../../errors/failure.tsx';
import { PlaceBar, usePlacePlayer } from '../../finding/place-player.tsx';
import { useTexts } from '../../texts.ts';
import { Empty } from '../../ui/empty.tsx';
import { SelectField } from '../../ui/field.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { GrowthFigure } from './growth-figure.tsx';
import styles from './growth.module.css';

/** Page of a person's grades over time, a figure for each competency. */
export default function Growth() {
  const { t } = useTranslation('growth');
  const ready = [useTexts('reviews'), useTexts('document'), useTexts('finding')].every(Boolean);
  const [search, setSearch] = useSearchParams();
  const person = search.get('person');
  const { data, error, refetch } = useGrowth(person);
  if (!ready || (!data && !error)) return <Bones />;
  return (
    <>
      <PageTitle lead={t('lead')}>{t('title')}</PageTitle>
      {data ? (
        <Shown data={data} asked={person} onPerson={(id) => setSearch({ person: id }, { replace: true })} />
      ) : (
        <Failure error={error} onRetry={() => void refetch()}>
          {t('failed')}
        </Failure>
      )}
    </>
  );
}

function useGrowth(person: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ['growth', person],
    queryFn: async ({ signal }) => {
      const query = person === null ? {} : { person };
      const growth = await parseResponse(api.growth.$get({ query }, { init: { signal } }));
      growth.sets.forEach(learnSet);
      return growth;
    },
    placeholderData: (before) => before,
    meta: { quiet: true },
    staleTime: 0,
  });
}

function Bones() {
  return (
    <Waiting>
      <Bone width="40%" height="2rem" />
      <Bone height="10rem" />
    </Waiting>
  );
}

interface ShownProps {
  data: GrowthAnswer;
  asked: string | null;
  onPerson: (id: string) => void;
}

function Shown({ data: { people, person, points, agreements }, asked, onPerson }: ShownProps) {
  const { t } = useTranslation('growth');
  const player = usePlacePlayer();
  const shown = people.find(({ id }) => id === person);
  if (!shown)
    return (
      <Empty title={t('emptyTitle')} icon={<IconTrendingUp size={32} stroke={1.5} />}>
        {t('emptyText')}
      </Empty>
    );
  // The choice stands while its points are on their way.
  const chosen = people.find(({ id }) => id === asked) ?? shown;
  return (
    <>
      {people.length > 1 ? (
        <div className={styles.person}>
          <SelectField
            label={t('person')}
            options={people.map(({ id, name }) => ({ value: id, label: name }))}
            value={chosen.id}
            onChange={onPerson}
          />
        </div>
      ) : (
        <p>{t('personIs', { name: shown.name })}</p>
      )}
      {points.length === 0 ? (
        <p>{t('none')}</p>
      ) : (
        <>
          <p className={styles.key}>{t('key')}</p>
          <div className={styles.figures}>
            {linesOf(points).map((line) => (
              <GrowthFigure
                key={line.type}
                line={line}
                points={points}
                agreement={agreements.find(({ type }) => type === line.type)}
                player={player}
              />
            ))}
          </div>
        </>
      )}
      <PlaceBar player={player} />
    </>
  );
}
