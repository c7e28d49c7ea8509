import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { SessionView } from '#shared/accounts.ts';

import { useApi } from '../../api.ts';
import { useNotify } from '../../store.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { RelativeDate } from '../../ui/dates.tsx';
import { useTranslation } from '../../use-translation.ts';
import { deviceOf } from './device.ts';
import styles from './profile.module.css';
import { Pending, Section } from './section.tsx';

const placesKey = ['sessions'] as const;

/** The person's sessions, and a button that ends all others. */
export function Places() {
  const { t } = useTranslation('profile');
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const places = useQuery({
    queryKey: placesKey,
    queryFn: ({ signal }) => parseResponse(api.sessions.$get({}, { init: { signal } })),
  });
  const leave = useMutation({
    mutationFn: () => api.logout.others.$post(),
    onSuccess: async () => {
      notify({ type: 'info', message: t('places.done') });
      await queries.invalidateQueries({ queryKey: placesKey });
    },
  });
  if (!places.data) {
    return (
      <Section title={t('places.title')}>
        <Pending error={places.error} onRetry={() => void places.refetch()} />
      </Section>
    );
  }
  const sessions = places.data.sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
  return (
    <Section title={t('places.title')}>
      <ul className={styles.list}>
        {sessions.map((place) => (
          <Place key={place.id} place={place} />
        ))}
      </ul>
      {sessions.length > 1 ? (
        <Button busy={leave.isPending} onClick={() => leave.mutate()}>
          {t('places.elsewhere')}
        </Button>
      ) : (
        <p className={styles.muted}>{t('places.alone')}</p>
      )}
    </Section>
  );
}

function Place({ place }: { place: SessionView }) {
  const { t } = useTranslation('profile');
  const { browser, system, handheld } = deviceOf(place.userAgent);
  const Icon = handheld ? IconDeviceMobile : IconDeviceDesktop;
  const name = browser && system ? t('places.device', { browser, system }) : (browser ?? system ?? t('places.unknown'));
  return (
    <li>
      <Icon size={20} stroke={1.5} aria-hidden="true" />
      <div>
        <p className={styles.name}>
          {name}
          {place.current && <Chip tone="accent">{t('places.here')}</Chip>}
        </p>
        <p className={styles.muted}>
          {t('places.seen')} <RelativeDate at={new Date(place.seen)} />
        </p>
      </div>
    </li>
  );
}
