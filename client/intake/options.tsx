import { useEffect, useRef, useState, type ClipboardEvent } from 'react';

import { longestEmail } from '#shared/email.ts';
import { externalModel, longestVocabulary, mostSpeakers, noModel } from '#shared/intake.ts';
import { longestTitle } from '#shared/meetings/about.ts';

import { Button } from '../ui/button.tsx';
import { EmailField, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { useTranslation } from '../use-translation.ts';
import { CancelButton } from './cancel-button.tsx';
import { collapsed } from './file-rules.ts';
import type { Model, StepProps } from './transcript-type.tsx';

export interface OptionsProps extends StepProps {
  models: readonly Model[];
}

export function Options({ draft, onChange, onNext, onBack, onCancel, models }: OptionsProps) {
  const { t } = useTranslation('intake');
  return (
    <Form onSubmit={onNext}>
      <TitleField draft={draft} onChange={onChange} />
      <LanguageFields draft={draft} onChange={onChange} models={models} />
      {draft.model !== noModel && (
        <TextArea
          label={t('options.vocabulary')}
          hint={t('options.vocabularyHint')}
          value={draft.vocabulary}
          maxLength={longestVocabulary}
          rows={3}
          onChange={(vocabulary) => onChange({ vocabulary })}
        />
      )}
      <MentorField draft={draft} onChange={onChange} />
      <StepActions onBack={onBack} onCancel={onCancel} />
    </Form>
  );
}

/** Asks a mentor to assess the recording; a button until somebody wants to. */
export function MentorField({ draft, onChange }: Pick<StepProps, 'draft' | 'onChange'>) {
  const { t } = useTranslation('intake');
  const [opened, setOpened] = useState(draft.mentor !== '');
  const [asked, setAsked] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (asked) field.current?.focus();
  }, [asked]);
  if (!opened) {
    // The person who asked for the recording assesses it.
    if (draft.invite) return null;
    const open = () => {
      setOpened(true);
      setAsked(true);
    };
    return (
      <div>
        <Button look="quiet" onClick={open}>
          {t('options.inviteMentor')}
        </Button>
      </div>
    );
  }
  return (
    <EmailField
      label={t('options.mentor')}
      autoComplete="off"
      hint={t('options.mentorHint')}
      value={draft.mentor}
      maxLength={longestEmail}
      ref={field}
      error={draft.wrong.has('mentor') && t('options.wrongMentor')}
      onChange={(mentor) => onChange({ mentor })}
    />
  );
}

export function TitleField({ draft, onChange }: Pick<StepProps, 'draft' | 'onChange'>) {
  const { t } = useTranslation('intake');
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text/plain');
    const plain = collapsed(text);
    if (plain === text) return;
    event.preventDefault();
    const field = event.currentTarget;
    const { selectionStart: from, selectionEnd: to, value } = field;
    const room = longestTitle - value.length + ((to ?? 0) - (from ?? 0));
    field.setRangeText(plain.slice(0, room), from ?? value.length, to ?? value.length, 'end');
    onChange({ title: field.value });
  };
  return (
    <TextField
      label={t('options.name')}
      value={draft.title}
      maxLength={longestTitle}
      error={draft.wrong.has('title') && t('options.noTitle')}
      required
      onChange={(title) => onChange({ title })}
      onPaste={paste}
    />
  );
}

interface LanguageFieldsProps extends Pick<OptionsProps, 'onChange' | 'models'> {
  draft: Pick<StepProps['draft'], 'model' | 'language' | 'speakers' | 'wrong'>;
}

export function LanguageFields({ draft, onChange, models }: LanguageFieldsProps) {
  const { t, i18n } = useTranslation('intake');
  const names = new Intl.DisplayNames([i18n.language], { type: 'language' });
  const languages = models.find(({ name }) => name === draft.model)?.languages ?? [];
  const language = languages.find(({ lang }) => lang === draft.language);
  const onlyAuto = language?.onlyAutoSpeakers ?? false;
  const counts = Array.from({ length: mostSpeakers }, (_, i) => ({ value: String(i + 1), label: String(i + 1) }));
  const auto = language?.allowAutoSpeakers || onlyAuto ? [{ value: '0', label: t('options.auto') }] : [];
  return (
    <>
      <SelectField
        label={t('options.language')}
        value={language ? draft.language : ''}
        placeholder={t('options.wrongLanguage')}
        options={languages.map(({ lang, title }) => ({ value: lang, label: names.of(lang) ?? title }))}
        error={draft.wrong.has('language') && t('options.wrongLanguage')}
        onChange={(chosen) => {
          const to = languages.find(({ lang }) => lang === chosen);
          onChange({ language: chosen, ...(to?.onlyAutoSpeakers && { speakers: 0 }) });
        }}
      />
      {/* A transcript names its speakers; only a remembered number that does not fit is asked for again. */}
      {draft.model !== noModel && (draft.model !== externalModel || draft.wrong.has('speakers')) && (
        <SelectField
          label={t('options.speakers')}
          value={onlyAuto ? '0' : String(draft.speakers)}
          options={onlyAuto ? auto : [...auto, ...counts]}
          disabled={onlyAuto}
          error={draft.wrong.has('speakers') && t('options.wrongSpeakers')}
          onChange={(speakers) => onChange({ speakers: Number(speakers) })}
        />
      )}
    </>
  );
}

export function StepActions({ onBack, onCancel }: Pick<StepProps, 'onBack' | 'onCancel'>) {
  const { t } = useTranslation('intake');
  return (
    <Actions>
      <CancelButton onCancel={onCancel} />
      <Button onClick={onBack}>{t('back')}</Button>
      <Button type="submit" look="primary">
        {t('next')}
      </Button>
    </Actions>
  );
}
