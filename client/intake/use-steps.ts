import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { atom, useAtomValue, useStore } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';
import { useBlocker } from 'react-router-dom';

import { importFormats } from '#shared/formats/formats.ts';
import type { CreatedView } from '#shared/intake.ts';
import { isTooLong, longestMins } from '#shared/team-rules.ts';

import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useRefreshMeetings } from '../library/meetings-query.ts';
import { usePreferences } from '../preferences.ts';
import { useRefreshSession, useSession } from '../session.ts';
import { useConfirm, useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { businessDaysAfter, longestOrder } from './business-days.ts';
import { useCostText } from './costs.tsx';
import { mediaSeconds } from './media-length.ts';
import { interruptedUpload, isSameFile, noteInterrupted } from './interrupted.ts';
import { meetingForm } from './meeting-form.ts';
import { newCosts } from './price.ts';
import { openSender } from './sender.ts';
import {
  advance,
  asksBeforeLeaving,
  shownProgress,
  startState,
  type Effect,
  type Event,
  type Failure,
  type Sending,
  type Start,
  type State,
} from './steps.ts';
import { useGone } from './use-gone.ts';

/** How long an error about a file's size is shown. */
const refusalShown = 20_000;

interface StepsProps extends Pick<Start, 'place' | 'first' | 'from' | 'mentor' | 'invite'> {
  /** Null for a guest. */
  user: string | null;
  onClose: () => void;
}

type Of<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>;

/** The state of the dialog, and `send` for its events; runs the effects of each event once. */
export function useSteps({ user, onClose, ...start }: StepsProps): readonly [State, (event: Event) => void] {
  const signedIn = user !== null;
  const api = useApi();
  const store = useStore();
  const [preferences, prefer] = usePreferences();
  const [stateAtom] = useState(() => atom(startState({ ...start, signedIn, remembered: preferences.upload ?? {} })));
  const [sender] = useState(() => openSender(api));
  const state = useAtomValue(stateAtom);
  const ask = useQuestions();
  const calls = useCalls(sender);
  const notify = useNotify();
  const refresh = useRefreshMeetings();
  const refreshSession = useRefreshSession();
  const { t } = useTranslation('intake');
  const session = useSession().data;

  const send = (event: Event) => {
    const [next, effects] = advance(store.get(stateAtom), event);
    store.set(stateAtom, next);
    for (const effect of effects) run(effect);
  };

  function run(effect: Effect): void {
    switch (effect.kind) {
      case 'forget refusal later':
        setTimeout(() => send({ kind: 'forget refusal', run: effect.run }), refusalShown);
        return;
      case 'send':
        return upload(effect);
      case 'stop sending':
        return sender.stop(effect.wholeId);
      case 'taken':
        return sender.taken();
      case 'create':
        return void calls.create(effect, send);
      case 'process':
        return void calls.process(effect, send);
      case 'drop meeting':
        api.meetings[':id'].$delete({ param: { id: effect.id }, query: { force: '1' } }).catch(() => {});
        return;
      case 'remember':
        return prefer({ upload: effect.upload });
      case 'refresh list':
        // An invitation that is fulfilled is not offered any more.
        if (store.get(stateAtom).invite) void refreshSession();
        return void refresh();
      case 'ask to order':
        return void ask.toOrder(effect).then((yes) => yes && send({ kind: 'order confirmed', cost: effect.cost }));
      case 'ask to leave':
        return void ask.toLeave(effect).then((yes) => send({ kind: 'leave answered', yes }));
      case 'close':
        return onClose();
      case 'go on':
        return effect.navigation.goOn();
      case 'stay':
        return effect.navigation.stay();
      case 'tell failure':
        return notify({ message: t('failed.later', { title: effect.title, message: effect.message }) });
    }
  }

  function upload({ run: number, file, resume }: Of<'send'>): void {
    const longest = session && longestMins(session.teams, session.principal.scope?.scope_id ?? null);
    void mediaSeconds(file).then((seconds) => {
      if (seconds === null) return;
      send({ kind: 'length', file, seconds });
      if (longest && isTooLong(seconds, longest.mins)) send({ kind: 'too long', file, mins: longest.mins });
    });
    const resumed = resume === 'interrupted' ? interruptedId(user, file) : resume.id;
    sender
      .send(file, resumed, (moved) => send({ kind: 'sending', run: number, id: moved.id, progress: moved.progress() }))
      .then(
        (uploadId) => send({ kind: 'sent', run: number, uploadId }),
        // Its progress has told the failure.
        () => {},
      );
  }

  const opened = useEffectEvent(() => send({ kind: 'opened' }));
  useEffect(() => opened(), []);
  const arrived = useEffectEvent(() => send({ kind: 'signed in' }));
  useEffect(() => {
    if (signedIn) arrived();
  }, [signedIn]);
  useGone(() => send({ kind: 'gone' }));
  useAskingBefore(() => store.get(stateAtom), send, onClose);
  useSendingGuards(state.sending, user);
  return [state, send];
}

function interruptedId(user: string | null, file: File): string | null {
  const interrupted = user === null ? null : interruptedUpload(user);
  return interrupted && isSameFile(interrupted, file) ? interrupted.id : null;
}

function useQuestions() {
  const { t, i18n } = useTranslation('intake');
  const day = (date: Date) => new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full' }).format(date);
  const confirm = useConfirm();
  const costText = useCostText();
  return {
    toOrder: ({ title, cost }: Of<'ask to order'>) =>
      confirm({
        title: t('order.title'),
        text: t('order.text', { title, cost: costText(cost), date: day(businessDaysAfter(new Date(), longestOrder)) }),
        action: t('order.action'),
      }),
    toLeave: ({ handedOver }: Of<'ask to leave'>) =>
      confirm(
        handedOver
          ? { title: t('handedOver.title'), text: t('handedOver.text'), action: t('handedOver.action') }
          : {
              title: t('cancel.title'),
              text: t('cancel.text'),
              action: t('cancel.action'),
              decline: t('cancel.decline'),
              danger: true,
            },
      ),
  };
}

/** The calls that create and process the meeting; each ends in exactly one event. */
function useCalls(sender: ReturnType<typeof openSender>) {
  const { t } = useTranslation('intake');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  // Mutations, so that a 401 leads to the sign-in page as for every other call.
  const { mutateAsync: creating } = useMutation({
    mutationFn: (work: () => Promise<CreatedView>) => work(),
    meta: { quiet: true },
  });
  const { mutateAsync: processing } = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    meta: { quiet: true },
  });
  const post = (body: FormData) => parseResponse(api['meetings-fast'].$post({}, { init: { body } }));
  const failureOf = (error: unknown): Failure => {
    const mins = error instanceof ApiError ? error.info['maxDurationMins'] : undefined;
    const message = typeof mins === 'number' ? t('file.long', { mins }) : failureMessage(error, told);
    if (!(error instanceof ApiError)) return { message, requestId: '' };
    const looksLike = importFormats.find((one) => one === error.info['looksLike']) ?? null;
    return { message, requestId: error.requestId, field: error.errors[0]?.field, looksLike };
  };
  return {
    async create({ run, draft, place, recording }: Of<'create'>, send: (event: Event) => void): Promise<void> {
      const form = meetingForm(draft, place);
      if (recording !== null && recording !== 'in the form') form.set('uploadId', recording.uploadId);
      const whole = recording === 'in the form';
      try {
        const created = await creating(() =>
          whole ? sender.sendInForm(form, (progress) => send({ kind: 'sending whole', run, progress })) : post(form),
        );
        send({ kind: 'created', run, created });
      } catch (error) {
        const arrived = whole && error instanceof ApiError ? error.info['uploadId'] : undefined;
        const wholeId = typeof arrived === 'string' ? arrived : null;
        send({ kind: 'create failed', run, failure: failureOf(error), wholeId });
      }
    },
    async process({ run, id, cost, draft }: Of<'process'>, send: (event: Event) => void): Promise<void> {
      const json = {
        cost,
        model: draft.model,
        language: draft.language,
        numberOfSpeakers: draft.speakers,
        title: draft.title.trim(),
        vocabulary: draft.vocabulary,
        mentor: draft.mentor.trim(),
      };
      try {
        await processing(() => parseResponse(api.meetings[':id'].process.$post({ param: { id }, json })));
        send({ kind: 'processed', run });
      } catch (error) {
        const [lost, costs] = [isLost(error), newCosts(error)];
        send({ kind: 'process failed', run, failure: failureOf(error), lost, costs });
      }
    },
  };
}

