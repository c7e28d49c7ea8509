import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';

import { Failure } from '../errors/failure.tsx';
import { guidePath } from '../paths.ts';
import { TextField } from '../ui/field.tsx';
import { Bone } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { loadPages } from './guide.ts';
import styles from './help.module.css';
import { useLabels } from './use-labels.ts';

/** Pages of the guide; a search shows those that have all its words. */
export function GuideIndex() {
  const { t } = useTranslation('help');
  const labels = useLabels();
  const language = labels?.language ?? 'en';
  const [wanted, setWanted] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['guide', language],
    queryFn: () => loadPages(language, labels?.labelOf ?? String),
    enabled: labels !== null,
    staleTime: Infinity,
  });
  const words = wanted.toLocaleLowerCase(language).split(/\s+/).filter(Boolean);
  const found = data?.filter(({ text }) => words.every((word) => text.includes(word)));
  return (
    <section className={styles.part} aria-labelledby="guide">
      <h2 id="guide">{t('guide.title')}</h2>
      <TextField label={t('guide.search')} type="search" value={wanted} onChange={setWanted} autoComplete="off" />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!found && !error && <Bone />}
      <p role="status" className={styles.none}>
        {found?.length === 0 && t('guide.none')}
      </p>
      {found && (
        <ul>
          {found.map(({ page, title }) => (
            <li key={page}>
              <Link to={guidePath(page)}>{title}</Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
