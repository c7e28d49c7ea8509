import { IconArrowDown, IconArrowLeft, IconArrowUp, IconPencil, IconRestore } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import { memo, useEffect, useMemo, useRef, useState } from 'react';

import {
  longestVersionName,
  type ChangesAnswer,
  type ChangesSegment,
  type VersionView,
} from '#shared/meetings/history.ts';
import { initialsOf } from '#shared/initials.ts';

import { useApi } from '../../../api.ts';
import { failureMessage } from '../../../ui/failure-message.ts';
import { Failure } from '../../../errors/failure.tsx';
import { useConfirm, useNotify } from '../../../store.ts';
import { Avatar, colorOf } from '../../../ui/avatar.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField, SwitchField, TextField } from '../../../ui/field.tsx';
import { Actions, Form } from '../../../ui/form.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { usePhone } from '../../../ui/use-phone.ts';
import { Bone, Waiting } from '../../../ui/waiting.tsx';
import { useEscape } from '../../base/actions.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';
import { SpeakerBadge } from '../../text/speaker-badge.tsx';
import { groupsOf, changesIn, type PieceGroup } from './groups.ts';
import { Heard } from './heard.ts';
import { pastAtom, versionsKey, type PastVersion } from './past.ts';
import styles from './past-text.module.css';
import { useNames, type Names } from './use-names.ts';
import { momentName } from './when.ts';

/** Views of a version: changes to the current one, changes since the previous one, or the author of each word. */
const views = ['now', 'before', 'authors'] as const;
type View = (typeof views)[number];

