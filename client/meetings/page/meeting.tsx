import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtomValue, useSetAtom } from 'jotai';
import { use, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useParams } from 'react-router-dom';

import type { MeetingAbout } from '#shared/meetings/meeting.ts';
import { keepBeside, keptBeside } from '#sync/client/copies.ts';

import { ApiError, useApi, type Api } from '../../api.ts';
import { Failure } from '../../errors/failure.tsx';
import { isUnderWay } from '../../progress/progress-line.tsx';
import { useMeetingProgress } from '../../progress/use-progress.ts';
import { useProfileLanguage } from '../../language.ts';
import { answerOr } from '../../last-answer.ts';
import { loginPath, paths } from '../../paths.ts';
import { sessionKey, useSession } from '../../session.ts';
import { AskCode, RequestAccess } from '../../sharing/closed.tsx';
import { keepScreens } from '../../sw/keep-screens.ts';
import { useTexts } from '../../texts.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { mainId } from '../../ui/skip-link.tsx';
import { Deleted, DeletingContext, type Deleting } from './deleting.tsx';
import { Frame, FrameBones } from './frame.tsx';
import { useRenewed } from '../panes/history/use-renewed.ts';
import { leftHereAtom, letHereGoAtom } from '../unsent/unsent-here.ts';
import { UnsentWords } from '../live/unsent-words.tsx';
import { useUnsent } from '../unsent/use-unsent.ts';
import { useMerged } from '../live/use-merged.ts';
import { useRoom } from '../live/use-room.ts';
import { MeetingContext, type OpenedAbout } from '../open/meeting-context.ts';
import { Player } from '../sound/player.ts';
import { useStoredPosition, useListening } from '../text/use-listening.ts';
import { SpeakerDesk } from '../text/desk.ts';
import { useTakenPoints } from '../annotations/summary/unsent-points.tsx';
import { SegmentMarks } from '../text/marks.ts';
import { TextPlace } from '../open/open-text.ts';
import styles from './meeting.module.css';

/** While the recording is being prepared, and no line tells how far it is. */
const askEvery = 15_000;

/** What never comes. */
const answerLater = new Promise<never>(() => {});

const roomOf = (id: string): string => `${id}/transcript`;

const aboutKey = (id: string) => ['meeting', id, 'about'];

/** What is known of a recording; without a network, what this browser keeps of it beside its text. */
const aboutQuery = (api: Api, id: string, userId: string | null) => ({
  queryKey: aboutKey(id),
  queryFn: async ({ signal, client }: { signal: AbortSignal; client: QueryClient }): Promise<OpenedAbout> => {
    const asked = parseResponse(api.meetings[':id'].about.$get({ param: { id } }, { init: { signal } }));
    if (userId === null) return asked;
    // A browser that keeps nothing opens nothing without a network.
    asked.then((about) => keepBeside(userId, roomOf(id), about)).catch(() => {});
    // Another answer may have been quicker: then that one is the newer.
    const late = (about: OpenedAbout) =>
      void client.setQueryData<OpenedAbout>(aboutKey(id), (now) => (now && !now.fromDevice ? now : about));
    const looked = keptBeside(userId, roomOf(id)).then(
      (kept) => kept as MeetingAbout | undefined,
      () => undefined,
    );
    // An answer that is here sooner than what is kept is not kept waiting for it.
    return Promise.race([
      asked.catch(() => answerLater),
      looked.then((kept) => answerOr<OpenedAbout>(asked, kept && { ...kept, fromDevice: true }, late)),
    ]);
  },
});

