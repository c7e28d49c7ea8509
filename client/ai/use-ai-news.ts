import { useNews } from '../news/use-news.ts';

/** Milliseconds between two looks at work of an assistant; the server tells of it by itself while it is connected. */
export const lookEvery = (connected: boolean): number => (connected ? 15_000 : 1500);

/** Calls back when the person's own runs have changed; true while the server can tell so. */
export const useAiNews = (changed: () => void): boolean => useNews(({ kind }) => kind === 'ai', changed);
