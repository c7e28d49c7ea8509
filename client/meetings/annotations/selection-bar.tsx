import {
  IconBookmark,
  IconDots,
  IconEraser,
  IconHighlight,
  IconMessage2Plus,
  IconMicrophone,
  IconNotebook,
  IconTargetArrow,
} from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import {
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
} from 'react';

import { highlightColors, type HighlightColor } from '#shared/meetings/entries.ts';

import { usePhone } from '../../ui/use-phone.ts';
import { useTranslation } from '../../use-translation.ts';
import { useHighlighting } from './highlights/use-highlights.ts';
import { actionsAtom } from '../base/actions.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { useOpenText } from '../open/open-text.ts';
import styles from './base/annotations.module.css';

const gap = 8;
/** Milliseconds after the last change of a selection by touch: its handles send no other event. */
const settled = 300;
const icons = {
  outcome: IconTargetArrow,
  comment: IconMessage2Plus,
  voice: IconMicrophone,
  bookmark: IconBookmark,
  note: IconNotebook,
} as const;
const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;

/** Annotation tools at words selected with the pointer; hidden with the selection. */
export function SelectionBar() {
  const { t } = useTranslation('annotations');
  const bar = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useSelected(bar);
  const open = useOpenText();
  const actions = useAtomValue(actionsAtom);
  const ids = useSyncExternalStore(actions.subscribe, actions.read);
  const phone = usePhone();
  const highlighting = useHighlighting();
  const here = shown && (highlighting.may || (['outcome', 'comment', 'voice'] as const).some((id) => ids.includes(id)));
  useEffect(() => {
    const element = bar.current;
    const native = document.getSelection();
    if (!here || !element || !native || native.rangeCount === 0) return;
    const at = native.getRangeAt(0).getBoundingClientRect();
    element.showPopover();
    const place = () => {
      const { width, height } = element.getBoundingClientRect();
      const port = window.visualViewport;
      const bottom = port ? port.offsetTop + port.height : window.innerHeight;
      const above = at.top - height - gap;
      // Below the words on a phone, whose own menu is above them.
      const low = Math.min(at.bottom + (phone ? 3 : 1) * gap, bottom - height - gap);
      const x = Math.min(Math.max(gap, at.left), window.innerWidth - width - gap);
      element.style.setProperty('--x', `${Math.round(phone ? gap : x)}px`);
      element.style.setProperty('--y', `${Math.round(!phone && above > gap ? above : low)}px`);
    };
    place();
    const size = new ResizeObserver(place);
    size.observe(element);
    return () => size.disconnect();
  }, [here, phone]);
  if (!here) return null;
  const done = () => setShown(false);
  return (
    <div
      ref={bar}
      popover="manual"
      role="toolbar"
      aria-label={t('selection')}
      className={styles.bar}
      data-phone={phone || undefined}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        done();
        open?.view.focus();
      }}
    >
      {phone ? <PhoneTools onDone={done} /> : <Tools onDone={done} />}
    </div>
  );
}

