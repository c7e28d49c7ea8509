import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import { externalModel } from '#shared/intake.ts';
import type { ServiceId } from '#shared/meeting-services.ts';

import { useApi } from '../api.ts';
import { placeName } from '../library/folders-query.ts';
import { useSession } from '../session.ts';
import { useUnsaved } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { Destination, Duplicate } from './destination.tsx';
import { AskDialog } from './ask-dialog.tsx';
import styles from './dialog.module.css';
import { Failed, Success } from './ends.tsx';
import { ExternalTranscript } from './external-transcript.tsx';
import { Guest } from './guest.tsx';
import { minutesLeft, type MinutesLeft } from './model-choices.ts';
import { Options } from './options.tsx';
import { SelectMeeting } from './select-meeting.tsx';
import { SendingLine } from './sending-line.tsx';
import {
  asksBeforeLeaving,
  isBegun,
  shownProgress,
  type Choices,
  type Event,
  type Invite,
  type State,
  type Step,
} from './steps.ts';
import { TranscriptType } from './transcript-type.tsx';
import { UploadForm } from './upload-form.tsx';
import { useSteps } from './use-steps.ts';
import { waysOf } from './ways.ts';

interface AddingProps {
  /** A file that was dropped on the page. */
  first: File | null;
  /** The meeting service whose login the person comes back from. */
  from: ServiceId | null;
  /** The path of the folder the recording goes to. */
  folder: string;
  /** The id and name of somebody else's folder that `folder` is below. */
  sharedFolder: string | null;
  sharedName: string;
  /** Invitation that asks for the recording; its person cannot cancel. */
  invite: Invite | null;
  /** Mentor named by the link that led here. */
  mentor: string;
  onClose: () => void;
}

/** Height of the step in which a file is chosen. */
const firstStep = '22.25rem';

/** The dialog that adds a recording; draws the state of `steps.ts`. */
export default function Adding(props: AddingProps) {
  const ready = useTexts('intake');
  const { data: session } = useSession();
  if (!ready || !session) {
    return (
      <Dialog opened onClose={props.onClose} title="" room={firstStep}>
        <Waiting>
          <Bone width="60%" height="1.25rem" />
        </Waiting>
      </Dialog>
    );
  }
  const { principal, billing } = session;
  const user = principal.kind === 'user' ? String(principal.id) : null;
  return <Steps {...props} user={user} minutes={minutesLeft(billing)} />;
}

interface InnerProps extends AddingProps {
  user: string | null;
  minutes: MinutesLeft;
}

function Steps({ first, from, folder, sharedFolder, sharedName, invite, mentor, onClose, user, minutes }: InnerProps) {
  const { t } = useTranslation('intake');
  // The name as it was at the start, like `place` in the state: the page below may open another folder meanwhile.
  const [folderName] = useState(placeName(folder, sharedName, sharedName));
  const [state, send] = useSteps({ user, onClose, first, from, mentor, invite, place: { folder, sharedFolder } });
  const { step, selecting, sending } = state;
  const [asking, setAsking] = useState(false);
  const progress = shownProgress(sending);
  // Loads them while a file or a recording is chosen.
  useOffered();
  useUnsaved('intake', isBegun(step) ? 1 : 0);
  const leave = () => send({ kind: 'leave' });
  if (selecting && step === 'uploadForm') {
    const { service, returned } = selecting;
    const close = () => send({ kind: 'close service' });
    return (
      <Dialog opened onClose={close} title={t(`import.${service}.title`)} size="md" keepOnBackdrop>
        <div className={styles.step}>
          <SelectMeeting
            service={service}
            returned={returned}
            onPick={(picked, seconds) => send({ kind: 'picked', picked, seconds })}
            onBack={close}
          />
        </div>
      </Dialog>
    );
  }
  if (asking && step === 'uploadForm') return <AskDialog onClose={() => setAsking(false)} />;
  return (
    <Dialog
      opened
      onClose={leave}
      title={titleOfStep()}
      help="record"
      size="md"
      keepOnBackdrop
      room={step === 'uploadForm' ? firstStep : undefined}
      dismissible={!invite || step === 'processingFailed' || step === 'success'}
    >
      <div className={styles.step}>
        {invite && isAdding(step) && <p role="note">{t('invited.by', { name: invite.by })}</p>}
        <StepBody
          state={state}
          send={send}
          minutes={minutes}
          onLeave={leave}
          onCancel={invite ? null : leave}
          onAsk={invite ? null : () => setAsking(true)}
        />
        {sending && progress && asksBeforeLeaving(step) && (
          <SendingLine name={sending.file.name} progress={progress} onAgain={() => send({ kind: 'retry sending' })} />
        )}
      </div>
    </Dialog>
  );

  function titleOfStep(): string {
    if (step === 'destinationChoosing' && state.unread) return t('notes.title');
    if (hasTitle(step)) return t(titles[step]);
    return folderName === '' ? t('title.other') : t('title.toFolder', { folder: folderName });
  }
}

