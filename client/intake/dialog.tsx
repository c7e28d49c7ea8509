import { useMutation, useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useBlocker } from 'react-router-dom';

import { humanModel, type CostOption, type CreatedView } from '#shared/intake.ts';
import type { ServiceId } from '#shared/meeting-services.ts';

import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { placeName } from '../library/folders-query.ts';
import { useRefreshMeetings } from '../library/meetings-query.ts';
import { usePreferences } from '../preferences.ts';
import { useSession } from '../session.ts';
import { useConfirm, useNotify, useUnsaved } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Actions } from '../ui/form.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { CancelButton } from './cancel-button.tsx';
import { Costs, useCostText } from './costs.tsx';
import styles from './dialog.module.css';
import { Failed, Success } from './ends.tsx';
import { ExternalTranscript } from './external-transcript.tsx';
import { Guest } from './guest.tsx';
import { interruptedUpload, isSameFile } from './interrupted.ts';
import { meetingForm } from './meeting-form.ts';
import { Notes } from './notes.tsx';
import { Options } from './options.tsx';
import { newCosts } from './price.ts';
import { SelectMeeting } from './select-meeting.tsx';
import { SendingLine } from './sending-line.tsx';
import {
  advance,
  asksBeforeLeaving,
  isBegun,
  onlyWay,
  startDraft,
  type Draft,
  type Failure,
  type Step,
} from './steps.ts';
import { TranscriptType } from './transcript-type.tsx';
import { UploadForm } from './upload-form.tsx';
import { useGone } from './use-gone.ts';
import { useUpload } from './use-upload.ts';

export interface AddingProps {
  /** What was dropped on the page. */
  first: File | null;
  /** The service somebody has just come back from. */
  from: ServiceId | null;
  /** The path of the folder it is to land in. */
  folder: string;
  /** Somebody else's, below which that path leads, and its name. */
  sharedFolder: string | null;
  sharedName: string;
  /** Whoever came by an invitation to add one does not leave without it. */
  invited: boolean;
  onClose: () => void;
}

/** From a file on somebody's disk to a recording in the library. */
export default function Adding(props: AddingProps) {
  const ready = useTexts('intake');
  const { data: session } = useSession();
  if (!ready || !session) {
    return (
      <Dialog opened onClose={props.onClose} title="">
        <Waiting>
          <Bone width="60%" height="1.25rem" />
        </Waiting>
      </Dialog>
    );
  }
  const { principal, billing } = session;
  const user = principal.kind === 'user' ? String(principal.id) : null;
  return <Steps {...props} user={user} freeMinutes={billing?.freeMinutes ?? 0} />;
}

const titled = {
  transcriptTypeSelecting: 'title.transcriptTypeSelecting',
  processingOptionsSelecting: 'title.processingOptionsSelecting',
  externalTranscriptAdding: 'title.externalTranscriptAdding',
  destinationChoosing: 'title.destinationChoosing',
} as const satisfies Partial<Record<Step, string>>;
const titleKey = (step: Step) => (step in titled ? titled[step as keyof typeof titled] : 'title.other');

/** What is remembered of a model's name. */
const longestModel = 60;

/** What is gone, or another's, or not what it was: trying the same again ends the same. */
const isLost = (error: unknown): boolean => error instanceof ApiError && [403, 404, 409, 410].includes(error.status);

