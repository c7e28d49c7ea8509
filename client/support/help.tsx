import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import { GuideIndex } from './guide-index.tsx';
import styles from './help.module.css';
import { useAskSupport } from './use-ask-support.ts';

const questions = ['noMail', 'password', 'address', 'devices', 'programs', 'leaving', 'ask'] as const;
const guides = ['students', 'mentors'] as const;

/** Frequent questions, and the guides. */
export default function Help() {
  const { t, i18n } = useTranslation(['help', 'accountType', 'support']);
  const askSupport = useAskSupport();
  return (
    <article className={styles.page}>
      <PageTitle lead={t('help:lead')}>{t('help:title')}</PageTitle>
      <GuideIndex />
      {questions.map((question) => (
        <section key={question} className={styles.part}>
          <h2>{t(`help:questions.${question}.title`)}</h2>
          <p>{t(`help:questions.${question}.text`)}</p>
        </section>
      ))}
      <section className={styles.part}>
        <h2>{t('help:guides')}</h2>
        <ul>
          {guides.map((reader) => (
            <li key={reader}>
              <a href={`/guides/${reader}.${i18n.language}.html`}>{t(`accountType:guide.${reader}.link`)}</a>
            </li>
          ))}
        </ul>
      </section>
      <Button look="quiet" onClick={askSupport}>
        {t('support:title')}
      </Button>
    </article>
  );
}