function useChanges({ version, before }: VersionView, view: View) {
  const { about } = useMeeting();
  const api = useApi();
  const { id } = about;
  return useQuery({
    queryKey: ['meeting', id, 'changes', version, view],
    queryFn: async ({ signal }) => {
      const init = { init: { signal } };
      let [from, to]: [number | null, number] = [view === 'before' ? before : null, version];
      if (view === 'now') {
        const { current } = await parseResponse(
          api.meetings[':id'].versions.$get({ param: { id }, query: { size: '1' } }, init),
        );
        [from, to] = [version, current];
      }
      return parseResponse(
        api.meetings[':id'].versions[':version'].changes.$get(
          { param: { id, version: String(to) }, query: from === null ? {} : { since: String(from) } },
          init,
        ),
      );
    },
    // Past versions never change; the current one is fetched for each comparison.
    staleTime: view === 'now' ? 0 : Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Version shown instead of the transcript: to read, compare, play, name and restore. */
export default function PastText({ past }: { past: PastVersion }) {
  const { t, i18n } = useTranslation('history');
  const { about } = useMeeting();
  const choose = useSetAtom(pastAtom);
  const [view, setView] = useState<View>(past.newest ? 'before' : 'now');
  const [changedOnly, setChangedOnly] = useState(false);
  const { data, error, refetch } = useChanges(past, view);
  const heading = useRef<HTMLHeadingElement>(null);
  const port = useRef<HTMLDivElement>(null);
  useEscape(true, () => choose(null));
  // Moves the focus here for keyboard and screen reader users.
  useEffect(() => heading.current?.focus(), []);
  const when = momentName(new Date(past.at), i18n.language);
  return (
    <section className={styles.past} aria-label={t('past', { when })}>
      <header className={styles.head}>
        <IconButton
          label={t('back')}
          icon={<IconArrowLeft size={20} stroke={1.5} aria-hidden="true" />}
          onClick={() => choose(null)}
        />
        <div className={styles.titles}>
          <h2 ref={heading} className={styles.title} tabIndex={-1}>
            {past.name?.text ?? when}
          </h2>
          {past.name && <p className={styles.when}>{when}</p>}
        </div>
        <div className={styles.tools}>
          {about.permissions.includes('history') && <NameVersion key={past.name?.text} past={past} />}
          <Restore past={past} when={when} />
        </div>
      </header>
      <div className={styles.bar}>
        <SelectField
          label={t('compare')}
          options={views.map((one) => ({ value: one, label: t(`views.${one}`) }))}
          value={view}
          onChange={(value) => setView(views.find((one) => one === value) ?? 'now')}
        />
        {data && view !== 'authors' && (
          <>
            <SwitchField label={t('changedOnly')} checked={changedOnly} onChange={setChangedOnly} />
            <Walk key={view} changes={data} port={port} />
          </>
        )}
      </div>
      <div ref={port} className={styles.port} tabIndex={0} role="region" aria-label={t('text')}>
        {data ? (
          <Text changes={data} changedOnly={changedOnly && view !== 'authors'} port={port} />
        ) : error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Waiting label={t('loadingText')}>
            <div className={styles.bones}>
              {[92, 85, 60, 90, 78, 40].map((width) => (
                <Bone key={width} width={`${width}%`} height="1.125rem" />
              ))}
            </div>
          </Waiting>
        )}
      </div>
    </section>
  );
}

// ---- The text ----------------------------------------------------------------------------------

interface TextProps {
  changes: ChangesAnswer;
  changedOnly: boolean;
  port: React.RefObject<HTMLDivElement | null>;
}

function Text({ changes, changedOnly, port }: TextProps) {
  const { t } = useTranslation('history');
  const { player } = useMeeting();
  const names = useNames(changes.people);
  const list = useRef<HTMLOListElement>(null);
  const { segments, speakers } = changes;
  useEffect(() => {
    if (!list.current || !port.current) return;
    return new Heard(player, list.current, segments).open(port.current);
  }, [player, segments, port, changedOnly]);
  const voices = useMemo(() => new Map(speakers.map((speaker) => [speaker.id, speaker])), [speakers]);
  const play = useMemo(() => (start: number) => player.play(start * 1000), [player]);
  const shown = segments.flatMap((segment, place) => (changedOnly && !segment.changed ? [] : [{ segment, place }]));
  if (shown.length === 0) return <p className={styles.none}>{t(changedOnly ? 'unchanged' : 'noText')}</p>;
  return (
    <>
      {changes.people.length > 0 && (
        <ul className={styles.people} aria-label={t('people')}>
          {changes.people.map(({ id }) => (
            <li key={id}>
              <Avatar name={names.of(id)} id={id} size={24} />
              {names.of(id)}
            </li>
          ))}
        </ul>
      )}
      {changes.titleBefore !== undefined && (
        <p className={styles.retitled}>{t('retitled', { before: changes.titleBefore, now: changes.title })}</p>
      )}
      <ol ref={list} className={styles.segments}>
        {shown.map(({ segment, place }) => (
          <Segment
            key={place}
            place={place}
            segment={segment}
            speaker={voices.get(segment.speaker)?.name ?? ''}
            color={voices.get(segment.speaker)?.color ?? 0}
            speakerBefore={segment.speakerBefore === undefined ? null : (voices.get(segment.speakerBefore)?.name ?? '')}
            names={names}
            onPlay={play}
          />
        ))}
      </ol>
    </>
  );
}

interface SegmentProps {
  segment: ChangesSegment;
  place: number;
  speaker: string;
  color: number;
  speakerBefore: string | null;
  names: Names;
  onPlay: (start: number) => void;
}

const Segment = memo(function Segment({ segment, place, speaker, color, speakerBefore, names, onPlay }: SegmentProps) {
  const { t } = useTranslation(['history', 'player']);
  const { start, split, pieces } = segment;
  const time = clockTime(start * 1000);
  return (
    <li className={styles.segment} data-place={place}>
      <div className={styles.gutter} data-change={split || speakerBefore !== null || undefined}>
        <button
          type="button"
          className={styles.time}
          aria-label={t('player:playFrom', { time })}
          onClick={() => onPlay(start)}
        >
          {time}
        </button>
        {speaker !== '' && (
          <span className={styles.speaker}>
            <SpeakerBadge name={speaker} color={color} />
            <span className={styles.speakerName}>{speaker}</span>
          </span>
        )}
        {speakerBefore !== null && (
          <span className={styles.note}>
            {t('history:spokeBefore', { name: speakerBefore || t('player:unknownSpeaker') })}
          </span>
        )}
        {split && <span className={styles.note}>{t('history:split')}</span>}
      </div>
      <p className={styles.text}>
        {groupsOf(pieces).map((group, i) => (
          // The index is a stable key: the order never changes.
          <Group key={i} group={group} names={names} />
        ))}
      </p>
    </li>
  );
});

function Group({ group, names }: { group: PieceGroup; names: Names }) {
  const { t } = useTranslation('history');
  const { pieces, changed } = group;
  if (!changed)
    return pieces.map(({ text, by = [] }, i) =>
      by.length === 0 ? (
        text
      ) : (
        <Hand key={i} text={text} by={by} names={names} kind="same" said={t('wrote', { name: names.list(by) })} />
      ),
    );
  return (
    <span className={styles.change} data-change="">
      {pieces.map(({ kind, text, by = [] }, i) => (
        <Hand
          key={i}
          text={text}
          by={by}
          names={names}
          kind={kind}
          // Shows the initials once when one person replaced a word.
          quiet={sameHands(by, pieces[i + 1]?.by)}
          said={t(kind === 'gone' ? 'took' : 'put', { name: by.length === 0 ? t('nobody') : names.list(by) })}
        />
      ))}
    </span>
  );
}

const sameHands = (one: readonly string[], other: readonly string[] | undefined): boolean =>
  other !== undefined && one.join() === other.join();

interface HandProps {
  kind: ChangesSegment['pieces'][number]['kind'];
  text: string;
  by: readonly string[];
  names: Names;
  said: string;
  quiet?: boolean;
}

/** Words with their authors: as colour, as initials, and as text for screen readers. */
function Hand({ kind, text, by, names, said, quiet = false }: HandProps) {
  const [first] = by;
  const words = text.trimEnd();
  const Element = kind === 'gone' ? 'del' : kind === 'new' ? 'ins' : 'span';
  return (
    <Element
      className={styles[kind]}
      title={said}
      data-voice={by.length === 1 && first !== undefined ? colorOf(first) + 1 : undefined}
    >
      <span className={styles.said}>{said} </span>
      {words.replaceAll('\n', '¶ ')}
      {by.length > 0 && !quiet && (
        <span className={styles.hands} aria-hidden="true">
          {by.map((id) => initialsOf(names.of(id))).join('·')}
        </span>
      )}
      {text.slice(words.length).replaceAll('\n', '¶ ')}
    </Element>
  );
}

/** Buttons to step through the changes, with the current position. */
function Walk({ changes, port }: { changes: ChangesAnswer; port: React.RefObject<HTMLDivElement | null> }) {
  const { t } = useTranslation('history');
  const count = useMemo(() => changesIn(changes.segments), [changes]);
  const [at, setAt] = useState<number | null>(null);
  const go = (step: 1 | -1) => {
    const all = [...(port.current?.querySelectorAll('[data-change]') ?? [])];
    const next = at === null ? (step === 1 ? 0 : all.length - 1) : (at + step + all.length) % all.length;
    for (const one of all) one.removeAttribute('data-current');
    all[next]?.setAttribute('data-current', '');
    all[next]?.scrollIntoView({ block: 'center' });
    setAt(next);
  };
  return (
    <div className={styles.walk}>
      <p role="status">{at === null ? t('changes', { count }) : t('change', { at: at + 1, count })}</p>
      <IconButton
        label={t('previous')}
        icon={<IconArrowUp size={18} stroke={1.5} aria-hidden="true" />}
        disabled={count === 0}
        onClick={() => go(-1)}
      />
      <IconButton
        label={t('next')}
        icon={<IconArrowDown size={18} stroke={1.5} aria-hidden="true" />}
        disabled={count === 0}
        onClick={() => go(1)}
      />
    </div>
  );
}

// ---- Actions on a version ----------------------------------------------------------------------

function NameVersion({ past }: { past: PastVersion }) {
  const { t } = useTranslation('history');
  const { t: common } = useTranslation(['common', 'shell']);
  const { about } = useMeeting();
  const api = useApi();
  const queries = useQueryClient();
  const phone = usePhone();
  const choose = useSetAtom(pastAtom);
  const [open, setOpen] = useState(false);
  const [name, setName] = useState(past.name?.text ?? '');
  const param = { id: about.id, version: String(past.version) };
  const save = useMutation({
    mutationFn: async () => {
      const wanted = name.trim();
      const route = api.meetings[':id'].versions[':version'].name;
      if (wanted === '') await parseResponse(route.$delete({ param }));
      else await parseResponse(route.$put({ param, json: { name: wanted } }));
      return wanted;
    },
    onSuccess: (text) => {
      setOpen(false);
      choose({ ...past, name: text === '' ? null : { text, by: '', at: new Date().toISOString() } });
      void queries.invalidateQueries({ queryKey: versionsKey(about.id) });
    },
  });
  const [label, icon] = [
    t(past.name ? 'rename' : 'name'),
    <IconPencil key="icon" size={18} stroke={1.5} aria-hidden="true" />,
  ];
  return (
    <>
      {phone ? (
        <IconButton label={label} icon={icon} onClick={() => setOpen(true)} />
      ) : (
        <Button icon={icon} onClick={() => setOpen(true)}>
          {label}
        </Button>
      )}
      <Dialog opened={open} onClose={() => setOpen(false)} title={t('name')} size="sm">
        <Form errors={save.error ? [failureMessage(save.error, common)] : []} onSubmit={() => save.mutate()}>
          <TextField
            label={t('nameLabel')}
            hint={past.name ? t('nameHint') : undefined}
            value={name}
            maxLength={longestVersionName}
            onChange={setName}
            data-autofocus
          />
          <Actions>
            <Button look="quiet" onClick={() => setOpen(false)}>
              {common('common:cancel')}
            </Button>
            <Button type="submit" look="primary" busy={save.isPending} disabled={name.trim() === '' && !past.name}>
              {t('save')}
            </Button>
          </Actions>
        </Form>
      </Dialog>
    </>
  );
}

/** Whether a version is the current one, until something is changed. */
function useIsCurrent({ newest }: PastVersion): boolean {
  const { doc } = useMeeting().live;
  const [looked] = useState(doc);
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    const change = () => setChanged(true);
    doc.on('update', change);
    return () => doc.off('update', change);
  }, [doc]);
  return newest && !changed && doc === looked;
}

