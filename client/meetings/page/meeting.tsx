import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue, useSetAtom } from 'jotai';
import { createContext, use, useEffect, useEffectEvent, useMemo, useState, type ReactNode } from 'react';
import { Navigate, useLocation, useParams } from 'react-router-dom';
import type { Doc } from 'yjs';

import type { MeetingAbout } from '#shared/meetings/meeting.ts';
import { keepBeside, keptBeside } from '#sync/client/copies.ts';

import { ApiError, useApi, type Api } from '../../api.ts';
import { Failure } from '../../errors/failure.tsx';
import { isUnderWay } from '../../progress/progress-line.tsx';
import { useMeetingProgress } from '../../progress/use-progress.ts';
import { useProfileLanguage } from '../../language.ts';
import { answerOr, AnswersInOrder } from '../../last-answer.ts';
import { learnSets } from '../../outcome-models/known-sets.ts';
import { codeQuery, loginOrCodePath, loginPath, paths } from '../../paths.ts';
import { sessionKey, useSession } from '../../session.ts';
import { recordingTimeAtom } from '../../support/asking.ts';
import { AskCode, RequestAccess } from '../../sharing/closed.tsx';
import { AppHeader } from '../../shell/app-header.tsx';
import { keepScreens } from '../../sw/keep-screens.ts';
import { useTexts } from '../../texts.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { mainId } from '../../ui/skip-link.tsx';
import { useTranslation } from '../../use-translation.ts';
import { Deleted, DeletingContext, type Deleting } from './deleting.tsx';
import { Frame, FrameBones } from './frame.tsx';
import { useRenewed } from '../panes/history/use-renewed.ts';
import { unsentHereAtom, discardUnsentHereAtom } from '../unsent/unsent-here.ts';
import { UnsentWords } from '../live/unsent-words.tsx';
import { useUnsent } from '../unsent/use-unsent.ts';
import { useMerged } from '../live/use-merged.ts';
import { useRoom } from '../live/use-room.ts';
import { LoadingContext } from '../open/loading.ts';
import { MeetingContext, type OpenedAbout, type LayerPlace } from '../open/meeting-context.ts';
import { Player } from '../sound/player.ts';
import { useStoredPosition, useListening } from '../text/use-listening.ts';
import { SpeakerDesk } from '../text/desk.ts';
import { useTakenPoints } from '../annotations/summary/unsent-points.tsx';
import { SegmentMarks } from '../text/marks.ts';
import { OpenTextHolder } from '../open/open-text.ts';
import styles from './meeting.module.css';

/** Poll interval while the recording is prepared and no progress stream is connected. */
const askEvery = 15_000;

/**
 * Whether the page lacks what it would not be told of: the next state, or the media of a recording that it was told is
 * ready, where the request for them failed.
 */
const isBehind = ({ data, error }: { data: OpenedAbout | undefined; error: Error | null }): boolean => {
  if (!data?.progress) return false;
  return isUnderWay(data.progress) || (data.media.length === 0 && error instanceof ApiError && isPassing(error));
};

/** Failures that a later request need not meet. */
const isPassing = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;

/** Never settles; loses every race. */
const never = new Promise<never>(() => {});

const roomOf = (id: string): string => `${id}/transcript`;

const aboutKey = (id: string) => ['meeting', id, 'about'];

/** Requests for details by recording: a late answer must not replace that of a later request. */
const answersOf = new Map<string, AnswersInOrder>();

function askFor(id: string): () => boolean {
  const answers = answersOf.get(id) ?? new AnswersInOrder();
  answersOf.set(id, answers);
  return answers.ask();
}

/** The same, once its sets of outcome types are learnt; the copy of an older page has none. */
function learnt<About extends OpenedAbout>(about: About): About {
  learnSets(about.outcomeSets ?? []);
  return about;
}

/** Details of a recording; offline, the copy stored in this browser beside the transcript. */
const aboutQuery = (api: Api, id: string, userId: string | null) => ({
  queryKey: aboutKey(id),
  queryFn: async ({ signal, client }: { signal: AbortSignal; client: QueryClient }): Promise<OpenedAbout> => {
    const response = parseResponse(api.meetings[':id'].about.$get({ param: { id } }, { init: { signal } })).then(
      learnt,
    );
    if (userId === null) return response;
    const isNewest = askFor(id);
    // Without storage, nothing opens offline; that is no failure.
    response.then((about) => isNewest() && keepBeside(userId, roomOf(id), about)).catch(() => {});
    const late = (about: OpenedAbout) => {
      if (isNewest()) client.setQueryData<OpenedAbout>(aboutKey(id), about);
    };
    const copy = keptBeside(userId, roomOf(id)).then(
      (kept) => kept as MeetingAbout | undefined,
      () => undefined,
    );
    // The network's response is used as soon as it arrives, without waiting for the copy.
    return Promise.race([
      response.catch(() => never),
      copy.then((kept) => answerOr<OpenedAbout>(response, kept && learnt({ ...kept, fromDevice: true }), late)),
    ]);
  },
});

/** Whether the page showed the recording before it was closed. */
const WasOpen = createContext(false);

