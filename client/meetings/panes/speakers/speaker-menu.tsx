import { IconCheck, IconPencil, IconPlus } from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';

import { newId } from '#shared/ids.ts';
import { addSpeaker, longestName, renameSpeaker } from '#shared/meetings/speakers.ts';
import { readSegments } from '#shared/meetings/transcript.ts';

import { useTranslation } from '../../../use-translation.ts';
import { labelsOf } from '../../base/chord-label.ts';
import { keymapAtom } from '../../base/stored-shortcuts.ts';
import { onMac } from '../../base/listen.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText, type OpenText } from '../../open/open-text.ts';
import type { Asked } from '../../text/desk.ts';
import { elementOf, placeBelow } from '../../text/place.ts';
import styles from './speaker-menu.module.css';
import { useDesk } from '../../open/use-desk.ts';
import { useSpeakers } from '../../open/use-speakers.ts';
import { SpeakerBadge } from '../../text/speaker-badge.tsx';
import { matching, sameName, type TranscriptSpeaker } from '../../text/speakers.ts';

/** Menu for the speaker of a segment: filtered by typing; offers a new speaker for an unknown name. */
export function SpeakerMenu() {
  const { live, speakers } = useMeeting();
  const { asked } = useDesk();
  const open = useOpenText();
  const may = live.editable;
  useEffect(() => {
    // Closes the menu when this person loses the permission to edit.
    if (asked && !may) speakers.answered();
  }, [asked, may, speakers]);
  if (!asked || !open || !may) return null;
  return <Menu key={asked.segmentId} asked={asked} open={open} />;
}

const origin = Symbol('speaker menu');

type Option = { name: string } & ({ kind: 'voice' | 'rename'; voice: TranscriptSpeaker } | { kind: 'new' });

function Menu({ asked, open }: { asked: Asked; open: OpenText }) {
  const { t } = useTranslation('speakers');
  const { speakers: desk } = useMeeting();
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const { doc } = open.binding;
  const [current] = useState(() => readSegments(doc).find((segment) => segment.id === asked.segmentId)?.speaker);
  const voices = useSpeakers();

  const found = matching(voices, typed);
  const name = typed.trim() || t('menu.next', { number: voices.length + 1 });
  const canAdd = !voices.some((voice) => sameName(voice.name, name));
  // A name that nobody has may be another person's, or the right one of who speaks here.
  const renamed = canAdd && typed.trim() !== '' ? voices.find(({ id, listed }) => listed && id === current) : undefined;
  const options: Option[] = [
    ...found.map((voice) => ({ kind: 'voice' as const, name: voice.name || t('unknown'), voice })),
    ...(canAdd ? [{ kind: 'new' as const, name }] : []),
    ...(renamed ? [{ kind: 'rename' as const, name, voice: renamed }] : []),
  ];
  const chosen = Math.min(at, options.length - 1);

  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    element.showPopover();
    placeBelow(element, asked.at ?? elementOf(open.view, asked.segmentId));
    field.current?.focus();
    // The browser closes the popover on Escape and on a press outside it.
    const toggled = (event: Event) => (event as ToggleEvent).newState === 'closed' && desk.answered();
    element.addEventListener('toggle', toggled);
    return () => element.removeEventListener('toggle', toggled);
  }, [asked, desk, open]);
  useEffect(() => {
    panel.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  const take = (place: number) => {
    const option = options[place];
    if (!option) return;
    if (option.kind === 'rename') {
      const { binding } = open;
      binding.asOne(() => renameSpeaker(doc, option.voice.id, option.name, binding));
      open.view.focus();
      return desk.answered();
    }
    const to = option.kind === 'voice' ? option.voice.id : newId();
    if (option.kind === 'new' && addSpeaker(doc, to, option.name, origin) !== null) return;
    // The editor's own command focuses a frame later, which takes back where a quick person has clicked meanwhile.
    open.view.focus();
    desk.give(open.binding, asked.segmentId, to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = options.length - 1;
    const places: Record<string, number> = {
      ArrowDown: chosen === last ? 0 : chosen + 1,
      ArrowUp: chosen === 0 ? last : chosen - 1,
      PageDown: last,
      PageUp: 0,
    };
    const next = places[event.key];
    if (next !== undefined) setAt(next);
    else if (event.key === 'Enter') take(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={panel} popover="auto" className={styles.menu} role="dialog" aria-label={t('menu.label')}>
      <input
        ref={field}
        className={styles.search}
        role="combobox"
        aria-label={t('menu.search')}
        placeholder={t('menu.search')}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={`${id}-${chosen}`}
        autoComplete="off"
        spellCheck={false}
        maxLength={longestName}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} className={styles.list} role="listbox" aria-label={t('menu.list')}>
        {options.map((option, place) => (
          <div
            key={option.kind === 'voice' ? option.voice.id : option.kind}
            id={`${id}-${place}`}
            role="option"
            tabIndex={-1}
            className={styles.option}
            aria-selected={place === chosen}
            data-current={(option.kind === 'voice' && option.voice.id === current) || undefined}
            onPointerMove={() => place !== chosen && setAt(place)}
            // Prevented, so that the field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(place)}
          >
            {option.kind === 'voice' ? (
              <>
                <SpeakerBadge name={option.name} color={option.voice.color} pattern={option.voice.pattern} />
                <span className={styles.name}>{option.name}</span>
                {option.voice.id === current && <IconCheck size={16} stroke={1.5} aria-hidden="true" />}
                <Key place={voices.indexOf(option.voice) + 1} />
              </>
            ) : (
              <>
                <span className={styles.plus}>
                  {option.kind === 'new' ? (
                    <IconPlus size={18} stroke={1.5} aria-hidden="true" />
                  ) : (
                    <IconPencil size={18} stroke={1.5} aria-hidden="true" />
                  )}
                </span>
                <span className={styles.name}>
                  {option.kind === 'new'
                    ? t('menu.create', { name: option.name })
                    : t('menu.rename', { from: option.voice.name || t('unknown'), name: option.name })}
                </span>
              </>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Shortcut that sets this speaker without the menu; only the first nine have one. */
function Key({ place }: { place: number }) {
  const keymap = useAtomValue(keymapAtom);
  const chord = keymap.speaker
    .map((one) => one.replace(/Digits$/, `Digit${place}`))
    .find((one) => one.endsWith(`Digit${place}`));
  if (!chord || place > 9) return null;
  return <kbd className={styles.key}>{labelsOf(chord, onMac()).join(' ')}</kbd>;
}
