import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, useLocation, useParams } from 'react-router-dom';

import { guidePart, isGuidePage, otherNames, type GuideBlock, type GuidePage, type GuidePart } from '#shared/guide.ts';

import { Failure } from '../errors/failure.tsx';
import { guidePath, paths } from '../paths.ts';
import { ButtonLink } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { loadGuide } from './guide.ts';
import styles from './help.module.css';
import { useLabels } from './use-labels.ts';

export default function GuideScreen() {
  const { page } = useParams();
  const other = otherNames.get(page ?? '');
  if (other !== undefined) return <Navigate to={guidePath(other)} replace />;
  return isGuidePage(page) ? <Page page={page} /> : <Navigate to={paths.help} replace />;
}

/** One page of the guide. */
function Page({ page }: { page: GuidePage }) {
  const { t } = useTranslation('help');
  const labels = useLabels();
  const language = labels?.language ?? 'en';
  const { data, error, refetch } = useQuery({
    queryKey: ['guide', language, page],
    queryFn: () => loadGuide(language, page),
    enabled: labels !== null,
    staleTime: Infinity,
  });
  const { hash, key } = useLocation();
  const shown = data !== undefined && labels !== null;
  // The heading that an answer of support leads to is there only now; the key lets the same link lead to it again.
  useEffect(() => {
    if (shown && hash !== '') document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [shown, hash, key]);
  if (error) return <Failure page error={error} onRetry={() => void refetch()} />;
  if (!data || !labels) return <PageBones />;
  return (
    <article className={`${styles.page} ${styles.guide}`}>
      {data.map((block, nth) => (
        <Block key={nth} block={block} labelOf={labels.labelOf} />
      ))}
      <ButtonLink to={paths.help} look="quiet" icon={<IconArrowLeft size={18} stroke={1.5} aria-hidden="true" />}>
        {t('title')}
      </ButtonLink>
    </article>
  );
}

type LabelOf = (key: string) => string;

function Block({ block: { kind, lines, part }, labelOf }: { block: GuideBlock; labelOf: LabelOf }) {
  const [first = []] = lines;
  switch (kind) {
    case 'title':
      return (
        <PageTitle>{first.map((part) => (part.kind === 'label' ? labelOf(part.key) : part.text)).join('')}</PageTitle>
      );
    case 'heading':
      return (
        <h2 id={guidePart(part)}>
          <Line parts={first} labelOf={labelOf} />
        </h2>
      );
    case 'paragraph':
      return (
        <p>
          <Line parts={first} labelOf={labelOf} />
        </p>
      );
    case 'list':
      return (
        <ul>
          {lines.map((parts, nth) => (
            <li key={nth}>
              <Line parts={parts} labelOf={labelOf} />
            </li>
          ))}
        </ul>
      );
  }
}

function Line({ parts, labelOf }: { parts: readonly GuidePart[]; labelOf: LabelOf }) {
  return parts.map((part, nth) => {
    if (part.kind === 'label') return <strong key={nth}>{labelOf(part.key)}</strong>;
    return part.kind === 'keys' ? <kbd key={nth}>{part.text}</kbd> : <span key={nth}>{part.text}</span>;
  });
}
