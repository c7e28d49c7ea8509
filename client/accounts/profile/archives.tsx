import { IconFileZip } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import type { ArchiveView } from '#shared/archives.ts';

import { ApiError, useApi } from '../../api.ts';
import { useConfirm } from '../../store.ts';
import { useTexts } from '../../texts.ts';
import { Button, FileLink } from '../../ui/button.tsx';
import { CalmStatus } from '../../ui/calm-status.tsx';
import { RelativeDate } from '../../ui/dates.tsx';
import { failureMessage } from '../../ui/failure-message.ts';
import { sizeText } from '../../ui/sizes.ts';
import { useTranslation } from '../../use-translation.ts';
import styles from './profile.module.css';
import { Pending, Section } from './section.tsx';

const archivesKey = ['archives'] as const;
/** Milliseconds between two looks at an archive that is being made. */
const lookEvery = 1500;

/** All of one's recordings as one file, made in the background. */
export function Archives() {
  const { t } = useTranslation('finding');
  const api = useApi();
  const isReady = useTexts('finding');
  const archives = useQuery({
    queryKey: archivesKey,
    queryFn: ({ signal }) => parseResponse(api.archives.$get({}, { init: { signal } })),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.archives.some(isWaiting) ? lookEvery : false),
  });
  // The title is one of the texts.
  if (!isReady) return null;
  if (!archives.data) {
    return (
      <Section title={t('archives.title')} lead={t('archives.lead')}>
        <Pending error={archives.error} onRetry={() => void archives.refetch()} />
      </Section>
    );
  }
  const list = archives.data.archives;
  return (
    <Section title={t('archives.title')} lead={t('archives.lead')}>
      {list.length > 0 ? (
        <ul className={styles.list} aria-label={t('archives.title')}>
          {list.map((archive) => (
            <Archive key={archive.id} archive={archive} />
          ))}
        </ul>
      ) : (
        <p className={styles.muted}>{t('archives.none')}</p>
      )}
      {!list.some(isWaiting) && <MakeArchive />}
    </Section>
  );
}

const isWaiting = ({ state }: ArchiveView): boolean => state === 'waiting';

function MakeArchive() {
  const { t } = useTranslation(['common', 'shell', 'finding']);
  const api = useApi();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => parseResponse(api.archives.$post({ json: { all: true } })),
    // The error shows beside the button.
    meta: { quiet: true },
    onSettled: () => queries.invalidateQueries({ queryKey: archivesKey }),
  });
  const code = error instanceof ApiError ? error.code : null;
  const words =
    code === 'INVALID'
      ? t('finding:archives.empty')
      : code === 'UNSAVED'
        ? t('finding:archives.noSpace')
        : code === 'CONFLICT'
          ? null
          : error && failureMessage(error, t);
  return (
    <>
      {words !== null && (
        <p className={styles.failed} role="alert">
          {words}
        </p>
      )}
      <Button busy={isPending} onClick={() => mutate()}>
        {t('finding:archives.make')}
      </Button>
    </>
  );
}

function Archive({ archive }: { archive: ArchiveView }) {
  const { id, folder, recordings, state, createdAt } = archive;
  const { t } = useTranslation(['common', 'finding', 'library']);
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const remove = useMutation({
    mutationFn: () => api.archives[':id'].$delete({ param: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: archivesKey }),
  });
  const waiting = state === 'waiting';
  const count = t('library:found', { count: recordings });
  const name = folder === null ? count : t('finding:archives.folder', { name: folder, count });
  const ask = async () => {
    const sure = await confirm({
      title: waiting ? t('finding:archives.stopTitle') : t('finding:archives.deleteTitle'),
      text: waiting ? t('finding:archives.stopText') : t('finding:archives.deleteText'),
      action: waiting ? t('finding:archives.stop') : t('library:delete'),
      danger: true,
    });
    if (sure) remove.mutate();
  };
  return (
    <li>
      <IconFileZip size={20} stroke={1.5} aria-hidden="true" />
      <div>
        <p className={styles.name}>{name}</p>
        <p className={styles.muted}>
          <RelativeDate at={new Date(createdAt)} />
          {' · '}
          <State archive={archive} />
        </p>
        {archive.missing > 0 && (
          <p className={styles.muted}>{t('finding:archives.missing', { count: archive.missing })}</p>
        )}
      </div>
      <div className={styles.row}>
        {state === 'ready' && (
          <FileLink href={`/api/archives/${id}`} label={t('finding:archives.downloadOf', { name })}>
            {t('finding:archives.download')}
          </FileLink>
        )}
        <Button
          look="quiet"
          aria-label={waiting ? t('finding:archives.stopOf', { name }) : t('finding:archives.deleteOf', { name })}
          busy={remove.isPending}
          onClick={() => void ask()}
        >
          {waiting ? t('finding:archives.stop') : t('library:delete')}
        </Button>
      </div>
    </li>
  );
}

function State({ archive: { state, done, recordings, bytes, until, failure } }: { archive: ArchiveView }) {
  const { t, i18n } = useTranslation('finding');
  const day = (at: string) =>
    new Intl.DateTimeFormat(i18n.language, { day: 'numeric', month: 'long' }).format(new Date(at));
  if (state === 'failed') return <span role="status">{t(`archives.failure.${failure ?? 'unexpected'}`)}</span>;
  if (state === 'ready')
    return (
      <>
        {bytes !== null && sizeText(bytes, i18n.language)}
        {' · '}
        {until !== null && t('archives.until', { day: day(until) })}
        <CalmStatus text={t('archives.ready')} />
      </>
    );
  const words = t('archives.progress', { done, all: recordings });
  return (
    <>
      {words} <progress value={done} max={recordings} aria-label={words} />
      <CalmStatus text={words} />
    </>
  );
}