/** Whether words were selected with the mouse or by touch, until the bar has been used. Tab leads from them into it. */
function useSelected(bar: RefObject<HTMLDivElement | null>) {
  const { listening } = useMeeting();
  const open = useOpenText();
  const [shown, setShown] = useState(false);
  // Read only when asked: a transcript begun anew has its listening before its editor.
  const hasPlayed = useEffectEvent(() => listening.playedByDoubleClick);
  useEffect(() => {
    const text = open?.view.dom;
    if (!text) return;
    const ending = new AbortController();
    const { signal } = ending;
    let pressed = false;
    let touched = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (event: MouseEvent) => {
      if (!pressed) return;
      pressed = false;
      // A double click that plays is no selection.
      if (event.detail === 2 && hasPlayed()) return;
      // The editor updates its selection a moment later.
      setTimeout(() => !signal.aborted && setShown(!open.editor.state.selection.empty));
    };
    text.addEventListener('pointerdown', ({ pointerType }) => (touched = pointerType === 'touch'), { signal });
    text.addEventListener('mousedown', () => (pressed = true), { signal });
    window.addEventListener('mouseup', look, { signal });
    const hide = () => setShown(false);
    const pressedKey = (event: KeyboardEvent) => {
      const tool = bar.current?.querySelector('button');
      const isTab = event.key === 'Tab' && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
      if (!isTab || !tool) return hide();
      event.preventDefault();
      event.stopPropagation();
      tool.focus();
    };
    text.addEventListener('keydown', pressedKey, { capture: true, signal });
    window.addEventListener('scroll', hide, { capture: true, passive: true, signal });
    const changed = () => {
      clearTimeout(timer);
      if (open.editor.state.selection.empty) return hide();
      if (touched) timer = setTimeout(() => setShown(!hasPlayed() && !open.editor.state.selection.empty), settled);
    };
    open.editor.on('selectionUpdate', changed);
    return () => {
      ending.abort();
      clearTimeout(timer);
      open.editor.off('selectionUpdate', changed);
    };
  }, [open, bar]);
  return [shown, setShown] as const;
}

interface ToolsProps {
  /** Called before a tool is used. */
  onDone: () => void;
}

function Tools({ onDone }: ToolsProps) {
  const highlighting = useHighlighting();
  return (
    <>
      <Ways of={['outcome', 'comment', 'voice']} onDone={onDone} />
      {highlighting.may && <Colours onDone={onDone} />}
    </>
  );
}

/** Four tools that fit the narrowest phone; colours and rare tools take their place. */
function PhoneTools({ onDone }: ToolsProps) {
  const { t } = useTranslation(['annotations', 'document']);
  const highlighting = useHighlighting();
  const [part, setPart] = useState<'main' | 'colours' | 'more'>('main');
  if (part === 'colours') return <Colours onDone={onDone} />;
  if (part === 'more') return <Ways of={['voice', 'bookmark', 'note']} onDone={onDone} />;
  return (
    <>
      <Ways of={['comment', 'outcome']} onDone={onDone} />
      {highlighting.may && (
        <Way face={<IconHighlight {...icon} />} onPress={() => setPart('colours')}>
          {t('annotations:highlight.name')}
        </Way>
      )}
      <Way face={<IconDots {...icon} />} onPress={() => setPart('more')}>
        {t('document:more')}
      </Way>
    </>
  );
}

/** Those of some actions that are available. */
function Ways({ of, onDone }: ToolsProps & { of: readonly (keyof typeof icons)[] }) {
  const { t } = useTranslation(['annotations', 'keys']);
  const actions = useAtomValue(actionsAtom);
  const ids = useSyncExternalStore(actions.subscribe, actions.read);
  return of
    .filter((id) => ids.includes(id))
    .map((id) => {
      const Icon = icons[id];
      return (
        <Way
          key={id}
          face={<Icon {...icon} />}
          onPress={() => {
            onDone();
            actions.run(id);
          }}
        >
          {id === 'bookmark' || id === 'note' ? t(`keys:actions.${id}`) : t(`annotations:say.${id}`)}
        </Way>
      );
    });
}

function Way({ face, onPress, children }: { face: ReactNode; onPress: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      className={styles.way}
      // Prevents the press from changing the selection.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {face}
      {children}
    </button>
  );
}

function Colours({ onDone }: ToolsProps) {
  const { t } = useTranslation('annotations');
  const highlighting = useHighlighting();
  const mark = (color: HighlightColor | null) => {
    onDone();
    highlighting.mark(color);
  };
  return (
    <span role="group" aria-label={t('highlight.name')} className={styles.colours}>
      {highlightColors.map((color) => (
        <button
          key={color}
          type="button"
          className={styles.colour}
          data-color={color}
          aria-label={t('highlight.in', { colour: t(`highlight.colours.${color}`) })}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => mark(color)}
        />
      ))}
      {highlighting.touched() && (
        <button
          type="button"
          className={styles.colour}
          aria-label={t('highlight.remove')}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => mark(null)}
        >
          <IconEraser size={18} stroke={1.5} aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
