import { Tabs as KitTabs } from '@mantine/core';
import { useAtom, useAtomValue, useSetAtom } from 'jotai';
import { useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';

import { joinSentences } from '#shared/i18n/sentences.ts';
import type { Progress } from '#shared/intake.ts';
import { readAbout } from '#shared/meetings/about.ts';
import { textOf } from '#shared/meetings/transcript.ts';

import { ProcessAgain } from '../../intake/process-again.tsx';
import { Transcribe } from '../../intake/transcribe.tsx';
import { part } from '../../errors/part.tsx';
import { ProgressLine, ProgressStatus, useEnding, useFailureText } from '../../progress/progress-line.tsx';
import { askSupportAtom } from '../../support/asking.ts';
import { Button } from '../../ui/button.tsx';
import { mainId } from '../../ui/skip-link.tsx';
import { useKeyboard } from '../../ui/use-keyboard.ts';
import { usePhone } from '../../ui/use-phone.ts';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import { AnalyticsPane } from '../panes/analytics/analytics-part.tsx';
import { PanesOf, Rail } from './rail.tsx';
import { FrameParts } from './frame-parts.ts';
import { FoundPlace } from '../open/found-place.tsx';
import styles from './frame.module.css';
import { Header } from './header.tsx';
import { ClosedLine } from '../panes/closing/closed-line.tsx';
import { PastPlace } from '../panes/history/past-place.tsx';
import { pastAtom } from '../panes/history/past.ts';
import { Annotations } from '../annotations/annotations.tsx';
import { CaretJumps } from './caret-jumps.tsx';
import { EditBar } from './edit-bar.tsx';
import { Keys } from './keys.tsx';
import { LiveNotices } from '../live/live-notices.tsx';
import { LoadingContext } from '../open/loading.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { UnsentNotes } from '../annotations/notes/unsent-notes.tsx';
import { DriftLine } from '../player/drift-line.tsx';
import { PlayerBar } from '../player/player-bar.tsx';
import { Presence } from './presence.tsx';
import { ReplacedHost } from '../panes/replace/replaced-host.tsx';
import { HiddenSpeakers } from '../panes/speakers/hidden.tsx';
import { Speakers } from '../panes/speakers/speakers.tsx';
import { UnsentPoints } from '../annotations/summary/unsent-points.tsx';
import { TagsAndSpeakers } from '../panes/tags/tags-and-speakers.tsx';
import { useOpenText } from '../open/open-text.ts';
import { TranscriptPane } from './pane.tsx';
import { useShared } from '../base/use-shared.ts';
import { viewAtom, type View } from '../open/view.ts';

const LiveStrip = part(() => import('../../recorder/live-strip.tsx'));

/** Page of a recording: the transcript in the middle, everything else at its edge. */
export function Frame() {
  const { t } = useTranslation('document');
  const { about, live } = useMeeting();
  const [view, setView] = useAtom(viewAtom);
  const past = useAtomValue(pastAtom) !== null;
  const loading = useContext(LoadingContext);
  // Every recording opens with its transcript.
  useEffect(() => () => setView('transcript'), [setView]);
  const keyboard = useKeyboard();
  const phone = usePhone();
  const typing = useTyping() && phone && keyboard !== null;
  const { Head = Header, Lines = OwnLines } = useContext(FrameParts);
  return (
    <div className={styles.page} data-keyboard={keyboard ? '' : undefined}>
      <Keys />
      <Head />
      <div className={styles.told}>
        {loading && <Loading />}
        <LiveNotices live={live} fromDevice={about.fromDevice === true} closed={Boolean(about.closed)} />
        <UnsentNotes />
        <Lines />
        <ClosedLine />
        <Preparing />
        <Untranscribed />
        <DriftLine />
        <HiddenSpeakers />
      </div>
      <div className={styles.body} inert={loading}>
        <main id={mainId} tabIndex={-1} className={styles.main}>
          <KitTabs
            // The page of a past version covers the live transcript.
            inert={past}
            value={view}
            keepMounted={false}
            // Any other way of hiding would destroy the editor with its undo history.
            keepMountedMode="display-none"
            onChange={(next) => next !== null && setView(next as View)}
            classNames={{ root: styles.tabs ?? '', list: styles.tabList ?? '', panel: styles.panel ?? '' }}
          >
            <KitTabs.List aria-label={t('tabs')}>
              <KitTabs.Tab value="transcript">{t('transcript')}</KitTabs.Tab>
              <KitTabs.Tab value="tags">{t('tagsAndSpeakers')}</KitTabs.Tab>
              <KitTabs.Tab value="analytics">{t('analytics')}</KitTabs.Tab>
            </KitTabs.List>
            {/* The editor stays mounted: its caret and its undo history outlast the tab. */}
            <KitTabs.Panel value="transcript" keepMounted>
              <EmptyText />
              <TranscriptPane />
            </KitTabs.Panel>
            <KitTabs.Panel value="tags">
              <TagsAndSpeakers />
            </KitTabs.Panel>
            <KitTabs.Panel value="analytics">
              <AnalyticsPane />
            </KitTabs.Panel>
          </KitTabs>
          <CaretJumps />
          <PastPlace />
          <FoundPlace />
          <Annotations />
        </main>
        <OwnRail />
        <Presence />
      </div>
      <div className={styles.foot}>
        <PlayerBar />
        {typing && <EditBar />}
      </div>
      <Speakers />
      <ReplacedHost />
    </div>
  );
}

/** Milliseconds that a transcript may take to load without a word. */
const shortWait = 500;

/** Line above a transcript that another one replaces once it is loaded. */
function Loading() {
  const { t } = useTranslation('document');
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), shortWait);
    return () => clearTimeout(timer);
  }, []);
  return (
    shown && (
      <p className={styles.readOnly} role="status">
        {t('opening')}
      </p>
    )
  );
}