/** Page of a recording: opens the live transcript, or explains why it cannot. */
export function MeetingPage() {
  const { docId = '' } = useParams();
  return <MeetingById docId={docId} layer={null} closed={<Closed id={docId} />} />;
}

interface MeetingByIdProps {
  /** Id of a recording, or of one of its layers. */
  docId: string;
  layer: LayerPlace | null;
  /** Shown to people who have no right to read, or no longer have it. */
  closed: ReactNode;
}

/** The same by the id of a layer as well, in the place of the recording's. */
export function MeetingById({ docId, layer, closed }: MeetingByIdProps) {
  useProfileLanguage();
  const ready = useTexts('document');
  const session = useSession();
  const principal = session.data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const api = useApi();
  const known = principal !== undefined || session.error !== null;
  const [underWay, setUnderWay] = useState(false);
  const streaming = useMeetingProgress(underWay ? docId : null, aboutKey(docId));
  const { data, error, refetch } = useQuery({
    ...aboutQuery(api, docId, userId),
    enabled: known,
    // Media appear once prepared.
    refetchInterval: ({ state }) => (!streaming && isBehind(state) ? askEvery : false),
  });
  const [deleting, setDeleting] = useState<Deleting>(null);
  // A page that was open stays when its link gets a code: it may hold words that are not sent.
  const [opened, setOpened] = useState<string | null>(null);
  if (data && opened !== docId) setOpened(docId);
  const inProgress = data?.progress !== undefined && isUnderWay(data.progress);
  if (inProgress !== underWay) setUnderWay(inProgress);
  if (ready && deleting?.of === docId && deleting.done) return <Deleted title={deleting.title} />;
  if (error && !data) {
    // The room may close before the deletion is confirmed; this page must not report its own deletion as lost access.
    if (deleting?.of === docId) return <FrameBones />;
    if (error instanceof ApiError && error.code === 'IC')
      return ready ? (
        <Locked id={docId} signedIn={userId !== null} wasOpen={opened === docId} onOpen={refetch} />
      ) : (
        <FrameBones />
      );
    const isClosed = error instanceof ApiError && [403, 404].includes(error.status);
    if (isClosed) return ready ? <WasOpen value={opened === docId}>{closed}</WasOpen> : <FrameBones />;
    return (
      <div className={styles.aside}>
        <Failure page error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (!data || !ready) return <FrameBones />;
  return (
    <DeletingContext value={[deleting, setDeleting]}>
      <Meeting key={data.id} about={data} layer={layer} closed={closed} />
    </DeletingContext>
  );
}

interface MeetingProps extends Pick<MeetingByIdProps, 'layer' | 'closed'> {
  about: OpenedAbout;
}

function Meeting({ about, layer, closed }: MeetingProps) {
  const { t } = useTranslation('document');
  const live = useRoom(roomOf(about.id));
  const [deleting] = use(DeletingContext);
  const player = usePlayer(about);
  useStoredPosition(player, about.id);
  useTimeForSupport(player);
  const heard = useListening(player, live?.doc);
  const [text] = useState(() => new OpenTextHolder());
  const [speakers] = useState(() => new SpeakerDesk());
  const [marks] = useState(() => new SegmentMarks());
  const value = useMemo(
    () => live && heard && { about, layer, live, player, ...heard, text, speakers, marks },
    [about, layer, live, player, heard, text, speakers, marks],
  );
  useMerged(live?.merged ?? null);
  useTakenPoints(about.id, live);
  useRenewed(about, live?.generation ?? null);
  useRefetchOnline(about, live?.state.connected ?? false);
  // Before it is ready, nobody can edit it, whatever the rights.
  useRefetchOnRights(about, live?.ready === true && live.state.connected, live?.editable ?? false);
  useRefetchOnLostAccess(about.id, value?.live.ended === 'access' && value.live.unsent.length === 0);
  // A restored or replaced transcript takes the place of the one before only once it is loaded.
  const loading = value !== null && !value.live.ready && value.live.ended === null;
  const [shown, setShown] = useState(value);
  if (!loading && shown !== value) setShown(value);
  // Another account has a room of its own, and must not see the one before.
  const before = shown && shown.live.live === value?.live.live ? shown : null;
  const drawn = loading ? before : value;
  const nth = useCount(drawn?.live.doc);
  // Constant element: saving a letter changes the context, but must not render the whole page again.
  const frame = useMemo(() => <Frame key={nth} />, [nth]);
  const keeps = live?.ready === true && live.state.keptHere;
  useEffect(() => {
    if (keeps) keepScreens();
  }, [keeps]);
  if (!value) return <FrameBones />;
  if (value.live.ended === 'access' && value.live.unsent.length === 0)
    return deleting === null ? <WasOpen value>{closed}</WasOpen> : <FrameBones />;
  // Shows nothing until the transcript is loaded, so that an unloaded one is not taken for an empty one.
  if (!drawn || (loading && !drawn.live.ready)) return <FrameBones label={t('opening')} />;
  return (
    <LoadingContext value={loading}>
      <MeetingContext value={drawn}>{frame}</MeetingContext>
    </LoadingContext>
  );
}

/** Number of documents so far: another one is shown by a page of its own. */
function useCount(doc: Doc | undefined): number {
  const [counted, setCounted] = useState({ doc, nth: 0 });
  if (counted.doc === doc) return counted.nth;
  const next = { doc, nth: counted.nth + 1 };
  setCounted(next);
  return next.nth;
}

/** One player per recording: refetching equal details keeps the media objects, and so the player. */
function usePlayer({ media, fromDevice }: OpenedAbout): Player {
  const medium = media.find(({ tag }) => tag === 'video') ?? media.find(({ tag }) => tag === 'audio') ?? null;
  const player = useMemo(() => new Player(medium), [medium]);
  // Opens the media again after the server's response replaced the copy from this device.
  useEffect(() => player.open(), [player, fromDevice]);
  return player;
}

/** A question to support has the time in the recording with it. */
function useTimeForSupport(player: Player): void {
  const setRecording = useSetAtom(recordingTimeAtom);
  useEffect(() => {
    setRecording(player);
    return () => setRecording(null);
  }, [player, setRecording]);
}

/** Refetches details and session that came from this device as soon as the server is connected. */
function useRefetchOnline({ id, fromDevice }: OpenedAbout, connected: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!connected || !fromDevice) return;
    void queries.refetchQueries({ queryKey: aboutKey(id) });
    void queries.refetchQueries({ queryKey: sessionKey });
  }, [queries, connected, fromDevice, id]);
}

