import {
  IconArrowDown,
  IconArrowUp,
  IconDotsVertical,
  IconEye,
  IconEyeOff,
  IconGitMerge,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useRef, useState, type KeyboardEvent } from 'react';

import { newId } from '#shared/ids.ts';
import { speakerColors } from '#shared/meetings/palette.ts';
import {
  addSpeaker,
  longestName,
  moveSpeaker,
  recolorSpeaker,
  removeSpeaker,
  renameSpeaker,
} from '#shared/meetings/speakers.ts';

import { useNotify, type NoticePart } from '../../../store.ts';
import { Button } from '../../../ui/button.tsx';
import { Dropdown, DropdownButton } from '../../../ui/dropdown.tsx';
import { TextField } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';
import { playSpeaker } from '../../open/speaker-sample.ts';
import { undoKeyOf } from '../../base/undo-key.ts';
import { useOpenText, useStep, useTyped } from '../../open/open-text.ts';
import { useShowPlace } from '../../open/use-show-place.ts';
import { MergeSpeakers } from './merge-speakers.tsx';
import styles from './speaker-list.module.css';
import { useDesk } from '../../open/use-desk.ts';
import { useFigures, useSpeakers } from '../../open/use-speakers.ts';
import { SpeakerBadge } from '../../text/speaker-badge.tsx';
import type { TranscriptSpeaker, SpeakingTime } from '../../text/speakers.ts';

/** Most segments listed for a speaker who cannot be deleted because they speak. */
const mostPlaces = 5;
const colours = ['blue', 'vermilion', 'green', 'purple', 'ochre'] as const;

/** Speakers of the recording, with name, colour and speaking time. */
export function SpeakerList() {
  const { t } = useTranslation('speakers');
  const { editable } = useDocument();
  const figures = useFigures();
  const voices = useSpeakers(figures);
  const [merging, setMerging] = useState<TranscriptSpeaker | null>(null);
  const text = useOpenText();
  // Undo here works on the transcript's steps; in a field it is the browser's own.
  const onKeyDown = (event: KeyboardEvent) => {
    const which = undoKeyOf(event);
    if (!which || !text || !editable || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    text.binding[which]();
  };
  return (
    <div className={styles.speakers} onKeyDown={onKeyDown}>
      {voices.length === 0 ? (
        <p className={styles.empty}>
          <strong>{t('empty')}</strong> {t('emptyText')}
        </p>
      ) : (
        <ul className={styles.list} aria-label={t('title')}>
          {voices.map((voice) => (
            <Row
              key={voice.id}
              voice={voice}
              figures={figures}
              others={voices.length - 1}
              moves={movesOf(voices, voice)}
              onMerge={setMerging}
            />
          ))}
        </ul>
      )}
      {editable && <AddSpeaker />}
      {merging && editable && <MergeSpeakers voice={merging} voices={voices} onClose={() => setMerging(null)} />}
    </div>
  );
}

interface RowProps {
  voice: TranscriptSpeaker;
  figures: ReadonlyMap<string, SpeakingTime> | null;
  others: number;
  /** Directions in which the speaker can be moved. */
  moves: readonly (-1 | 1)[];
  onMerge: (voice: TranscriptSpeaker) => void;
}

/** Speakers of the list come first, in their order; others have none. */
function movesOf(voices: readonly TranscriptSpeaker[], voice: TranscriptSpeaker): (-1 | 1)[] {
  const listed = voices.filter((one) => one.listed);
  const at = listed.indexOf(voice);
  return ([-1, 1] as const).filter((by) => at !== -1 && listed[at + by] !== undefined);
}

function Row({ voice, figures, others, moves, onMerge }: RowProps) {
  const { t } = useTranslation('speakers');
  const { editable } = useDocument();
  const meeting = useMeeting();
  const { hidden } = useDesk();
  const name = voice.name || t('unknown');
  const own = figures?.get(voice.id);
  const isHidden = hidden.has(voice.id);
  const Eye = isHidden ? IconEyeOff : IconEye;
  return (
    <li className={styles.row} data-hidden={isHidden || undefined}>
      {editable && voice.listed ? (
        <Colour voice={voice} name={name} />
      ) : (
        <SpeakerBadge name={name} color={voice.color} pattern={voice.pattern} />
      )}
      <div className={styles.words}>
        {editable && voice.id !== '' ? <Name voice={voice} /> : <span className={styles.plainName}>{name}</span>}
        <Figures figures={figures} own={own} hidden={isHidden} />
      </div>
      <div className={styles.acts}>
        {meeting.player.medium && (
          <IconButton
            label={t('play', { name })}
            icon={<IconPlayerPlay size={18} stroke={1.5} aria-hidden="true" />}
            disabled={!own?.spoken}
            onClick={() => playSpeaker(meeting, voice.id)}
          />
        )}
        <IconButton
          label={t(isHidden ? 'show' : 'hide', { name })}
          icon={<Eye size={18} stroke={1.5} aria-hidden="true" />}
          onClick={() => meeting.speakers.hide(voice.id, !isHidden)}
        />
        {editable && voice.listed && <More voice={voice} name={name} others={others} moves={moves} onMerge={onMerge} />}
      </div>
    </li>
  );
}

function Figures({
  figures,
  own,
  hidden,
}: Pick<RowProps, 'figures'> & { own: SpeakingTime | undefined; hidden: boolean }) {
  const { t, i18n } = useTranslation('speakers');
  if (!figures) return <span className={styles.figures}>…</span>;
  const share = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(own?.share ?? 0);
  const said = own ? [t('passages', { count: own.passages }), t('share', { share })] : [t('silent')];
  return <span className={styles.figures}>{[...said, ...(hidden ? [t('hidden')] : [])].join(' · ')}</span>;
}

/**
 * Name field, written with each letter so that everyone sees it at once; an empty name restores the previous one. While
 * it has the focus, undo is the browser's; afterwards the whole name is one step.
 */
function Name({ voice }: { voice: TranscriptSpeaker }) {
  const { t } = useTranslation('speakers');
  const { doc } = useDocument();
  const [draft, setDraft] = useState<string | null>(null);
  const typed = useTyped();
  // Another object each time, as another visit is another step.
  const visit = useRef({ name: voice.name });
  const write = (name: string) =>
    typed.write(visit.current, (origin) =>
      voice.listed ? renameSpeaker(doc, voice.id, name, origin) : addSpeaker(doc, voice.id, name, origin),
    );
  const putBack = () => {
    if (!typed.takeBack(visit.current)) write(visit.current.name);
  };
  return (
    <input
      className={styles.name}
      aria-label={t('name', { name: voice.name || t('unknown') })}
      placeholder={t('unknown')}
      maxLength={longestName}
      autoComplete="off"
      value={draft ?? voice.name}
      onFocus={() => {
        visit.current = { name: voice.name };
      }}
      onChange={({ target }) => {
        setDraft(target.value);
        write(target.value);
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Escape') {
          // Without typing, a name that another person gave meanwhile stays.
          if (draft !== null) putBack();
          setDraft(null);
        } else if (event.key === 'Enter') event.currentTarget.blur();
      }}
      onBlur={() => {
        if (draft !== null && draft.trim() === '') putBack();
        setDraft(null);
      }}
    />
  );
}

