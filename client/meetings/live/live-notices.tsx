import { Button } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { UnsentWords } from './unsent-words.tsx';
import { CopyOffNotice } from './page-save-chip.tsx';
import type { LiveDocument } from './room.ts';
import styles from './live-notices.module.css';

interface LiveNoticesProps {
  live: LiveDocument;
  /** Opened from this browser's copy, which has no sound or pictures. */
  fromDevice: boolean;
  /** The text was closed, which is why words were not sent. */
  closed?: boolean;
}

/** Notices about a live document, besides its chip. */
export function LiveNotices({ live, fromDevice, closed = false }: LiveNoticesProps) {
  const { t } = useTranslation('document');
  return (
    <>
      {live.unsent.map((words) => (
        <UnsentWords
          key={`${words.why} ${words.generation} ${words.text}`}
          words={closed && words.why === 'access' ? { ...words, why: 'closed' } : words}
          onDone={() => void live.live.letGo(words)}
        />
      ))}
      {!live.copyBroken && <CopyOffNotice />}
      {live.copyBroken && (
        <div className={styles.line} role="alert">
          <p>{t('save.copyBroken')}</p>
          <Button onClick={() => void live.live.dropBroken().then(() => window.location.reload())}>
            {t('save.copyAnew')}
          </Button>
        </div>
      )}
      {live.ended === 'schema' && (
        <div className={styles.line} role="alert">
          <p>{t(live.state.keptHere || live.state.pending === 0 ? 'save.tooOld' : 'save.tooOldNotKept')}</p>
          <Button onClick={() => window.location.reload()}>{t('save.reload')}</Button>
        </div>
      )}
      {fromDevice && !live.state.connected && (
        <p className={styles.line} role="status">
          {t('save.fromDevice')}
        </p>
      )}
    </>
  );
}
