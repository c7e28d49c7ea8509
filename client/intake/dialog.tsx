import { useMutation, useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';

import { externalModel, humanModel, type CostOption, type CreatedView } from '#shared/intake.ts';
import { rootPath, segmentsOf } from '#shared/library.ts';
import type { ServiceId } from '#shared/meeting-services.ts';

import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../errors/messages.ts';
import { useRefreshMeetings } from '../library/meetings-query.ts';
import { paths } from '../paths.ts';
import { usePreferences } from '../preferences.ts';
import { useSession } from '../session.ts';
import { useConfirm } from '../store.ts';
import { askSupportAtom } from '../support/asking.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Actions } from '../ui/form.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { Costs, useCostText } from './costs.tsx';
import styles from './dialog.module.css';
import { ExternalTranscript } from './external-transcript.tsx';
import { forgetInterrupted, interruptedUpload, isSameFile } from './interrupted.ts';
import { Options } from './options.tsx';
import { SelectMeeting } from './select-meeting.tsx';
import { SendingLine } from './sending-line.tsx';
import {
  advance,
  asksBeforeLeaving,
  isInvalidTranscript,
  onlyWay,
  startDraft,
  type Draft,
  type Failure,
  type Step,
} from './steps.ts';
import { TranscriptType } from './transcript-type.tsx';
import { UploadForm } from './upload-form.tsx';
import { useUpload } from './use-upload.ts';

export interface AddingProps {
  /** What was dropped on the page. */
  first: File | null;
  /** The service somebody has just come back from. */
  from: ServiceId | null;
  /** The path of the folder it is to land in. */
  folder: string;
  /** Somebody else's, below which that path leads. */
  sharedFolder: string | null;
  onClose: () => void;
}

/** From a file on somebody's disk to a recording in the library. */
export default function Adding({ first, from, folder, sharedFolder, onClose }: AddingProps) {
  const ready = useTexts('intake');
  const { data: session } = useSession();
  if (!ready || !session) {
    return (
      <Dialog opened onClose={onClose} title="">
        <Waiting>
          <Bone width="60%" height="1.25rem" />
        </Waiting>
      </Dialog>
    );
  }
  const { principal, billing } = session;
  const signedIn = principal.kind === 'user';
  return (
    <Steps
      first={first}
      from={from}
      folder={folder}
      sharedFolder={sharedFolder}
      onClose={onClose}
      signedIn={signedIn}
      freeMinutes={billing?.freeMinutes ?? 0}
    />
  );
}

const titled = {
  transcriptTypeSelecting: 'title.transcriptTypeSelecting',
  processingOptionsSelecting: 'title.processingOptionsSelecting',
  externalTranscriptAdding: 'title.externalTranscriptAdding',
  destinationChoosing: 'title.destinationChoosing',
} as const satisfies Partial<Record<Step, string>>;
const titleKey = (step: Step) => (step in titled ? titled[step as keyof typeof titled] : 'title.other');

function Steps({
  first,
  from,
  folder: open,
  sharedFolder: within,
  onClose,
  signedIn,
  freeMinutes,
}: AddingProps & { signedIn: boolean; freeMinutes: number }) {
  const { t } = useTranslation('intake');
  const { t: told } = useTranslation(['common', 'shell']);
  // Where it began; the page below may turn to another folder meanwhile.
  const [folder] = useState(open);
  const [sharedFolder] = useState(within);
  const api = useApi();
  const confirm = useConfirm();
  const refresh = useRefreshMeetings();
  const [{ upload: remembered = {} }, prefer] = usePreferences();
  const [draft, tell] = useReducer(advance, null, () => startDraft(signedIn, remembered));
  const sending = useUpload();
  const [selecting, select] = useState(from && { service: from, returned: true });
  const {
    data: models,
    error: noModels,
    refetch,
  } = useQuery({
    queryKey: ['languages'],
    queryFn: () => parseResponse(api.languages.$get()),
    staleTime: 3_600_000,
  });

  const failed = (error: unknown) => tell({ kind: 'failed', failure: failureOf(error, failureMessage(error, told)) });
  const create = useMutation({
    mutationFn: () => createMeeting(draft, sending.upload),
    onSuccess: (created) => {
      forgetInterrupted();
      tell({ kind: 'created', created });
    },
    onError: failed,
  });
  const process = useMutation({
    mutationFn: ({ id, cost }: { id: string; cost: CostOption }) =>
      parseResponse(
        api.meetings[':id'].process.$post({
          param: { id },
          json: {
            cost: cost.cost,
            model: draft.model,
            language: draft.language,
            numberOfSpeakers: draft.speakers,
            title: draft.title.trim(),
            vocabulary: draft.vocabulary,
          },
        }),
      ),
    onMutate: () => tell({ kind: 'processing' }),
    onSuccess: () => {
      tell({ kind: 'processed' });
      void refresh();
    },
    onError: failed,
  });

  async function createMeeting(wanted: Draft, upload: typeof sending.upload): Promise<CreatedView> {
    const form = new FormData();
    form.set('title', wanted.title.trim());
    form.set('model', wanted.model);
    form.set('lang', wanted.language);
    form.set('spk_num', String(wanted.speakers));
    form.set('vocab', wanted.vocabulary);
    form.set('folder', folder);
    if (sharedFolder !== null) form.set('shared_folder', sharedFolder);
    if (wanted.model === externalModel && wanted.transcript) {
      form.set('transcriptType', wanted.transcriptType);
      form.set('transcript', wanted.transcript);
    }
    if (wanted.picked) {
      const { service, recordingId, fileId } = wanted.picked;
      form.set(service === 'zoom' ? 'zoomMeetingId' : 'webexMeetingId', recordingId);
      form.set(service === 'zoom' ? 'zoomRecordingFileId' : 'webexFileType', fileId);
    }
    if (upload) {
      const uploadId = await upload.done.catch(() => null);
      // Where it could not be sent in parts, it goes along with the form as a whole.
      if (uploadId === null) form.set('file', upload.file);
      else form.set('uploadId', uploadId);
    }
    return parseResponse(api['meetings-fast'].$post({}, { init: { body: form } }));
  }

  const choose = (file: File) => {
    const before = draft.step;
    tell({ kind: 'file', file });
    if (before !== 'uploadForm' || advance(draft, { kind: 'file', file }).fileError !== null) return;
    const interrupted = interruptedUpload();
    sending.send(file, interrupted && isSameFile(interrupted, file) ? interrupted.id : null);
  };
  const begin = useEffectEvent(() => first && signedIn && choose(first));
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    begin();
  }, []);

  // Chosen: the meeting is made as soon as its recording is there, and goes on by itself where there is nothing to choose.
  const { step, created } = draft;
  const goOn = useEffectEvent(() => {
    if (step !== 'destinationChoosing') return;
    if (!created) return create.mutate();
    const way = onlyWay(draft);
    if (way) process.mutate({ id: created.id, cost: way });
  });
  useEffect(() => goOn(), [step, created]);

  const costText = useCostText();
  const choosePayment = async (id: string, cost: CostOption) => {
    // What people are going to do is not begun by a slip of the finger.
    const sure =
      draft.model !== humanModel ||
      (await confirm({
        title: t('order.title'),
        text: t('order.text', { title: draft.title.trim(), cost: costText(cost) }),
        action: t('order.action'),
      }));
    if (sure) process.mutate({ id, cost });
  };

  const leave = async () => {
    if (asksBeforeLeaving(step)) {
      const sure = await confirm({
        title: t('cancel.title'),
        text: t('cancel.text'),
        action: t('cancel.action'),
        danger: true,
      });
      if (!sure) return;
    }
    onClose();
    if (step === 'success') return;
    const id = created?.id;
    if (id !== undefined && step !== 'processing')
      await api.meetings[':id'].$delete({ param: { id }, query: { force: '1' } }).catch(() => {});
    await sending.stop();
  };

  const next = () => {
    const event = { kind: 'next', models: models?.models ?? [] } as const;
    const after = advance(draft, event);
    if (after.step === 'destinationChoosing') {
      prefer({
        upload: {
          language: draft.language,
          speakersNumber: draft.speakers,
          vocab: draft.vocabulary.slice(0, 5000),
          externalTranscriptTypeId: draft.transcriptType,
        },
      });
    }
    tell(event);
  };

  const common = { draft, onChange: (choices: Partial<Draft>) => tell({ kind: 'set', choices }) };
  const steps = { onNext: next, onBack: () => tell({ kind: 'back' }), onCancel: () => void leave() };
  const titleOfStep = (at: Step) => {
    const key = titleKey(at);
    const named = key === 'title.other' && folder !== rootPath;
    return named ? t('title.toFolder', { folder: segmentsOf(folder).join(' / ') }) : t(key);
  };
  if (selecting && step === 'uploadForm') {
    const { service, returned } = selecting;
    return (
      <Dialog opened onClose={() => select(null)} title={t(`import.${service}.title`)} size="md" keepOnBackdrop>
        <div className={styles.step}>
          <SelectMeeting
            service={service}
            returned={returned}
            onPick={(picked) => {
              select(null);
              tell({ kind: 'picked', picked });
            }}
            onBack={() => select(null)}
          />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog opened onClose={() => void leave()} title={titleOfStep(step)} size="md" keepOnBackdrop>
      <div className={styles.step}>
        {step === 'notLoggedIn' && <Guest />}
        {step === 'uploadForm' && (
          <UploadForm
            error={draft.fileError}
            onFile={choose}
            imports={models?.imports ?? []}
            onForget={() => tell({ kind: 'forget error' })}
            onImport={(service) => select({ service, returned: false })}
            onOnlyTranscript={() => tell({ kind: 'only transcript' })}
          />
        )}
        {step === 'transcriptTypeSelecting' && (
          <TranscriptType
            {...common}
            {...steps}
            models={models?.models}
            freeMinutes={freeMinutes}
            error={noModels}
            onRetry={() => void refetch()}
          />
        )}
        {step === 'processingOptionsSelecting' && <Options {...common} {...steps} models={models?.models ?? []} />}
        {step === 'externalTranscriptAdding' && (
          <ExternalTranscript {...common} {...steps} models={models?.models ?? []} />
        )}
        {step === 'destinationChoosing' && (
          <>
            {created && !onlyWay(draft) ? (
              <>
                {draft.model === humanModel && <p>{t('order.intro', { title: draft.title.trim() })}</p>}
                <Costs costs={created.costs} onChoose={(cost) => void choosePayment(created.id, cost)} />
              </>
            ) : (
              <p role="status">{sending.progress?.state === 'going' ? t('cost.waitingUpload') : t('cost.waiting')}</p>
            )}
            <Actions>
              <Button look="quiet" onClick={() => void leave()}>
                {t('cancel.button')}
              </Button>
            </Actions>
          </>
        )}
        {step === 'processing' && <p role="status">{t('processing')}</p>}
        {step === 'duplicate' && created?.duplicateUrl && (
          <>
            <p className={styles.lead} role="alert">
              {t('duplicate.title')}
            </p>
            <Link to={created.duplicateUrl} target="_blank">
              {t('duplicate.open')}
            </Link>
            <Actions>
              <Button look="quiet" onClick={() => void leave()}>
                {t('cancel.button')}
              </Button>
              <Button look="primary" onClick={() => tell({ kind: 'ignore duplicate' })}>
                {t('duplicate.go')}
              </Button>
            </Actions>
          </>
        )}
        {step === 'success' && created && <Success draft={draft} id={created.id} onClose={onClose} />}
        {step === 'processingFailed' && draft.failure && (
          <Failed
            failure={draft.failure}
            hasTranscript={draft.transcript !== null}
            onAgain={() => {
              create.reset();
              process.reset();
              tell({ kind: 'again' });
            }}
            onClose={() => void leave()}
          />
        )}
        {sending.upload && asksBeforeLeaving(step) && sending.progress && (
          <SendingLine
            name={sending.upload.file.name}
            progress={sending.progress}
            onAgain={() => {
              if (sending.upload) sending.send(sending.upload.file, sending.upload.id);
            }}
          />
        )}
      </div>
    </Dialog>
  );
}

