import { atom, useAtomValue } from 'jotai';
import { useEffect, useEffectEvent } from 'react';
import { Signal } from '#shared/signal.ts';

import { actionIds, type ActionId } from './keymap.ts';

/** Returns false if there was nothing to do; the key press then passes on. */
type Run = (digit: number) => unknown;

interface Registered {
  run: Run;
  inDialogs: boolean;
}

/** Actions available on the page now. The latest registration wins: a dialog before the page below it. */
export class Actions {
  private readonly byId = new Map<ActionId, Registered[]>();
  private readonly open: (() => void)[] = [];
  private readonly signal = new Signal();
  private readonly meanings = new WeakMap<Event, ActionId>();
  /** Receives every key press instead of the actions, while a shortcut is being chosen. */
  private capturer: ((event: KeyboardEvent) => void) | null = null;
  private ids: readonly ActionId[] = [];

  readonly subscribe = this.signal.subscribe;

  /** Available actions in keymap order. */
  readonly read = (): readonly ActionId[] => this.ids;

  register(id: ActionId, run: Run, { inDialogs = false }: ActionOptions = {}): () => void {
    const one = { run, inDialogs };
    this.byId.set(id, [...(this.byId.get(id) ?? []), one]);
    this.tell();
    return () => {
      this.byId.set(
        id,
        (this.byId.get(id) ?? []).filter((other) => other !== one),
      );
      this.tell();
    };
  }

  can(id: ActionId, inDialog = false): boolean {
    const last = this.byId.get(id)?.at(-1);
    return last !== undefined && (!inDialog || last.inDialogs);
  }

  /** Runs an action from a button, as its shortcut would. */
  run(id: ActionId, digit = 0): boolean {
    const last = this.byId.get(id)?.at(-1);
    return last !== undefined && last.run(digit) !== false;
  }

  /** Registers something that Escape closes before any other action; the latest first. */
  opened(end: () => void): () => void {
    this.open.push(end);
    return () => {
      const at = this.open.lastIndexOf(end);
      if (at !== -1) this.open.splice(at, 1);
    };
  }

  endLatest(): boolean {
    const end = this.open.at(-1);
    end?.();
    return end !== undefined;
  }

  /** Sends key presses to `capturer` instead of the actions, while a shortcut is being chosen. */
  capture(capturer: (event: KeyboardEvent) => void): () => void {
    this.capturer = capturer;
    return () => {
      if (this.capturer === capturer) this.capturer = null;
    };
  }

  get capturedBy(): ((event: KeyboardEvent) => void) | null {
    return this.capturer;
  }

  /** Action that a key press ran, for other listeners of the same event. */
  meaningOf(event: Event): ActionId | null {
    return this.meanings.get(event) ?? null;
  }

  press(event: Event, id: ActionId, digit: number): boolean {
    this.meanings.set(event, id);
    return this.run(id, digit);
  }

  private tell(): void {
    const now = actionIds.filter((id) => this.can(id));
    if (now.length === this.ids.length && now.every((id, i) => id === this.ids[i])) return;
    this.ids = now;
    this.signal.emit();
  }
}

/** One instance a page. */
export const actionsAtom = atom(() => new Actions());

interface ActionOptions {
  /** Also available while a dialog is open. */
  inDialogs?: boolean;
}

/**
 * Provides an action of keymap.ts while the component is mounted; null while the action is unavailable. Shortcuts,
 * their overview and the bar over a phone's keyboard find it by its id.
 */
export function useAction(id: ActionId, run: Run | null, { inDialogs = false }: ActionOptions = {}): void {
  const actions = useAtomValue(actionsAtom);
  const latest = useEffectEvent((digit: number) => run?.(digit));
  const can = run !== null;
  useEffect(() => {
    if (can) return actions.register(id, latest, { inDialogs });
  }, [actions, id, can, inDialogs]);
}

/** While `open`, Escape calls `end` and nothing else. The browser's dialogs and popovers do not need this. */
export function useEscape(open: boolean, end: () => void): void {
  const actions = useAtomValue(actionsAtom);
  const latest = useEffectEvent(end);
  useEffect(() => {
    if (open) return actions.opened(() => latest());
  }, [actions, open]);
}
