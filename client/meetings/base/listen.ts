import type { Actions } from './actions.ts';
import { actionOf, chordsOf, digitOf, meant, type ActionId, type Keymap, type Place } from './keymap.ts';

export const onMac = (): boolean => /mac|iphone|ipad/i.test(navigator.platform);

/** The one place that hears keys. `keymap` is asked at each press: it may change while the page is open. */
export function listen(actions: Actions, keymap: () => Keymap): () => void {
  const mac = onMac();
  let openBefore = false;

  const decide = (event: KeyboardEvent): void => {
    // What belongs to an input method is not a key.
    if (event.isComposing || event.key === 'Process') return;
    // The page is searched only for a key that means something: most are letters.
    let inDialog: boolean | undefined;
    const can = (one: ActionId): boolean => {
      inDialog ??= document.querySelector('[aria-modal="true"], dialog[open]') !== null;
      return actions.can(one, inDialog);
    };
    const id = meant(keymap(), pressOf(event), placeOf(event.target), mac, can);
    if (!id) return;
    // Held down, a switch would only flicker; the key is not passed on all the same.
    const done = event.repeat && !actionOf(id).repeats ? true : actions.press(event, id, digitOf(event.code));
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Before the editor and the fields hear it. */
  const first = (event: KeyboardEvent) => {
    if (actions.heardBy) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return actions.heardBy(event);
    }
    if (event.key !== 'Escape') return decide(event);
    // Whoever closes by Escape does so on its way down: what was open is known only now.
    openBefore = document.querySelector('[aria-modal="true"], dialog[open], :popover-open') !== null;
  };
  /** Escape belongs to what is open, then to what wants it, and only then to us. */
  const last = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || openBefore || event.isComposing) return;
    // The editor stops every Escape, whether it means something there or not.
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

function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof HTMLElement)) return 'page';
  // Words about the text are written in editors of their own.
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
