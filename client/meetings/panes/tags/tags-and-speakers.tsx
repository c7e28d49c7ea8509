import { useTranslation } from '../../../use-translation.ts';
import { SpeakerList } from '../speakers/speaker-list.tsx';
import styles from './tags-and-speakers.module.css';
import { Tags } from './tags.tsx';

/** Speakers and tags of the recording. */
export function TagsAndSpeakers() {
  const { t } = useTranslation('speakers');
  return (
    <div className={styles.page}>
      <section className={styles.part} aria-labelledby="speakers-here">
        <h2 id="speakers-here">{t('title')}</h2>
        <SpeakerList />
      </section>
      <section className={styles.part} aria-labelledby="tags-here">
        <h2 id="tags-here">{t('tags.title')}</h2>
        <Tags />
      </section>
    </div>
  );
}