function Guest() {
  const { t } = useTranslation('intake');
  return (
    <>
      <p>{t('guest.text')}</p>
      <Actions>
        <ButtonLink to={paths.login}>{t('guest.logIn')}</ButtonLink>
        <ButtonLink look="primary" to={paths.register}>
          {t('guest.signUp')}
        </ButtonLink>
      </Actions>
    </>
  );
}

const successText: Readonly<Record<string, 'success.textExternal' | 'success.textOrdered'>> = {
  [externalModel]: 'success.textExternal',
  [humanModel]: 'success.textOrdered',
};

function Success({ draft, id, onClose }: { draft: Draft; id: string; onClose: () => void }) {
  const { t } = useTranslation('intake');
  const navigate = useNavigate();
  return (
    <>
      <p role="status">{t(successText[draft.model] ?? 'success.text')}</p>
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
  onClose: () => void;
}

function Failed({ failure, hasTranscript, onAgain, onClose }: FailedProps) {
  const { t } = useTranslation('intake');
  const phone = usePhone();
  const ask = useSetAtom(askSupportAtom);
  const navigate = useNavigate();
  const [{ message, requestId }] = useState(failure);
  const report = () => {
    onClose();
    if (phone) void navigate(paths.help);
    else ask(t('failed.report', { message, id: requestId }));
  };
  return (
    <>
      <p className={styles.lead} role="alert">
        {t('failed.title')}
      </p>
      <p className={styles.error}>{message}</p>
      {message.includes('EntityTooSmall') && <p>{t('failed.entityTooSmall')}</p>}
      {hasTranscript && isInvalidTranscript(failure) && <p>{t('failed.otherFormat')}</p>}
      {requestId !== '' && <p className={styles.small}>{t('failed.requestId', { id: requestId })}</p>}
      <Actions>
        <Button look="quiet" onClick={report}>
          {t('failed.contact')}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {t('close')}
        </Button>
        <Button look="primary" onClick={onAgain}>
          {t('failed.again')}
        </Button>
      </Actions>
    </>
  );
}

function failureOf(error: unknown, message: string): Failure {
  return { message, requestId: error instanceof ApiError ? error.requestId : '' };
}