/** Gone, somebody else's, or not what it was: the same call would fail again. */
const isLost = (error: unknown): boolean => error instanceof ApiError && [403, 404, 409, 410].includes(error.status);

/** Asks before the browser's Back button, or a link below the dialog, leaves it. */
function useAskingBefore(read: () => State, send: (event: Event) => void, onClose: () => void): void {
  const blocker = useBlocker(({ currentLocation, nextLocation, historyAction }) => {
    // Read here, not while drawing: closing may navigate at once.
    const { step, closed } = read();
    const leaves = historyAction === 'POP' || currentLocation.pathname !== nextLocation.pathname;
    return asksBeforeLeaving(step) && !closed && leaves;
  });
  const askOnTheWay = useEffectEvent(() => {
    if (blocker.state !== 'blocked') return;
    const goOn = () => {
      const samePage = blocker.location.pathname === window.location.pathname;
      blocker.proceed();
      // The page stays, and the dialog with it.
      if (samePage) onClose();
    };
    send({ kind: 'leave', navigation: { goOn, stay: () => blocker.reset() } });
  });
  useEffect(() => askOnTheWay(), [blocker]);
}

/** While a file is under way: the browser asks before the page is closed, and the library offers to resume it after. */
function useSendingGuards(sending: Sending | null, user: string | null): void {
  const underWay = shownProgress(sending)?.state === 'going';
  useEffect(() => {
    if (!underWay) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [underWay]);

  const note = useEffectEvent(() => {
    if (user === null || !sending) return;
    noteInterrupted(user, { id: sending.id, file: sending.file, progress: () => sending.progress });
  });
  const id = sending?.id ?? null;
  const run = sending?.progress.state === 'going' ? sending.run : null;
  useEffect(() => {
    if (run === null || id === null) return;
    const timer = setInterval(() => note(), 1000);
    note();
    return () => {
      clearInterval(timer);
      // An upload that took less than a second would be noted as not begun.
      note();
    };
  }, [run, id, user]);
}
