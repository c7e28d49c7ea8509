import {
  IconAlertCircle,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconPhoto,
  IconPresentation,
  IconRefresh,
  IconTrash,
  IconX,
} from '@tabler/icons-react';

import type { FileView } from '#shared/attachments.ts';

import { RelativeDate } from '../../../ui/dates.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useTranslation } from '../../../use-translation.ts';
import styles from './files.module.css';
import { mayRetry, type Upload } from './uploads.ts';

const icon = { size: 16, stroke: 1.5, 'aria-hidden': true } as const;
/** Larger pictures are not drawn small: they would have to be loaded whole for it. */
const mostPreviewed = 5 * 1024 * 1024;

function sizeOf(bytes: number, language: string): string {
  const [unit, one] = bytes >= 1e6 ? (['megabyte', 1e6] as const) : (['kilobyte', 1e3] as const);
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    maximumFractionDigits: unit === 'megabyte' ? 1 : 0,
  });
  return format.format(unit === 'kilobyte' ? Math.max(1, bytes / one) : bytes / one);
}

interface FileListProps {
  label: string;
  files: readonly FileView[];
  mayRemove: (file: FileView) => boolean;
  onRemove: (file: FileView) => void;
  /** Without who sent it and when, as the comment around it tells. */
  short?: boolean;
}

export function FileList({ label, files, mayRemove, onRemove, short = false }: FileListProps) {
  const { t, i18n } = useTranslation('files');
  if (files.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={label} data-short={short || undefined}>
      {files.map((file) => (
        <li key={file.id} className={styles.file}>
          <Preview file={file} />
          <span className={styles.about}>
            <a href={file.url} download={file.name} className={styles.name}>
              {file.name}
            </a>
            <span className={styles.hint}>
              {sizeOf(file.bytes, i18n.language)}
              {!short && (
                <>
                  {' · '}
                  {file.by?.name ?? t('somebody')}
                  {' · '}
                  <RelativeDate at={new Date(file.at)} />
                </>
              )}
            </span>
          </span>
          {mayRemove(file) && (
            <IconButton
              label={t('delete', { name: file.name })}
              icon={<IconTrash {...icon} />}
              onClick={() => onRemove(file)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** A small picture, or an icon of its kind. */
function Preview({ file: { url, type, bytes } }: { file: FileView }) {
  const kind = kindOf(type);
  if (kind === 'picture' && bytes <= mostPreviewed)
    return <img className={styles.preview} src={url} alt="" loading="lazy" decoding="async" />;
  const Icon = icons[kind];
  return (
    <span className={styles.preview}>
      <Icon size={24} stroke={1.5} aria-hidden="true" />
    </span>
  );
}

const icons = {
  picture: IconPhoto,
  pdf: IconFileTypePdf,
  sheet: IconFileSpreadsheet,
  slides: IconPresentation,
  text: IconFileText,
};

function kindOf(type: string): keyof typeof icons {
  if (type.startsWith('image/')) return 'picture';
  if (type === 'application/pdf') return 'pdf';
  if (type.includes('spreadsheet')) return 'sheet';
  return type.includes('presentation') ? 'slides' : 'text';
}

interface UploadListProps {
  uploads: readonly Upload[];
  onRetry: (upload: Upload) => void;
  onDismiss: (upload: Upload) => void;
}

/** Files on their way, and those that did not arrive, each with the reason. */
export function UploadList({ uploads, onRetry, onDismiss }: UploadListProps) {
  const { t } = useTranslation('files');
  if (uploads.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={t('uploads')}>
      {uploads.map((upload) => {
        const { key, file, sent, failure } = upload;
        const { name } = file;
        return (
          <li key={key} className={styles.file}>
            <span className={styles.about}>
              <span className={styles.sending}>{name}</span>
              {failure === null ? (
                <progress value={sent} max={1} aria-label={t('uploading', { name })} />
              ) : (
                <span className={styles.failed} role="alert">
                  <IconAlertCircle {...icon} /> {t(`failure.${failure}`)}
                </span>
              )}
            </span>
            {failure !== null && mayRetry(failure) && (
              <IconButton
                label={t('again', { name })}
                icon={<IconRefresh {...icon} />}
                onClick={() => onRetry(upload)}
              />
            )}
            <IconButton
              label={t(failure === null ? 'cancel' : 'dismiss', { name })}
              icon={<IconX {...icon} />}
              onClick={() => onDismiss(upload)}
            />
          </li>
        );
      })}
    </ul>
  );
}
