import { useRef, useState } from 'react';

import { allExtensions } from '#shared/intake.ts';
import { serviceNames, type ServiceId } from '#shared/meeting-services.ts';

import { Button } from '../ui/button.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './dialog.module.css';
import { transcriptFiles, type FileError } from './file-rules.ts';

const list = allExtensions.join(', ');
const transcripts = transcriptFiles.AUTO.join(', ');
const accept = [...allExtensions, ...transcriptFiles.AUTO].map((extension) => `.${extension}`).join(',');

interface UploadFormProps {
  error: FileError | null;
  /** Minutes that a team permits, where the file is longer. */
  mins: number | undefined;
  /** The meeting services that are configured. */
  imports: readonly ServiceId[];
  onFile: (file: File) => void;
  /** Uploads the refused file in spite of the warning. */
  onAnyway: () => void;
  onImport: (service: ServiceId) => void;
  onOnlyTranscript: () => void;
  /** Asks another person for a recording; null where that is not offered. */
  onAsk: (() => void) | null;
}

export function UploadForm({
  error,
  mins,
  imports,
  onFile,
  onAnyway,
  onImport,
  onOnlyTranscript,
  onAsk,
}: UploadFormProps) {
  const { t } = useTranslation('intake');
  const phone = usePhone();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  return (
    <>
      <div
        className={styles.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const [file] = event.dataTransfer.files;
          if (file) onFile(file);
        }}
      >
        <p className={styles.lead}>{t(phone ? 'dropTouch' : 'drop')}</p>
        <input
          ref={input}
          className={styles.input}
          type="file"
          accept={accept}
          tabIndex={-1}
          aria-label={t('choose')}
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            // Else choosing the same file again would be no change.
            event.currentTarget.value = '';
            if (file) onFile(file);
          }}
        />
        <Button look="primary" data-autofocus onClick={() => input.current?.click()}>
          {t('choose')}
        </Button>
        <p className={styles.small}>{t('accepted', { list })}</p>
        <p className={styles.small}>{t('acceptedTranscripts', { list: transcripts })}</p>
      </div>
      {error !== null && (
        <p className={styles.error} role="alert">
          {t(`file.${error}`, { list, mins: mins ?? 0 })}
        </p>
      )}
      {error === 'arf' && (
        <Button look="quiet" onClick={onAnyway}>
          {t('anyway')}
        </Button>
      )}
      {imports.length > 0 && (
        <div className={styles.imports}>
          {imports.map((service) => (
            <Button key={service} wide onClick={() => onImport(service)}>
              {t('import.from', { service: serviceNames[service] })}
            </Button>
          ))}
        </div>
      )}
      <Button look="quiet" onClick={onOnlyTranscript}>
        {t('onlyTranscript')}
      </Button>
      {onAsk && (
        <Button look="quiet" onClick={onAsk}>
          {t('ask.open')}
        </Button>
      )}
    </>
  );
}
