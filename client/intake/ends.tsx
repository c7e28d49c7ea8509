import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';

import { externalModel, humanModel, noModel, type CreatedView } from '#shared/intake.ts';

import { askSupportAtom } from '../support/asking.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Actions } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './dialog.module.css';
import { isInvalidTranscript, type Draft, type Failure } from './steps.ts';

const successText: Readonly<Record<string, 'success.textExternal' | 'success.textNone' | 'success.textOrdered'>> = {
  [externalModel]: 'success.textExternal',
  [humanModel]: 'success.textOrdered',
  [noModel]: 'success.textNone',
};

interface SuccessProps {
  draft: Draft;
  created: Pick<CreatedView, 'id' | 'readAs'>;
  onClose: () => void;
}

export function Success({ draft, created: { id, readAs }, onClose }: SuccessProps) {
  const { t } = useTranslation('intake');
  const navigate = useNavigate();
  return (
    <>
      <p role="status">{t(successText[draft.model] ?? 'success.text')}</p>
      {draft.invite && draft.mentor.trim() === '' && <p>{t('success.asked', { name: draft.invite.by })}</p>}
      {draft.mentor.trim() !== '' && <p>{t('success.mentor', { mentor: draft.mentor.trim() })}</p>}
      {readAs && <p>{t('success.readAs', { format: t(`format.${readAs}`) })}</p>}
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('close')}
        </Button>
        <Button
          look="primary"
          onClick={() => {
            onClose();
            void navigate(`/meeting/${encodeURIComponent(id)}`);
          }}
        >
          {t('success.open')}
        </Button>
      </Actions>
    </>
  );
}

interface FailedProps {
  failure: Failure;
  hasTranscript: boolean;
  onAgain: () => void;
  /** Null without a file. */
  onOtherFile: (() => void) | null;
  onClose: () => void;
}

const named = {
  title: 'options.name',
  lang: 'options.language',
  language: 'options.language',
  spk_num: 'options.speakers',
  numberOfSpeakers: 'options.speakers',
  vocab: 'options.vocabulary',
  vocabulary: 'options.vocabulary',
  mentor: 'options.mentor',
  transcript: 'external.file',
  transcriptType: 'external.format',
  model: 'type.label',
} as const;
const isNamed = (field: string | undefined): field is keyof typeof named => field !== undefined && field in named;

export function Failed({ failure, hasTranscript, onAgain, onOtherFile, onClose }: FailedProps) {
  const { t } = useTranslation('intake');
  const { t: shell } = useTranslation('shell');
  const ask = useSetAtom(askSupportAtom);
  const [{ message, requestId, field, looksLike }] = useState(failure);
  const report = () => {
    onClose();
    ask(t('failed.report', { message, id: requestId }));
  };
  return (
    <>
      <p className={styles.lead} role="alert">
        {t('failed.title')}
      </p>
      <p className={styles.error}>{message}</p>
      {isNamed(field) && <p>{t('failed.field', { field: t(named[field]) })}</p>}
      {message.includes('EntityTooSmall') && <p>{t('failed.entityTooSmall')}</p>}
      {hasTranscript && isInvalidTranscript(failure) && (
        <p>
          {t('failed.otherFormat')}
          {looksLike && ` ${t('failed.looksLike', { format: t(`format.${looksLike}`) })}`}
        </p>
      )}
      {requestId !== '' && (
        <div className={styles.request}>
          <p className={styles.small}>{t('failed.requestId', { id: requestId })}</p>
          <CopyButton value={requestId} label={shell('error.copyId')} />
        </div>
      )}
      <Actions>
        <Button look="quiet" onClick={report}>
          {t('failed.contact')}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {t('close')}
        </Button>
        {onOtherFile && <Button onClick={onOtherFile}>{t('otherFile')}</Button>}
        <Button look="primary" onClick={onAgain}>
          {t('failed.again')}
        </Button>
      </Actions>
    </>
  );
}
