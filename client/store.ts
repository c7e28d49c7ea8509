import { atom, useSetAtom } from 'jotai';
import { useEffect } from 'react';

// Interface state only. What the server or a document knows lives in TanStack Query or in the document.

export type NoticeType = 'error' | 'info';

/** Parts are written by our own code alone; whatever a server says is a plain string. */
export type NoticePart =
  | string
  | { kind: 'docLink'; id: string; text: string }
  | { kind: 'link'; href: string; text: string }
  | { kind: 'clickable'; text: string; onClick: () => void }
  | { kind: 'br' };

export interface Notice {
  type?: NoticeType;
  message: string | readonly NoticePart[];
  /** Milliseconds on screen; by kind when left out. */
  duration?: number;
  /** Called when it goes: it has stood long enough, was followed or closed, or another took its place. */
  onGone?: () => void;
}

export interface ShownNotice extends Notice {
  id: number;
  type: NoticeType;
  duration: number;
}

const shownNotice = atom<ShownNotice | null>(null);

/** The notice on screen. Writing one replaces it; null takes it away. */
export const noticeAtom = atom(
  (get) => get(shownNotice),
  (get, set, notice: Notice | null) => {
    get(shownNotice)?.onGone?.();
    if (!notice) return set(shownNotice, null);
    const type = notice.type ?? 'error';
    set(shownNotice, {
      ...notice,
      id: (get(shownNotice)?.id ?? 0) + 1,
      type,
      duration: notice.duration ?? (type === 'error' ? 6_000 : 5_000),
    });
  },
);

export function useNotify(): (notice: Notice) => void {
  return useSetAtom(noticeAtom);
}

type Counts = ReadonlyMap<string, number>;

const unsavedByOwner = atom<Counts>(new Map());
const onlyHereByOwner = atom<Counts>(new Map());

const sumOf = (counts: Counts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

function counted(counts: Counts, owner: string, count: number): Counts {
  if ((counts.get(owner) ?? 0) === count) return counts;
  const next = new Map(counts);
  if (count > 0) next.set(owner, count);
  else next.delete(owner);
  return next;
}

/** What is kept nowhere but on this page, whatever screen is open: whoever closes it is asked first. */
export const onlyHereAtom = atom((get) => sumOf(get(onlyHereByOwner)));

/** How many changes are not yet safe, over everything on the page. */
export const unsavedAtom = atom((get) => sumOf(get(unsavedByOwner)) + get(onlyHereAtom));

const reportUnsaved = atom(null, (get, set, owner: string, count: number) =>
  set(unsavedByOwner, counted(get(unsavedByOwner), owner, count)),
);

/** Told by the atoms that hold it, not by a screen: it outlasts every screen. */
export const reportOnlyHereAtom = atom(null, (get, set, owner: string, count: number) =>
  set(onlyHereByOwner, counted(get(onlyHereByOwner), owner, count)),
);

/** For what changes with each letter: told past what is drawn. Who says so says in the end that there is nothing. */
export const useReportUnsaved = (): ((owner: string, count: number) => void) => useSetAtom(reportUnsaved);

/** A screen with changes of its own says how many are not safe yet; the page is not reloaded over them. */
export function useUnsaved(owner: string, count: number): void {
  const report = useSetAtom(reportUnsaved);
  useEffect(() => {
    report(owner, count);
    return () => report(owner, 0);
  }, [report, owner, count]);
}

/** The path whose heading stood last, so that a new one takes the focus only after a change of page. */
export const titledPathAtom = atom<string | null>(null);

/** The server's version where it is newer than the page and the page could not simply be reloaded. */
export const offeredVersionAtom = atom<string | null>(null);

export interface Question {
  title: string;
  text?: string;
  /** Label of the button that says yes. */
  action: string;
  danger?: boolean;
  /** A word that must be typed before yes can be said. */
  word?: string;
}

export interface AskedQuestion extends Question {
  answer: (yes: boolean) => void;
}

const askedQuestion = atom<AskedQuestion | null>(null);

export const questionAtom = atom(
  (get) => get(askedQuestion),
  (get, set, question: AskedQuestion | null) => {
    // A question that is replaced was not answered with yes.
    if (question) get(askedQuestion)?.answer(false);
    set(askedQuestion, question);
  },
);

/** `if (await confirm({ … }))`: asks in a dialog and answers true only when the person said so. */
export function useConfirm(): (question: Question) => Promise<boolean> {
  const ask = useSetAtom(questionAtom);
  return (question) => new Promise((answer) => ask({ ...question, answer }));
}