function Steps({
  first,
  from,
  folder: open,
  sharedFolder: within,
  sharedName,
  invited,
  onClose,
  user,
  freeMinutes,
}: AddingProps & { user: string | null; freeMinutes: number }) {
  const signedIn = user !== null;
  const { t } = useTranslation('intake');
  const { t: told } = useTranslation(['common', 'shell']);
  // Where it began; the page below may turn to another folder meanwhile.
  const [place] = useState({ folder: open, sharedFolder: within });
  const [called] = useState(placeName(open, sharedName, sharedName));
  const api = useApi();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useRefreshMeetings();
  const [{ upload: remembered = {} }, prefer] = usePreferences();
  const [draft, tell] = useReducer(advance, null, () => startDraft(signedIn, remembered));
  const sending = useUpload();
  const [selecting, select] = useState(from && { service: from, returned: true });
  /** Whether somebody is being asked if they want to leave: until they have answered, nothing is begun. */
  const [asking, setAsking] = useState(false);
  const [leaving] = useState(() => new AbortController());
  /** The meeting that was made, and is thrown away with the dialog unless it has been handed over. */
  const made = useRef<string | null>(null);
  const handedOver = useRef(false);
  const {
    data: models,
    error: noModels,
    refetch,
  } = useQuery({
    queryKey: ['languages'],
    queryFn: () => parseResponse(api.languages.$get()),
    staleTime: 3_600_000,
  });
  const { step, created } = draft;
  useUnsaved('intake', isBegun(step) ? 1 : 0);
  const arrive = useEffectEvent(() => tell({ kind: 'signed in' }));
  useEffect(() => {
    if (signedIn) arrive();
  }, [signedIn]);

  const failed = (error: unknown, lost = false) =>
    tell({ kind: 'failed', failure: failureOf(error, failureMessage(error, told)), lost });
  const drop = async (id: string | null) => {
    if (id !== null) await api.meetings[':id'].$delete({ param: { id }, query: { force: '1' } }).catch(() => {});
  };
  const create = useMutation({
    mutationFn: async () => {
      const { signal } = leaving;
      const answer = await createMeeting(signal);
      // Somebody left while it was being made.
      if (signal.aborted) {
        await drop(answer.id);
        throw signal.reason;
      }
      made.current = answer.id;
      return answer;
    },
    onSuccess: (answer) => {
      sending.taken();
      tell({ kind: 'created', created: answer });
    },
    onError: (error) => !leaving.signal.aborted && failed(error),
    meta: { quiet: true },
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
    onMutate: () => {
      handedOver.current = true;
      tell({ kind: 'processing' });
    },
    onSuccess: () => {
      tell({ kind: 'processed' });
      void refresh();
    },
    onError: (error) => {
      handedOver.current = false;
      if (leaving.signal.aborted) {
        notify({ message: t('failed.later', { title: draft.title.trim(), message: failureMessage(error, told) }) });
        return void drop(made.current);
      }
      const costs = newCosts(error);
      if (costs) tell({ kind: 'price', costs });
      else failed(error, isLost(error));
    },
    meta: { quiet: true },
  });

  async function createMeeting(signal: AbortSignal): Promise<CreatedView> {
    const form = meetingForm(draft, place);
    if (!sending.upload) return post(form);
    const uploadId = await sending.arrived(signal);
    // Where it could not be sent in parts, it goes along with the form as a whole.
    if (uploadId === null) return sending.sendAlong(form, signal);
    form.set('uploadId', uploadId);
    return post(form);
  }
  const post = (body: FormData) => parseResponse(api['meetings-fast'].$post({}, { init: { body } }));

  const last = useRef<File | null>(null);
  const choose = (file: File, anyway = false) => {
    const before = draft.step;
    last.current = file;
    const chosen = { kind: 'file', file, anyway } as const;
    tell(chosen);
    if (before !== 'uploadForm' || advance(draft, chosen).fileError !== null) return;
    const interrupted = user === null ? null : interruptedUpload(user);
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
  const goOn = useEffectEvent(() => {
    if (step !== 'destinationChoosing' || asking || create.isPending || leaving.signal.aborted) return;
    if (!created) return create.mutate();
    const way = onlyWay(draft);
    if (way) process.mutate({ id: created.id, cost: way });
  });
  useEffect(() => goOn(), [step, created, asking, draft.unread]);

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

  /** What was begun ends with the dialog, however that goes; what has been handed over goes on. */
  const left = useRef(false);
  const letGo = async () => {
    if (left.current) return;
    left.current = true;
    leaving.abort();
    if (!handedOver.current) await Promise.all([drop(made.current), sending.stop()]);
  };
  useGone(() => void letGo());
  const wantsToLeave = async (): Promise<boolean> => {
    const begun = step === 'processing';
    setAsking(true);
    const sure = await confirm(
      begun
        ? { title: t('handedOver.title'), text: t('handedOver.text'), action: t('handedOver.action') }
        : { title: t('cancel.title'), text: t('cancel.text'), action: t('cancel.action'), danger: true },
    );
    setAsking(false);
    // What had been handed over was not taken after all, which is told here.
    if (!sure || (begun && !handedOver.current)) return false;
    // At once, or the answer alone would let it go on.
    leaving.abort();
    return true;
  };
  const leave = async () => {
    if (asksBeforeLeaving(step) && !(await wantsToLeave())) return;
    onClose();
    await letGo();
  };
  // The browser's own way back closes it, too.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation, historyAction }) =>
      asksBeforeLeaving(step) &&
      !leaving.signal.aborted &&
      (historyAction === 'POP' || currentLocation.pathname !== nextLocation.pathname),
  );
  const asked = useRef<typeof blocker>(null);
  const askOnTheWay = useEffectEvent(async () => {
    if (blocker.state !== 'blocked' || asked.current === blocker) return;
    asked.current = blocker;
    if (!(await wantsToLeave())) return blocker.reset();
    const stays = blocker.location.pathname === window.location.pathname;
    blocker.proceed();
    // Another place of the same page: nothing else would take the dialog away.
    if (stays) onClose();
    await letGo();
  });
  useEffect(() => void askOnTheWay(), [blocker]);

  const next = () => {
    const event = { kind: 'next', models: models?.models ?? [] } as const;
    const after = advance(draft, event);
    if (after.step === 'destinationChoosing') {
      // A transcript alone says nothing of how the next recording is to be written down.
      const recorded = (draft.file || draft.picked) && after.model.length <= longestModel;
      prefer({
        upload: {
          language: draft.language,
          speakersNumber: draft.speakers,
          vocab: draft.vocabulary.slice(0, 5000),
          externalTranscriptTypeId: draft.transcriptType,
          ...(recorded && { model: after.model }),
        },
      });
    }
    if (created && !after.created) {
      void drop(made.current);
      made.current = null;
      // What was sent went with it.
      if (draft.file && draft.file === draft.made?.file) sending.send(draft.file);
    }
    tell(event);
  };

  const again = () => {
    create.reset();
    process.reset();
    tell({ kind: 'again' });
  };
  const otherFile = () => {
    create.reset();
    process.reset();
    void drop(made.current);
    made.current = null;
    void sending.stop();
    tell({ kind: 'other file' });
  };
  const common = { draft, onChange: (choices: Partial<Draft>) => tell({ kind: 'set', choices }) };
  const onCancel = invited ? null : () => void leave();
  const steps = { onNext: next, onBack: () => tell({ kind: 'back' }), onCancel };
  const titleOfStep = (at: Step) => {
    const key = titleKey(at);
    if (at === 'destinationChoosing' && draft.unread) return t('notes.title');
    return key === 'title.other' && called !== '' ? t('title.toFolder', { folder: called }) : t(key);
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
    <Dialog
      opened
      onClose={() => void leave()}
      title={titleOfStep(step)}
      size="md"
      keepOnBackdrop
      dismissible={!invited || step === 'processingFailed' || step === 'success'}
    >
      <div className={styles.step}>
        {step === 'notLoggedIn' && <Guest />}
        {step === 'uploadForm' && (
          <UploadForm
            error={draft.fileError}
            onFile={(file) => choose(file)}
            onAnyway={() => last.current && choose(last.current, true)}
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
            onBack={otherFile}
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
        {step === 'destinationChoosing' && created && draft.unread && (
          <Notes
            notes={created.notes}
            onCancel={onCancel}
            onOther={again}
            onNext={() => tell({ kind: 'notes read' })}
          />
        )}
        {step === 'destinationChoosing' && !draft.unread && (
          <>
            {created && !onlyWay(draft) ? (
              <>
                {draft.repriced && (
                  <p className={styles.lead} role="alert">
                    {t('cost.changed')}
                  </p>
                )}
                {draft.model === humanModel && <p>{t('order.intro', { title: draft.title.trim() })}</p>}
                <Costs costs={created.costs} onChoose={(cost) => void choosePayment(created.id, cost)} />
              </>
            ) : (
              <p role="status">{sending.progress?.state === 'going' ? t('cost.waitingUpload') : t('cost.waiting')}</p>
            )}
            <Actions>
              <CancelButton onCancel={onCancel} />
              {created && !onlyWay(draft) && <Button onClick={steps.onBack}>{t('back')}</Button>}
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
              <CancelButton onCancel={onCancel} />
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
            onAgain={again}
            onOtherFile={draft.file || draft.picked ? otherFile : null}
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

function failureOf(error: unknown, message: string): Failure {
  if (!(error instanceof ApiError)) return { message, requestId: '' };
  return { message, requestId: error.requestId, field: error.errors[0]?.field };
}