/** The models and services of this house. */
function useOffered() {
  const api = useApi();
  return useQuery({
    queryKey: ['languages'],
    queryFn: () => parseResponse(api.languages.$get()),
    staleTime: 3_600_000,
  });
}

const titles = {
  transcriptTypeSelecting: 'title.transcriptTypeSelecting',
  processingOptionsSelecting: 'title.processingOptionsSelecting',
  externalTranscriptAdding: 'title.externalTranscriptAdding',
  destinationChoosing: 'title.destinationChoosing',
} as const satisfies Partial<Record<Step, string>>;
const hasTitle = (step: Step): step is keyof typeof titles => step in titles;

/** Steps before the recording is under way. */
const isAdding = (step: Step) => !['processing', 'processingFailed', 'success'].includes(step);

interface StepBodyProps {
  state: State;
  send: (event: Event) => void;
  minutes: MinutesLeft;
  onLeave: () => void;
  /** Null where the dialog cannot be cancelled. */
  onCancel: (() => void) | null;
  /** Opens the question for a recording; null for people who were asked for one themselves. */
  onAsk: (() => void) | null;
}

function StepBody({ state, send, minutes, onLeave, onCancel, onAsk }: StepBodyProps) {
  const { data, error, refetch } = useOffered();
  const models = data ? waysOf(data.models) : [];
  const choosing = {
    draft: state,
    onChange: (choices: Partial<Choices>) => send({ kind: 'set', choices }),
    onNext: () => send({ kind: 'next', models }),
    onBack: () => send({ kind: 'back' }),
    onCancel,
  };
  const { step, created, failure } = state;
  switch (step) {
    case 'notLoggedIn':
      return <Guest />;
    case 'uploadForm':
      return (
        <UploadForm
          error={state.refused?.error ?? null}
          mins={state.refused?.mins}
          imports={data?.imports ?? []}
          onFile={(file) => send({ kind: 'file', file })}
          onAnyway={() => send({ kind: 'anyway' })}
          onImport={(service) => send({ kind: 'select service', service })}
          onOnlyTranscript={() => send({ kind: 'only transcript' })}
          onAsk={onAsk}
        />
      );
    case 'transcriptTypeSelecting':
      return (
        <TranscriptType
          {...choosing}
          onBack={() => send({ kind: 'other file' })}
          models={data && models}
          minutes={minutes}
          seconds={state.seconds}
          error={error}
          onRetry={() => void refetch()}
        />
      );
    case 'processingOptionsSelecting':
      return <Options {...choosing} models={models} />;
    case 'externalTranscriptAdding':
      return <ExternalTranscript {...choosing} models={models} />;
    case 'destinationChoosing':
      return <Destination state={state} send={send} onCancel={onCancel} />;
    case 'duplicate':
      return created ? <Duplicate created={created} send={send} onCancel={onCancel} /> : null;
    case 'processing':
      return <Processing />;
    case 'processingFailed':
      return (
        failure && (
          <Failed
            failure={failure}
            hasTranscript={state.model === externalModel}
            onAgain={() => send({ kind: 'again' })}
            onOtherFile={state.file || state.picked ? () => send({ kind: 'other file' }) : null}
            onClose={onLeave}
          />
        )
      );
    case 'success':
      return created && <Success draft={state} created={created} onClose={onLeave} />;
  }
}

function Processing() {
  const { t } = useTranslation('intake');
  return <p role="status">{t('processing')}</p>;
}
