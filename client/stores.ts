import { createStore } from 'jotai';
import { createContext, use, useSyncExternalStore } from 'react';
import { Signal } from '#shared/signal.ts';

type Store = ReturnType<typeof createStore>;

/**
 * One store of interface state per person: the next person to sign in on this page gets a new one. Somebody whose
 * session ended and who signs in again finds the old one, unless they signed out themselves.
 */
export class Stores {
  private shown = { store: createStore(), person: 0 };
  private who: string | null = null;
  private readonly signal = new Signal();
  private readonly forgetSeen: () => void;

  /** `forgetSeen` removes the data of the last person, before anything is shown to the next. */
  constructor(forgetSeen: () => void = () => {}) {
    this.forgetSeen = forgetSeen;
  }

  readonly subscribe = this.signal.subscribe;

  /** `person` changes with the person, so that screens are drawn anew without local state. */
  readonly read = (): { store: Store; person: number } => this.shown;

  get store(): Store {
    return this.shown.store;
  }

  /** Called with the user of each loaded session. */
  is(who: string): void {
    const another = this.who !== null && this.who !== who;
    this.who = who;
    if (!another) return;
    this.forgetSeen();
    this.show(this.shown.person + 1);
  }

  /** Called on sign-out. */
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

/** Removes the state of the person who signs out. */
export const useForget = (): (() => void) => use(StoresContext).forget;