/** Lines that only the page of the recording itself has. */
function OwnLines() {
  return (
    <>
      <UnsentPoints />
      <ReadOnly />
    </>
  );
}

/** Apart from the frame, so that a pane's count draws the rail alone. */
function OwnRail() {
  const usePanes = useContext(PanesOf);
  return <Rail panes={usePanes()} />;
}

/** Whether the editor has the focus. */
function useTyping(): boolean {
  const open = useOpenText();
  return useSyncExternalStore(
    (changed) => {
      open?.editor.on('focus', changed).on('blur', changed);
      return () => void open?.editor.off('focus', changed).off('blur', changed);
    },
    () => open?.editor.isFocused ?? false,
  );
}

/** Hint shown in a transcript without words. */
function EmptyText() {
  const { t } = useTranslation('document');
  const { live, about } = useMeeting();
  const text = textOf(live.doc);
  const empty = useShared(text, () => text.length === 0);
  const { recording = false, untranscribed = false } = about.progress ?? {};
  const [title, hint] = recording
    ? ([t('recordingNow'), t('recordingNowText')] as const)
    : untranscribed
      ? ([t('untranscribed'), t('untranscribedText')] as const)
      : ([t('empty'), live.editable && t('emptyText')] as const);
  return (
    empty && (
      <div className={styles.emptyPlace}>
        <p className={styles.empty}>
          <strong>{title}</strong>
          {hint}
        </p>
      </div>
    )
  );
}

/** Progress of a recording that is being prepared, and why it failed. */
function Preparing() {
  const { t } = useTranslation('document');
  const { about, live } = useMeeting();
  const { id, permissions, progress, closed } = about;
  const ending = useEnding(progress);
  // A response cached in this browser may predate the field `progress`.
  if (!progress || (progress.percentage >= 100 && !progress.failures_present && !ending)) return null;
  return (
    <section className={styles.preparing} aria-label={t('progress')}>
      <ProgressStatus progress={progress} />
      <ProgressLine progress={progress} />
      {progress.recording && <LiveStrip id={id} title={readAbout(live.doc).title} owns={permissions.includes('own')} />}
      {progress.failures_present && permissions.includes('own') && !closed && <ProcessAgain id={id} />}
      {progress.failures_present && <ReportFailure id={id} progress={progress} />}
    </section>
  );
}

/** Offers to transcribe a recording that was added without a transcript. */
function Untranscribed() {
  const { id, permissions, progress, closed } = useMeeting().about;
  const { doc } = useMeeting().live;
  const lang = useMemo(() => readAbout(doc).lang, [doc]);
  if (!progress?.untranscribed || !permissions.includes('own') || closed) return null;
  return (
    <div className={styles.preparing}>
      <Transcribe id={id} language={lang} />
    </div>
  );
}

/** Asks support for help; the request carries the id of the recording. */
function ReportFailure({ id, progress }: { id: string; progress: Progress }) {
  const { t } = useTranslation('document');
  const failureText = useFailureText();
  const ask = useSetAtom(askSupportAtom);
  return (
    <Button look="quiet" onClick={() => ask(t('failed.report', { reason: failureText(progress), id }))}>
      {t('failed.contact')}
    </Button>
  );
}

/** Explains why the transcript cannot be edited. */
function ReadOnly() {
  const { t } = useTranslation('document');
  const { about, live } = useMeeting();
  if (live.editable || live.ended !== null || about.closed) return null;
  return (
    <p className={styles.readOnly} role="status">
      {joinSentences(
        t(about.permissions.includes('comment') ? 'mayComment' : 'readOnly'),
        about.owner.name === '' ? '' : t('readOnlyHow', { name: about.owner.name }),
      )}
    </p>
  );
}

/** Placeholder of the page while it loads. */
export function FrameBones({ label }: { label?: string }) {
  return (
    <div className={styles.page} data-first-wait="">
      <main id={mainId} tabIndex={-1} className={styles.bones}>
        <Waiting page {...(label !== undefined && { label })}>
          <div className={styles.boneLines}>
            <Bone width="30%" height="2rem" />
            {[92, 85, 60, 90, 78, 40, 88, 70].map((width) => (
              <Bone key={width} width={`${width}%`} height="1.125rem" />
            ))}
          </div>
        </Waiting>
      </main>
    </div>
  );
}
