import { IconDownload } from '@tabler/icons-react';
import { useCallback, type ReactNode } from 'react';

import type { UnsentWords as Words } from './room.ts';

import { Button } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import styles from './unsent-words.module.css';
import { download, TakeWords } from './take-words.tsx';

interface UnsentWordsProps {
  words: Words;
  onDone: () => void;
  /** Better way out than a copy, if there is one. */
  children?: ReactNode;
}

/** Words that can never be sent: shown until the person has copied them. */
export function UnsentWords({ words, onDone, children }: UnsentWordsProps) {
  const { t } = useTranslation('document');
  const { why, text, of = 'text', voices = [], others = 0 } = words;
  const reason = why === 'session' || why === 'schema' ? 'refused' : why;
  return (
    <section className={styles.left} role="alert">
      <h2>{t(`left.title.${of}`)}</h2>
      <p>{t(`left.why.${reason}`)}</p>
      {text !== '' && (
        <textarea
          className={styles.words}
          readOnly
          rows={of === 'point' ? 2 : 4}
          aria-label={t(`left.words.${of}`)}
          value={text}
        />
      )}
      {voices.map((voice, i) => (
        <UnsentVoiceNote key={i} voice={voice} />
      ))}
      {others > 0 && <p>{t('left.others', { count: others })}</p>}
      <div className={styles.ways}>
        {children}
        {text !== '' && <TakeWords words={() => text} />}
        <Button look="quiet" onClick={onDone}>
          {t('left.done')}
        </Button>
      </div>
    </section>
  );
}

/** Plays an unsent voice note and offers it as a file. */
function UnsentVoiceNote({ voice }: { voice: Blob }) {
  const { t } = useTranslation('document');
  const label = t('left.voice');
  const put = useCallback(
    (place: HTMLDivElement | null) => {
      if (!place) return undefined;
      const url = URL.createObjectURL(voice);
      const element = document.createElement('audio');
      element.controls = true;
      element.src = url;
      element.setAttribute('aria-label', label);
      place.append(element);
      return () => {
        element.remove();
        URL.revokeObjectURL(url);
      };
    },
    [voice, label],
  );
  const kind = /^audio\/([a-z0-9]+)/.exec(voice.type)?.[1] ?? 'webm';
  return (
    <div className={styles.ways}>
      <div ref={put} />
      <Button
        onClick={() => download(voice, `colloquy.${kind}`)}
        icon={<IconDownload size={18} stroke={1.5} aria-hidden="true" />}
      >
        {t('save.download')}
      </Button>
    </div>
  );
}
