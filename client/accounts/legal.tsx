import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './sign-in.module.css';

const sections = ['one', 'two', 'three'] as const;

/** Default legal texts, true of an unchanged installation; operators replace them. */
function Legal({ page }: { page: 'terms' | 'privacy' }) {
  const { t } = useTranslation('signIn');
  return (
    <article className={styles.prose}>
      <PageTitle>{t(`legal.${page}.title`)}</PageTitle>
      {sections.map((section) => (
        <section key={section}>
          <h2>{t(`legal.${page}.${section}Title`)}</h2>
          <p>{t(`legal.${page}.${section}`)}</p>
        </section>
      ))}
    </article>
  );
}

export const Terms = () => <Legal page="terms" />;
export const Privacy = () => <Legal page="privacy" />;