/** A recording: who may open it finds its text ready to work on. */
export default function MeetingPage() {
  const { docId = '' } = useParams();
  useProfileLanguage();
  const ready = useTexts('document');
  const session = useSession();
  const principal = session.data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const api = useApi();
  const known = principal !== undefined || session.error !== null;
  const [underWay, setUnderWay] = useState(false);
  const told = useMeetingProgress(underWay ? docId : null, aboutKey(docId));
  const { data, error, refetch } = useQuery({
    ...aboutQuery(api, docId, userId),
    enabled: known,
    // Its sound comes when it is ready.
    refetchInterval: ({ state }) =>
      !told && state.data?.progress && isUnderWay(state.data.progress) ? askEvery : false,
  });
  const [deleting, setDeleting] = useState<Deleting>(null);
  const goingOn = data?.progress !== undefined && isUnderWay(data.progress);
  if (goingOn !== underWay) setUnderWay(goingOn);
  if (ready && deleting?.of === docId && deleting.done) return <Deleted title={deleting.title} />;
  if (error && !data) {
    // Its own page is told that it is gone before whoever deletes it is.
    if (deleting?.of === docId) return <FrameBones />;
    if (error instanceof ApiError && error.code === 'IC')
      return ready ? <Locked id={docId} signedIn={userId !== null} onOpen={refetch} /> : <FrameBones />;
    const closed = error instanceof ApiError && [403, 404].includes(error.status);
    if (closed) return ready ? <Closed id={docId} /> : <FrameBones />;
    return (
      <div className={styles.aside}>
        <Failure page error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (!data || !ready) return <FrameBones />;
  return (
    <DeletingContext value={[deleting, setDeleting]}>
      <Meeting key={data.id} about={data} />
    </DeletingContext>
  );
}

function Meeting({ about }: { about: OpenedAbout }) {
  const { t } = useTranslation('document');
  const live = useRoom(roomOf(about.id));
  const [deleting] = use(DeletingContext);
  const player = usePlayer(about);
  useStoredPosition(player, about.id);
  const heard = useListening(player, live?.doc);
  const [text] = useState(() => new TextPlace());
  const [speakers] = useState(() => new SpeakerDesk());
  const [marks] = useState(() => new SegmentMarks());
  const value = useMemo(
    () => live && heard && { about, live, player, ...heard, text, speakers, marks },
    [about, live, player, heard, text, speakers, marks],
  );
  useMerged(live?.merged ?? null);
  useTakenPoints(about.id, live);
  useRenewed(about.id, live?.generation ?? null);
  useReturn(about, live?.state.connected ?? false);
  useLookAgain(about.id, value?.live.ended === 'access' && value.live.left.length === 0);
  const keeps = live?.ready === true && live.state.keptHere;
  useEffect(() => {
    if (keeps) keepScreens();
  }, [keeps]);
  if (!value) return <FrameBones />;
  if (value.live.ended === 'access' && value.live.left.length === 0)
    return deleting === null ? <Closed id={about.id} /> : <FrameBones />;
  // Nothing is shown before it is known that this is the document, and not just an empty one.
  if (!value.live.ready && value.live.ended === null) return <FrameBones label={t('opening')} />;
  return <MeetingContext value={value}>{frame}</MeetingContext>;
}

/** Always the same element: it is drawn when something it reads is another, not whenever a letter is saved. */
const frame = <Frame />;

/** One for as long as the recording is the same: another answer that says the same is the same object. */
function usePlayer({ media, fromDevice }: OpenedAbout): Player {
  const medium = media.find(({ tag }) => tag === 'video') ?? media.find(({ tag }) => tag === 'audio') ?? null;
  const player = useMemo(() => new Player(medium), [medium]);
  // Tried again once the server has been heard.
  useEffect(() => player.open(), [player, fromDevice]);
  return player;
}

/** What this browser had kept is asked for again as soon as the server is there. */
function useReturn({ id, fromDevice }: OpenedAbout, connected: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!connected || !fromDevice) return;
    void queries.refetchQueries({ queryKey: aboutKey(id) });
    void queries.refetchQueries({ queryKey: sessionKey });
  }, [queries, connected, fromDevice, id]);
}

/** Whoever was put out is told why: the way in decides again. */
function useLookAgain(id: string, putOut: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (putOut) void queries.resetQueries({ queryKey: aboutKey(id) });
  }, [queries, id, putOut]);
}

/** The link asks for a code. */
function Locked(props: { id: string; signedIn: boolean; onOpen: () => Promise<unknown> }) {
  return (
    <main id={mainId} tabIndex={-1} className={styles.aside}>
      <AskCode {...props} />
      <LeftHere id={props.id} />
    </main>
  );
}

/** No such recording, or not for this person: which of the two, nobody is told. */
function Closed({ id }: { id: string }) {
  const { t } = useTranslation('document');
  const { pathname, search } = useLocation();
  const signedIn = useSession().data?.principal.kind === 'user';
  const [left, letGo] = useUnsent(id);
  const way = signedIn ? (
    <ButtonLink to={paths.home}>{t('back')}</ButtonLink>
  ) : (
    <ButtonLink to={loginPath(pathname + search)} look="primary">
      {t('logIn')}
    </ButtonLink>
  );
  return (
    <main id={mainId} tabIndex={-1} className={styles.aside}>
      <PageTitle>{t('gone')}</PageTitle>
      <Empty title={t('gone')} action={signedIn ? <RequestAccess id={id}>{way}</RequestAccess> : way}>
        {t(signedIn ? 'goneText' : 'goneSignIn')}
      </Empty>
      {left.map((words) => (
        <UnsentWords key={`${words.of} ${words.generation}`} words={words} onDone={() => letGo(words)} />
      ))}
      <LeftHere id={id} />
    </main>
  );
}

/** What was begun on this page before its door was closed. */
function LeftHere({ id }: { id: string }) {
  const left = useAtomValue(leftHereAtom)(id);
  const letGo = useSetAtom(letHereGoAtom);
  return left.map((words) => <UnsentWords key={words.of} words={words} onDone={() => letGo(id, words.of)} />);
}