function Colour({ voice, name }: { voice: TranscriptSpeaker; name: string }) {
  const { t } = useTranslation('speakers');
  const { doc } = useDocument();
  const step = useStep();
  const colourOf = (color: number) => t(`colours.${colours[color] ?? 'blue'}`);
  return (
    <Dropdown
      label={t('colour', { name, colour: colourOf(voice.color) })}
      face={<SpeakerBadge name={name} color={voice.color} pattern={voice.pattern} />}
    >
      {Array.from({ length: speakerColors }, (_, color) => (
        <DropdownButton
          key={color}
          current={color === voice.color}
          icon={<SpeakerBadge name={name} color={color} />}
          onPress={() => step((by) => recolorSpeaker(doc, voice.id, color, by))}
        >
          <span className={styles.colour}>{colourOf(color)}</span>
        </DropdownButton>
      ))}
    </Dropdown>
  );
}

function More({
  voice,
  name,
  others,
  moves,
  onMerge,
}: Pick<RowProps, 'voice' | 'others' | 'moves' | 'onMerge'> & { name: string }) {
  const { t } = useTranslation('speakers');
  const { doc } = useDocument();
  const { words } = useMeeting();
  const step = useStep();
  const notify = useNotify();
  const showPlace = useShowPlace();
  const remove = () => {
    if (step((by) => removeSpeaker(doc, voice.id, by)) !== 'active') return;
    const { segments, starts } = words.reading();
    const theirs = segments.flatMap((segment, place): NoticePart[] => {
      const [ms, at] = [segment.from, starts[place] ?? 0];
      if (words.speaker(segment) !== voice.id) return [];
      return [{ kind: 'clickable', text: clockTime(ms), onClick: () => showPlace(ms, () => at) }];
    });
    const named = theirs.slice(0, mostPlaces).flatMap((place) => [' ', place]);
    notify({ message: [t('active'), ':', ...named, ...(theirs.length > mostPlaces ? [' …'] : [])], duration: 15_000 });
  };
  return (
    <Dropdown
      label={t('more', { name })}
      face={<IconDotsVertical className={styles.dots} size={18} stroke={1.5} aria-hidden="true" />}
    >
      {moves.map((by) => {
        const Arrow = by === -1 ? IconArrowUp : IconArrowDown;
        return (
          <DropdownButton
            key={by}
            icon={<Arrow size={18} stroke={1.5} aria-hidden="true" />}
            onPress={() => step((origin) => moveSpeaker(doc, voice.id, by, origin))}
          >
            {t(by === -1 ? 'moveUp' : 'moveDown')}
          </DropdownButton>
        );
      })}
      {others > 0 && (
        <DropdownButton
          icon={<IconGitMerge size={18} stroke={1.5} aria-hidden="true" />}
          onPress={() => onMerge(voice)}
        >
          {t('mergeInto')}
        </DropdownButton>
      )}
      <DropdownButton icon={<IconTrash size={18} stroke={1.5} aria-hidden="true" />} onPress={remove}>
        {t('remove')}
      </DropdownButton>
    </Dropdown>
  );
}

function AddSpeaker() {
  const { t } = useTranslation('speakers');
  const { doc } = useDocument();
  const step = useStep();
  const [name, setName] = useState('');
  return (
    <form
      className={styles.add}
      onSubmit={(event) => {
        event.preventDefault();
        if (step((by) => addSpeaker(doc, newId(), name, by)) === null) setName('');
      }}
    >
      <TextField label={t('newName')} value={name} maxLength={longestName} autoComplete="off" onChange={setName} />
      <Button type="submit" disabled={name.trim() === ''} icon={<IconPlus size={18} stroke={1.5} aria-hidden="true" />}>
        {t('add')}
      </Button>
    </form>
  );
}
