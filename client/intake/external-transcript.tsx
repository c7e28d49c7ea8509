import { useRef } from 'react';

import { transcriptTypes, type TranscriptType } from '#shared/formats/formats.ts';

import { Button } from '../ui/button.tsx';
import { SelectField, TextArea } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './dialog.module.css';
import { transcriptFiles } from './file-rules.ts';
import { useTranscriptGuess } from './transcript-guess.ts';
import { LanguageFields, MentorField, StepActions, TitleField, type OptionsProps } from './options.tsx';

/** Takes a transcript made by another program. */
export function ExternalTranscript({ draft, onChange, onNext, onBack, onCancel, models }: OptionsProps) {
  const { t } = useTranslation('intake');
  const input = useRef<HTMLInputElement>(null);
  const { transcript, transcriptType, pasted } = draft;
  const guess = useTranscriptGuess(draft);
  const unreadable = draft.unreadable ?? (guess && 'unreadable' in guess ? guess.unreadable : null);
  const list = transcriptFiles[transcriptType].map((ending) => `.${ending}`).join(', ');
  return (
    <Form onSubmit={onNext}>
      <SelectField
        label={t('external.format')}
        value={transcriptType}
        options={transcriptTypes.map((value) => ({ value, label: t(`format.${value}`) }))}
        hint={guess && 'readAs' in guess && t('success.readAs', { format: t(`format.${guess.readAs}`) })}
        error={unreadable !== null && t('external.unreadable', { message: unreadable.message })}
        onChange={(value) => onChange({ transcriptType: value as TranscriptType })}
      />
      {unreadable?.looksLike && (
        <Button onClick={() => unreadable.looksLike && onChange({ transcriptType: unreadable.looksLike })}>
          {t('external.readAs', { format: t(`format.${unreadable.looksLike}`) })}
        </Button>
      )}
      <div className={styles.pick}>
        <input
          ref={input}
          className={styles.input}
          type="file"
          accept=".docx,.txt,.vtt,.srt"
          tabIndex={-1}
          aria-label={t('external.file')}
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = '';
            if (file) onChange({ transcript: file });
          }}
        />
        <Button data-autofocus onClick={() => input.current?.click()}>
          {t('external.choose')}
        </Button>
        {transcript && (
          <>
            <span className={styles.small}>{t('external.chosen', { name: transcript.name })}</span>
            <Button look="quiet" onClick={() => onChange({ transcript: null })}>
              {t('external.remove')}
            </Button>
          </>
        )}
      </div>
      {!transcript && (
        <TextArea
          label={t('external.paste')}
          value={pasted}
          rows={5}
          onChange={(value) => onChange({ pasted: value })}
        />
      )}
      {draft.wrong.has('transcript') && (
        <p className={styles.error} role="alert">
          {transcript ? t('external.wrongFile', { list }) : t('external.nothing')}
        </p>
      )}
      <TitleField draft={draft} onChange={onChange} />
      <LanguageFields draft={draft} onChange={onChange} models={models} />
      <MentorField draft={draft} onChange={onChange} />
      <StepActions onBack={onBack} onCancel={onCancel} />
    </Form>
  );
}
