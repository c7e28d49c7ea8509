import { atom, useAtomValue } from 'jotai';
import { useEffect, useEffectEvent } from 'react';
import { Signal } from '#shared/signal.ts';

import { actionIds, type ActionId } from './keymap.ts';

/** Answers false where there is nothing to do: then the key goes on to whoever else wants it. */
type Run = (digit: number) => unknown;

interface Registered {
  run: Run;
  inDialogs: boolean;
}

/** What can be done on the page now. Who registered last does it: a dialog before the page below it. */
export class Actions {
  private readonly byId = new Map<ActionId, Registered[]>();
  private readonly open: (() => void)[] = [];
  private readonly signal = new Signal();
  private readonly meanings = new WeakMap<Event, ActionId>();
  /** Who wants to know the keys themselves, whatever they mean. */
  private hearer: ((event: KeyboardEvent) => void) | null = null;
  private ids: readonly ActionId[] = [];

  readonly subscribe = this.signal.subscribe;

  /** In the order of the key map. */
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

  /** For a button: does it as the key would. */
  run(id: ActionId, digit = 0): boolean {
    const last = this.byId.get(id)?.at(-1);
    return last !== undefined && last.run(digit) !== false;
  }

  /** Something Escape ends before anything else; the latest first. */
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

  /** While keys are being chosen, none of them does anything. */
  hearInstead(hearer: (event: KeyboardEvent) => void): () => void {
    this.hearer = hearer;
    return () => {
      if (this.hearer === hearer) this.hearer = null;
    };
  }

  get heardBy(): ((event: KeyboardEvent) => void) | null {
    return this.hearer;
  }

  /** What a press did, for those who hear it, too. */
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

/** One a page. */
export const actionsAtom = atom(() => new Actions());

interface ActionOptions {
  /** Also while a dialog is open. */
  inDialogs?: boolean;
}

/**
 * Says what an action of keymap.ts does, as long as the component stands; null where it cannot be done now. Keys, the
 * sheet of keys and the bar over a phone's keyboard find it by its name.
 */
export function useAction(id: ActionId, run: Run | null, { inDialogs = false }: ActionOptions = {}): void {
  const actions = useAtomValue(actionsAtom);
  const latest = useEffectEvent((digit: number) => run?.(digit));
  const can = run !== null;
  useEffect(() => {
    if (can) return actions.register(id, latest, { inDialogs });
  }, [actions, id, can, inDialogs]);
}

/** While `open`, Escape ends this and does nothing else. Dialogs and popovers of the browser's need no word. */
export function useEscape(open: boolean, end: () => void): void {
  const actions = useAtomValue(actionsAtom);
  const latest = useEffectEvent(end);
  useEffect(() => {
    if (open) return actions.opened(() => latest());
  }, [actions, open]);
}