function Restore({ past, when }: { past: PastVersion; when: string }) {
  const { t } = useTranslation('history');
  const { t: closing } = useTranslation('closing');
  const { t: common } = useTranslation(['common', 'shell']);
  const { about } = useMeeting();
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const choose = useSetAtom(pastAtom);
  const isCurrent = useIsCurrent(past);
  const restore = useMutation({
    mutationFn: () =>
      parseResponse(
        api.meetings[':id'].versions[':version'].restore.$post({
          param: { id: about.id, version: String(past.version) },
        }),
      ),
    onSuccess: ({ version }) => {
      if (version === past.version) notify({ type: 'info', message: t('isNow') });
      else choose(null);
      void queries.invalidateQueries({ queryKey: versionsKey(about.id) });
    },
    onError: (error) => notify({ message: failureMessage(error, common) }),
  });
  if (isCurrent) return <p className={styles.why}>{t('isNow')}</p>;
  if (!about.permissions.includes('own'))
    return <p className={styles.why}>{t('restoreOwner', { name: about.owner.name })}</p>;
  if (about.closed) return <p className={styles.why}>{closing('restore')}</p>;
  const ask = async () => {
    const yes = await confirm({
      title: t('restoreTitle', { when }),
      text: t('restoreText'),
      action: t('restore'),
    });
    if (yes) restore.mutate();
  };
  return (
    <Button
      look="primary"
      icon={<IconRestore size={18} stroke={1.5} aria-hidden="true" />}
      busy={restore.isPending}
      onClick={() => void ask()}
    >
      {t('restore')}
    </Button>
  );
}