/** Refetches the details where the document may be written and they say otherwise, as after a time offline. */
function useRefetchOnRights({ id, permissions }: OpenedAbout, connected: boolean, editable: boolean): void {
  const queries = useQueryClient();
  const differ = useEffectEvent(() => permissions.includes('write') !== editable);
  useEffect(() => {
    if (connected && differ()) void queries.invalidateQueries({ queryKey: aboutKey(id) });
  }, [queries, id, connected, editable]);
}

/** Refetches the details after access was lost: they tell why, and what to show. */
function useRefetchOnLostAccess(id: string, lostAccess: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (lostAccess) void queries.resetQueries({ queryKey: aboutKey(id) });
  }, [queries, id, lostAccess]);
}

interface LockedProps {
  id: string;
  signedIn: boolean;
  wasOpen: boolean;
  onOpen: () => Promise<unknown>;
}

/**
 * A link with an access code leads to the sign-in page and back, as the specification says; from there, people without
 * an account come here again to type the code.
 */
function Locked({ wasOpen, ...props }: LockedProps) {
  const { pathname, search, hash } = useLocation();
  const asked = new URLSearchParams(search).has(codeQuery);
  if (!props.signedIn && !wasOpen && !asked) return <Navigate to={loginOrCodePath(pathname + search + hash)} replace />;
  return (
    <>
      <AppHeader />
      <main id={mainId} tabIndex={-1} className={styles.aside}>
        <AskCode {...props} />
        <UnsentHere id={props.id} />
      </main>
    </>
  );
}

/** No such recording or no permission; the page deliberately does not tell which. */
function Closed({ id }: { id: string }) {
  const { t } = useTranslation(['document', 'common']);
  const { pathname, search } = useLocation();
  const api = useApi();
  const queries = useQueryClient();
  // The page stays as it is until there is an answer: access may have been given, or the recording restored.
  const again = useMutation({
    mutationFn: () => parseResponse(api.meetings[':id'].about.$get({ param: { id } })),
    onSuccess: () => queries.resetQueries({ queryKey: aboutKey(id) }),
  });
  const signedIn = useSession().data?.principal.kind === 'user';
  const [unsent, discard] = useUnsent(id);
  const wasOpen = use(WasOpen);
  const visitorText = wasOpen || unsent.length > 0 ? 'goneSignIn' : 'goneVisitor';
  const way = signedIn ? (
    <>
      <Button look="quiet" busy={again.isPending} onClick={() => again.mutate()}>
        {t('common:tryAgain')}
      </Button>
      <ButtonLink to={paths.home}>{t('back')}</ButtonLink>
    </>
  ) : (
    <ButtonLink to={loginPath(pathname + search)} look="primary">
      {t('logIn')}
    </ButtonLink>
  );
  return (
    <>
      <AppHeader />
      <main id={mainId} tabIndex={-1} className={styles.aside}>
        <PageTitle>{t('gone')}</PageTitle>
        <Empty action={signedIn ? <RequestAccess id={id}>{way}</RequestAccess> : way}>
          {t(!signedIn ? visitorText : wasOpen ? 'endedText' : 'goneText')}
        </Empty>
        {unsent.map((words) => (
          <UnsentWords key={`${words.of} ${words.generation}`} words={words} onDone={() => discard(words)} />
        ))}
        <UnsentHere id={id} />
      </main>
    </>
  );
}

/** Words begun on this page before the recording was closed. */
export function UnsentHere({ id }: { id: string }) {
  const unsent = useAtomValue(unsentHereAtom)(id);
  const discard = useSetAtom(discardUnsentHereAtom);
  return unsent.map((words) => <UnsentWords key={words.of} words={words} onDone={() => discard(id, words.of)} />);
}
