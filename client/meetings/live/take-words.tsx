import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';

import { useNotify } from '../../store.ts';
import { Button } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import styles from './take-words.module.css';

/** Two ways to rescue words that cannot be sent: clipboard and file. */
export function TakeWords({ words }: { words: () => string }) {
  const { t } = useTranslation(['document', 'common']);
  const notify = useNotify();
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async () => {
    const text = words();
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    } catch {
      notify({ message: t('common:somethingWrong') });
    }
  };
  const done = copied !== null && copied === words();
  const Icon = done ? IconCheck : IconCopy;
  return (
    <div className={styles.ways}>
      <Button look="primary" onClick={() => void copy()} icon={<Icon size={18} stroke={1.5} aria-hidden="true" />}>
        <span aria-live="polite">{done ? t('common:copied') : t('common:copy')}</span>
      </Button>
      <Button
        onClick={() => download(asFile(words()), 'colloquy.txt')}
        icon={<IconDownload size={18} stroke={1.5} aria-hidden="true" />}
      >
        {t('document:save.download')}
      </Button>
    </div>
  );
}

const asFile = (text: string): Blob => new Blob([text], { type: 'text/plain;charset=utf-8' });

export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads the file later than this task, so the URL must stay valid for a while.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
