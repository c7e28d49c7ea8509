import { IconListDetails, IconLock, IconPlus } from '@tabler/icons-react';
import { parseResponse } from 'hono/client';
import { useAtomValue } from 'jotai';
import { useContext, useState, useSyncExternalStore } from 'react';
import type { Doc } from 'yjs';

import { newId } from '#shared/ids.ts';
import { addSummary, lastOrder, mostSummary, readSummary } from '#shared/meetings/summary.ts';
import type { Visibility } from '#shared/meetings/visibility.ts';

import { ApiError, useApi } from '../../../api.ts';
import { failureMessage } from '../../../ui/failure-message.ts';
import { usePreferences } from '../../../preferences.ts';
import { useSession } from '../../../session.ts';
import { useNotify } from '../../../store.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { InPanes } from '../../base/in-panes.ts';
import { annotationsAtom } from '../base/open-annotations.ts';
import type { LiveDocument, LiveRoom } from '../../live/room.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { SummaryList, useSummary } from './summary-list.tsx';
import styles from './summary-pane.module.css';

const nothing = () => () => undefined;
const none = (): null => null;
/** Limit in milliseconds for saving before publishing; after that the connection counts as lost. */
const patience = 10_000;

/** Summary of the recording: everyone's points, and below them the private ones. */
export default function SummaryPane() {
  const { t } = useTranslation('summary');
  const { live } = useMeeting();
  const { doc, editable } = live;
  const room = useAtomValue(annotationsAtom)?.notes ?? null;
  const own = useSyncExternalStore<LiveDocument | null>(room?.subscribe ?? nothing, room?.read ?? none);
  const shared = useSummary(doc, 'shared');
  const [begun, setBegun] = useState<string | null>(null);
  const [mine] = useState(() => new Set<string>());
  const { summary: drafts } = useContext(InPanes);
  // With private points by default, sharing a new one is a deliberate choice.
  const [{ hardcorePrivacy: alone = false }] = usePreferences();
  const begin = (into: Doc, visibility: Visibility) => {
    if (readSummary(into, visibility).length >= mostSummary) return;
    const id = newId();
    mine.add(id);
    addSummary(into, visibility, { id, order: lastOrder(into, visibility), text: '' }, 'summary');
    setBegun(id);
  };
  return (
    <div className={styles.pane}>
      {shared.length === 0 && (
        <Empty title={t('empty')} icon={<IconListDetails size={28} stroke={1.5} />}>
          {t(editable ? 'emptyText' : 'emptyReading')}
        </Empty>
      )}
      <SummaryList
        key={doc.guid}
        doc={doc}
        visibility="shared"
        editable={editable}
        begun={begun}
        onBegun={setBegun}
        mine={mine}
        onNext={alone ? () => own?.ready && begin(own.doc, 'private') : null}
        onReveal={null}
      />
      {editable && (
        <Button
          wide
          {...(alone && { look: 'quiet' })}
          icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}
          disabled={shared.length >= mostSummary}
          onClick={() => begin(doc, 'shared')}
        >
          {t(alone ? 'addForAll' : 'add')}
        </Button>
      )}
      {room && own?.ready && (
        <PrivatePoints
          room={room}
          live={own}
          alone={alone}
          mayReveal={editable}
          begun={begun}
          onBegun={setBegun}
          mine={mine}
          onBegin={begin}
        />
      )}
      {drafts}
    </div>
  );
}

interface PrivatePointsProps {
  room: LiveRoom;
  live: LiveDocument;
  /** Whether new points are private by default. */
  alone: boolean;
  mayReveal: boolean;
  begun: string | null;
  onBegun: (id: string | null) => void;
  mine: Set<string>;
  onBegin: (doc: Doc, visibility: Visibility) => void;
}

/** Private points. */
function PrivatePoints({ room, live, alone, mayReveal, begun, onBegun, mine, onBegin }: PrivatePointsProps) {
  const { t } = useTranslation(['summary', 'annotations']);
  const { t: tCommon } = useTranslation(['common', 'shell']);
  const { about } = useMeeting();
  const api = useApi();
  const notify = useNotify();
  const principal = useSession().data?.principal;
  const { doc, editable } = live;
  const points = useSummary(doc, 'private');
  const reveal = async (itemId: string) => {
    if (!(await saved(room))) return notify({ message: t('revealOffline') });
    try {
      const param = { id: about.id, itemId, type: 'summary' };
      const headers = { 'X-Request-ID': newId(), 'X-Acting-As': String(principal?.id ?? '') };
      await parseResponse(api.meetings[':id'].outcomes[':itemId'].reveal[':type'].$post({ param }, { headers }));
      notify({ type: 'info', message: t('revealed') });
    } catch (error) {
      const forbidden = error instanceof ApiError && error.status === 403;
      notify({
        message: forbidden ? t('annotations:refused.forbidden.publishSummary') : failureMessage(error, tCommon),
      });
    }
  };
  return (
    <section className={styles.own} aria-label={t('own')}>
      <h3 className={styles.title}>
        <IconLock size={16} stroke={1.5} aria-hidden="true" />
        {t('own')}
      </h3>
      <p className={styles.note}>{t('ownText')}</p>
      <SummaryList
        key={doc.guid}
        doc={doc}
        visibility="private"
        editable={editable}
        begun={begun}
        onBegun={onBegun}
        mine={mine}
        onNext={null}
        onReveal={mayReveal ? (id) => void reveal(id) : null}
      />
      {editable && (
        <Button
          wide
          {...(!alone && { look: 'quiet' })}
          icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}
          disabled={points.length >= mostSummary}
          onClick={() => onBegin(doc, 'private')}
        >
          {t('addOwn')}
        </Button>
      )}
    </section>
  );
}

/** Resolves when the server has everything typed: it publishes only what it has. */
function saved(room: LiveRoom): Promise<boolean> {
  const isSaved = () => room.read().state.pending === 0;
  return new Promise((resolve) => {
    const done = (yes: boolean) => {
      clearTimeout(timer);
      stop();
      resolve(yes);
    };
    const timer = setTimeout(() => done(false), patience);
    const stop = room.subscribe(() => isSaved() && done(true));
    if (isSaved() && room.read().state.connected) done(true);
    else if (!room.read().state.connected) done(false);
  });
}
