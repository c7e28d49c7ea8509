import { atom, useSetAtom } from 'jotai';
import { useEffect } from 'react';

// State of the interface only; data of the server lives in TanStack Query, data of a document in the document.

type NoticeType = 'error' | 'info';

/** Parts come from our own code; text of a server is always a plain string. */
export type NoticePart =
  | string
  | { kind: 'docLink'; id: string; text: string }
  | { kind: 'link'; href: string; text: string }
  | { kind: 'clickable'; text: string; onClick: () => void }
  | { kind: 'br' };

interface Notice {
  type?: NoticeType;
  message: string | readonly NoticePart[];
  /** Milliseconds on screen; default: by type. */
  duration?: number;
  /** Called when the notice goes, for whatever reason. */
  onGone?: () => void;
  /** Called when somebody closes the notice or follows it, and not when its time is over. */
  onDismiss?: () => void;
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

/** Number of changes that exist only on this page; closing it asks first. */
export const onlyHereAtom = atom((get) => sumOf(get(onlyHereByOwner)));

/** Number of unsaved changes of the whole page. */
export const unsavedAtom = atom((get) => sumOf(get(unsavedByOwner)) + get(onlyHereAtom));

const reportUnsaved = atom(null, (get, set, owner: string, count: number) =>
  set(unsavedByOwner, counted(get(unsavedByOwner), owner, count)),
);

/** Called by the atoms that hold the changes, not by a screen: they outlast every screen. */
export const reportOnlyHereAtom = atom(null, (get, set, owner: string, count: number) =>
  set(onlyHereByOwner, counted(get(onlyHereByOwner), owner, count)),
);

/** `useUnsaved` without drawing, for what changes with each key. The caller reports 0 at the end. */
export const useReportUnsaved = (): ((owner: string, count: number) => void) => useSetAtom(reportUnsaved);

/** Reports the unsaved changes of a screen; the page is not reloaded over them. */
export function useUnsaved(owner: string, count: number): void {
  const report = useSetAtom(reportUnsaved);
  useEffect(() => {
    report(owner, count);
    return () => report(owner, 0);
  }, [report, owner, count]);
}

/** The path of the last heading: a heading takes the focus only after a change of page. */
export const titledPathAtom = atom<string | null>(null);

/** A newer version of the server for which the page could not be reloaded unasked. */
export const offeredVersionAtom = atom<string | null>(null);

interface Question {
  title: string;
  text?: string;
  /** Label of the button that confirms. */
  action: string;
  /** Label of the button that declines; default: Cancel. */
  decline?: string;
  danger?: boolean;
  /** A word to type before the button can be pressed. */
  word?: string;
}

export interface AskedQuestion extends Question {
  answer: (yes: boolean) => void;
}

const askedQuestion = atom<AskedQuestion | null>(null);

export const questionAtom = atom(
  (get) => get(askedQuestion),
  (get, set, question: AskedQuestion | null) => {
    // A replaced question counts as declined.
    if (question) get(askedQuestion)?.answer(false);
    set(askedQuestion, question);
  },
);

/** `if (await confirm({ … }))`: asks in a dialog; true only when confirmed. */
export function useConfirm(): (question: Question) => Promise<boolean> {
  const ask = useSetAtom(questionAtom);
  return (question) => new Promise((answer) => ask({ ...question, answer }));
}
