import { useNews } from '../news/use-news.ts';

/** Calls back when the person's own runs have changed; true while the server can tell so. */
export const useAiNews = (changed: () => void): boolean => useNews(({ kind }) => kind === 'ai', changed);

/** Milliseconds between two looks at work of an assistant; the server tells of it by itself while it is connected. */
export const lookEvery = (connected: boolean): number => (connected ? 15_000 : 1500);

/** An assistant has this to do, or is at it. */
export const isUnderWay = ({ run }: { run: { state: string } | null }): boolean =>
  run?.state === 'waiting' || run?.state === 'running';
