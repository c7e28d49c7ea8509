import { createStore } from 'jotai';
import { createContext, use, useSyncExternalStore } from 'react';
import { Signal } from '#shared/signal.ts';

export type Store = ReturnType<typeof createStore>;

/**
 * What somebody has begun, opened or been told on this page is theirs: the next person to sign in gets a store of their
 * own, and nothing of it. Whoever comes back finds it as it was, unless they signed out themselves.
 */
export class Stores {
  private shown = { store: createStore(), person: 0 };
  private who: string | null = null;
  private readonly signal = new Signal();
  private readonly forgetSeen: () => void;

  /** `forgetSeen` lets go of what the last person was shown, before anything is shown to the next. */
  constructor(forgetSeen: () => void = () => {}) {
    this.forgetSeen = forgetSeen;
  }

  readonly subscribe = this.signal.subscribe;

  /** `person` counts: what has another number is another person's, also what a screen remembers for itself. */
  readonly read = (): { store: Store; person: number } => this.shown;

  get store(): Store {
    return this.shown.store;
  }

  /** Told with each answer to who is here. */
  is(who: string): void {
    const another = this.who !== null && this.who !== who;
    this.who = who;
    if (!another) return;
    this.forgetSeen();
    this.show(this.shown.person + 1);
  }

  /** Somebody signs out. */
  readonly forget = (): void => {
    this.who = null;
    this.show(this.shown.person);
  };

  private show(person: number): void {
    this.shown = { store: createStore(), person };
    this.signal.emit();
  }
}

export const StoresContext = createContext(new Stores());

export const useStores = () => useSyncExternalStore(use(StoresContext).subscribe, use(StoresContext).read);

/** Lets go of all that the page has of whoever signs out. */
export const useForget = (): (() => void) => use(StoresContext).forget;
