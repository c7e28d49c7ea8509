import { useMutation, useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';

import { externalModel, humanModel, noModel, type LanguagesView } from '#shared/intake.ts';
import { longestTitle } from '#shared/meetings/about.ts';
import { consentVersion, type Track } from '#shared/recorder.ts';

import { useApi } from '../api.ts';
import { GetSpeech } from '../engines/get-speech.tsx';
import { Failure } from '../errors/failure.tsx';
import { addingAtom } from '../intake/adding.ts';
import { minutesLeft, useModelChoices } from '../intake/model-choices.ts';
import { waysOf } from '../intake/ways.ts';
import { useSession } from '../session.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './record-dialog.module.css';
import { NoSound, recordableTracks } from './sound.ts';
import { useBegin } from './use-begin.ts';

type Model = LanguagesView['models'][number];

interface RecordDialogProps {
  opened?: boolean;
  onClose: () => void;
}

/** Asks what to record and how it is transcribed, then begins. */
export default function RecordDialog({ opened = true, onClose }: RecordDialogProps) {
  const { t } = useTranslation('recorder');
  const ready = [useTexts('recorder'), useTexts('intake')].every(Boolean);
  const principal = useSession().data?.principal;
  const user = principal?.kind === 'user' ? String(principal.id) : null;
  return (
    <Dialog opened={opened} onClose={onClose} title={ready ? t('title') : ''} help="record" keepOnBackdrop room="48rem">
      {ready && user !== null ? <Offered user={user} onClose={onClose} /> : <Bones />}
    </Dialog>
  );
}

const Bones = () => (
  <Waiting>
    <Bone width="70%" height="2rem" />
  </Waiting>
);

interface OfferedProps {
  user: string;
  onClose: () => void;
}

function Offered(props: OfferedProps) {
  const { t } = useTranslation('recorder');
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['languages'],
    queryFn: () => parseResponse(api.languages.$get()),
    staleTime: 3_600_000,
  });
  const [tracks] = useState(recordableTracks);
  if (tracks.length === 0) {
    return (
      <>
        <p role="alert">{t('failed.unsupported')}</p>
        <Actions>
          <UploadInstead onClose={props.onClose} />
        </Actions>
      </>
    );
  }
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Bones />;
  // Human transcripts are ordered later: their price needs the length of the recording.
  const models = waysOf(data.models).filter(({ name }) => name !== externalModel && name !== humanModel);
  return <RecordForm {...props} models={waysOf(models)} tracks={tracks} />;
}

/** Choices of sound; both needs both. */
const soundsOf = (tracks: readonly Track[]) => (tracks.length > 1 ? ([...tracks, 'both'] as const) : tracks);

/** Language to begin with: that of the last recording, else that of the page. */
function firstLanguage(languages: readonly { lang: string }[], page: string): string {
  const prefix = (lang: string) => lang.split('-')[0];
  const found = languages.find(({ lang }) => lang === page) ?? languages.find(({ lang }) => prefix(lang) === page);
  return found?.lang ?? languages[0]?.lang ?? '';
}

function RecordForm({ user, onClose, models, tracks }: OfferedProps & { models: readonly Model[]; tracks: Track[] }) {
  const { t, i18n } = useTranslation('recorder');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const begin = useBegin();
  const navigate = useNavigate();
  const minutes = minutesLeft(useSession().data?.billing);
  const choicesOf = useModelChoices();
  const [title, setTitle] = useState(() => {
    const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date());
    return t('defaultName', { date });
  });
  const [sound, setSound] = useState<Track | 'both'>(tracks[0] ?? 'mic');
  const [model, setModel] = useState(models[0]?.name ?? noModel);
  const withoutSpeech = models.every(({ name }) => name === noModel);
  const languages = models.find(({ name }) => name === model)?.languages ?? [];
  const [chosen, setLanguage] = useState(() => firstLanguage(languages, i18n.language));
  const language = languages.some(({ lang }) => lang === chosen) ? chosen : '';
  const [consent, setConsent] = useState(false);
  const [tried, setTried] = useState(false);
  const names = new Intl.DisplayNames([i18n.language], { type: 'language' });
  const wrong = {
    title: tried && title.trim() === '' && t('noName'),
    language: tried && language === '' && t('wrongLanguage'),
    consent: tried && !consent && t('noConsent'),
  };
  const starting = useMutation({
    mutationFn: () => {
      const wanted: readonly Track[] = sound === 'both' ? tracks : [sound];
      return begin({
        user,
        tracks: wanted,
        async meeting() {
          const form = { title: title.trim(), tracks: [...wanted], language, model };
          const { id } = await parseResponse(api.meetings.live.$post({ json: { ...form, consent: consentVersion } }));
          return { meeting: id, title: form.title };
        },
      });
    },
    onSuccess: async (id) => {
      onClose();
      await navigate(`/meeting/${encodeURIComponent(id)}`);
    },
    meta: { quiet: true },
  });
  const start = () => {
    setTried(true);
    if (title.trim() !== '' && language !== '' && consent && !starting.isPending) starting.mutate();
  };
  return (
    <Form onSubmit={start}>
      <TextField label={t('name')} value={title} maxLength={longestTitle} error={wrong.title} onChange={setTitle} />
      {tracks.length > 1 && (
        <Choices
          label={t('sound.label')}
          choices={soundsOf(tracks).map((one) => ({
            value: one,
            label: t(`sound.${one}`),
            hint: t(`sound.${one}Hint`),
          }))}
          value={sound}
          onChange={(one) => setSound(one as Track | 'both')}
        />
      )}
      {!withoutSpeech && (
        <Choices label={t('model')} choices={choicesOf(models, minutes, null)} value={model} onChange={setModel} />
      )}
      <SelectField
        label={t('language')}
        value={language}
        placeholder={t('wrongLanguage')}
        options={languages.map(({ lang, title: own }) => ({ value: lang, label: names.of(lang) ?? own }))}
        error={wrong.language}
        onChange={setLanguage}
      />
      <CheckField label={t('consent')} checked={consent} error={wrong.consent} onChange={setConsent} />
      {withoutSpeech && <GetSpeech otherwise={<p className={styles.note}>{t('noRecognition')}</p>} />}
      {starting.error && (
        <p className={styles.error} role="alert">
          {starting.error instanceof NoSound ? t(`failed.${starting.error.why}`) : failureMessage(starting.error, told)}
        </p>
      )}
      <Actions stays>
        {starting.error instanceof NoSound ? (
          <UploadInstead onClose={onClose} />
        ) : (
          <Button look="quiet" onClick={onClose}>
            {told('common:cancel')}
          </Button>
        )}
        <Button type="submit" look="primary" busy={starting.isPending} data-autofocus>
          {t('start')}
        </Button>
      </Actions>
    </Form>
  );
}

/** The library's dialog for a file; it is on the page below. */
function UploadInstead({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('recorder');
  const add = useSetAtom(addingAtom);
  return (
    <Button
      look="quiet"
      onClick={() => {
        onClose();
        add({ file: null });
      }}
    >
      {t('uploadInstead')}
    </Button>
  );
}
