import { atom } from 'jotai';

import { browserWorld } from '#sync/client/browser.ts';
import { NewsLine, type NewsEvents } from '#sync/client/news.ts';

/** One line for all of a page that wants to hear what concerns this person; it stands as long as somebody listens. */
export class OwnLine {
  private readonly listeners = new Set<NewsEvents>();
  private line: NewsLine | null = null;
  private connected = false;

  listen(events: NewsEvents): () => void {
    this.listeners.add(events);
    if (!this.line)
      this.line = new NewsLine('news', browserWorld(), {
        connected: (yes) => {
          this.connected = yes;
          for (const listener of this.listeners) listener.connected(yes);
        },
        heard: (news) => {
          for (const listener of this.listeners) listener.heard(news);
        },
      });
    else if (this.connected) events.connected(true);
    return () => {
      this.listeners.delete(events);
      if (this.listeners.size > 0) return;
      this.line?.stop();
      this.line = null;
      this.connected = false;
    };
  }
}

export const ownLineAtom = atom(new OwnLine());
