import type { Actions } from './actions.ts';
import { actionOf, chordsOf, digitOf, actionFor, type ActionId, type Keymap, type Place } from './keymap.ts';

export const onMac = (): boolean => /mac|iphone|ipad/i.test(navigator.platform);

/**
 * Only listener for shortcuts. `keymap` is read at each press, because it may change while the page is open; `before`
 * runs first at each press that has an action.
 */
export function listen(actions: Actions, keymap: () => Keymap, before: () => void): () => void {
  const mac = onMac();
  let openBefore = false;

  const decide = (event: KeyboardEvent): void => {
    // Keys of an input method are no shortcuts.
    if (event.isComposing || event.key === 'Process') return;
    // Searches the page for a dialog only if a key has a meaning; most presses are letters.
    let inDialog: boolean | undefined;
    const can = (one: ActionId): boolean => {
      inDialog ??= document.querySelector('[aria-modal="true"], dialog[open]') !== null;
      return actions.can(one, inDialog);
    };
    const id = actionFor(keymap(), pressOf(event), placeOf(event.target), mac, can);
    if (!id) return;
    before();
    // A toggle would flicker while its key is held; the repeated press is swallowed all the same.
    const done = event.repeat && !actionOf(id).repeats ? true : actions.press(event, id, digitOf(event.code));
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Capture phase: before the editor and the fields. */
  const first = (event: KeyboardEvent) => {
    if (actions.capturedBy) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return actions.capturedBy(event);
    }
    if (event.key !== 'Escape') return decide(event);
    // Some elements close on Escape during capture, so what was open is known only now.
    // A tooltip does not count: Escape closes it and what it is about.
    openBefore =
      document.querySelector('[aria-modal="true"], dialog[open], :popover-open:not([role=tooltip])') !== null;
  };
  /** Bubble phase: Escape closes what is open first, then serves other handlers, then our actions. */
  const last = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || openBefore || event.isComposing) return;
    // The editor prevents the default of every Escape, used or not.
    if (event.defaultPrevented && placeOf(event.target) !== 'text') return;
    if (!event.repeat && chordsOf(pressOf(event), mac)[0] === 'Escape' && actions.endLatest()) {
      event.preventDefault();
      return;
    }
    decide(event);
  };
  window.addEventListener('keydown', first, true);
  window.addEventListener('keydown', last);
  return () => {
    window.removeEventListener('keydown', first, true);
    window.removeEventListener('keydown', last);
  };
}

export const pressOf = (event: KeyboardEvent) => ({
  code: event.code,
  key: event.key,
  ctrlKey: event.ctrlKey,
  metaKey: event.metaKey,
  altKey: event.altKey,
  shiftKey: event.shiftKey,
  altGraph: event.getModifierState('AltGraph'),
});

export function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof HTMLElement)) return 'page';
  // Annotation texts use editors of their own.
  if (target.closest('[data-field]')) return 'field';
  if (target.closest('.ProseMirror')) return 'text';
  if (target instanceof HTMLInputElement) return typed.has(target.type) ? 'field' : 'page';
  return target instanceof HTMLTextAreaElement || target.isContentEditable ? 'field' : 'page';
}

const typed = new Set([
  'text',
  'search',
  'email',
  'url',
  'tel',
  'password',
  'number',
  'date',
  'time',
  'datetime-local',
]);
