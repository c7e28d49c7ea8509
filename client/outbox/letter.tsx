import { exactDate } from '../ui/dates.tsx';
import { SafeLink } from '../ui/safe-link.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './letter.module.css';
import { ownPath } from './own-path.ts';

interface LetterProps {
  mail: { to: string; subject: string; text: string; at: string };
}

/** A mail as plain text: nothing in it runs or loads, and only links to this server are links. */
export function Letter({ mail }: LetterProps) {
  const { t, i18n } = useTranslation('outbox');
  return (
    <article className={styles.letter}>
      <h2>{mail.subject}</h2>
      <p className={styles.about}>
        {t('to', { address: mail.to })}
        <br />
        <time dateTime={mail.at}>{exactDate(new Date(mail.at), i18n.language)}</time>
      </p>
      <div className={styles.text}>
        {mail.text
          .trimEnd()
          .split('\n')
          .map((line, place) => {
            const path = ownPath(line, window.location.origin);
            // The index is a stable key: the lines of a mail never move.
            return <p key={place}>{path === null ? line : <SafeLink href={path}>{line}</SafeLink>}</p>;
          })}
      </div>
    </article>
  );
}
