import { atom } from 'jotai';

import { Signal } from '#shared/signal.ts';
import { browserWorld } from '#sync/client/browser.ts';
import { NewsLine, type NewsEvents } from '#sync/client/news.ts';

/** The page's one connection for news to this person; open while anybody is subscribed. */
class OwnLine {
  private readonly received = new Signal<unknown>();
  private readonly connections = new Signal<boolean>();
  private line: NewsLine | null = null;
  private connected = false;

  subscribe(events: NewsEvents): () => void {
    const ends = [
      this.received.subscribe((news) => events.received(news)),
      this.connections.subscribe((yes) => events.connected(yes)),
    ];
    if (!this.line)
      this.line = new NewsLine('news', browserWorld(), {
        connected: (yes) => {
          this.connected = yes;
          this.connections.emit(yes);
        },
        received: (news) => this.received.emit(news),
      });
    else if (this.connected) events.connected(true);
    return () => {
      for (const end of ends) end();
      if (this.received.hasSubscribers) return;
      this.line?.stop();
      this.line = null;
      this.connected = false;
    };
  }
}

export const ownLineAtom = atom(new OwnLine());
