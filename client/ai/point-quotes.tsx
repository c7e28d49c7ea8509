import { useTranslation } from '../use-translation.ts';
import { Quotes } from './checked-part.tsx';
import styles from './suggestions.module.css';
import { useLoadedDrafts } from './use-drafts.ts';

/** Words that prove a point which the person took from a draft. */
export default function PointQuotes({ id }: { id: string }) {
  const { t } = useTranslation('drafts');
  const draft = useLoadedDrafts('summary')?.drafts.find((one) => one.id === id && one.state !== 'open');
  if (!draft) return null;
  return (
    <div role="group" aria-label={t('plays')} className={styles.proof}>
      <Quotes quotes={draft.quotes} />
    </div>
  );
}
