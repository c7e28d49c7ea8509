import { useTranslation } from 'react-i18next';

import type { LeftWords as Words } from './room.ts';

import { Button } from '../../ui/button.tsx';
import styles from './left-words.module.css';
import { TakeWords } from './take-words.tsx';

export interface LeftWordsProps {
  words: Words;
  onDone: () => void;
}

/** Changes of one's own that can never be sent: shown until the person has taken them. */
export function LeftWords({ words, onDone }: LeftWordsProps) {
  const { t } = useTranslation('document');
  const { why, text } = words;
  const reason = why === 'session' || why === 'schema' ? 'refused' : why;
  return (
    <section className={styles.left} role="alert">
      <h2>{t('left.title')}</h2>
      <p>{t(`left.why.${reason}`)}</p>
      <textarea className={styles.words} readOnly rows={4} aria-label={t('left.words')} value={text} />
      <div className={styles.ways}>
        <TakeWords words={() => text} />
        <Button look="quiet" onClick={onDone}>
          {t('left.done')}
        </Button>
      </div>
    </section>
  );
}
