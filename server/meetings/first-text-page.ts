import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import { Problem } from '#shared/problems.ts';
import type { Env } from '../http/env.ts';
import { identify } from '../people/identify.ts';
import { firstTextMarkup } from './first-text-markup.ts';
import { firstPage } from './first-text.ts';

/** A recording without a place in it: a link to a place, or with a code, is followed by the page's scripts. */
const recordingPath = /^\/meeting\/([\w-]{1,64})\/?$/;

/** Milliseconds after which the page goes out without it. */
const longestWait = 500;

/** Readings past that time which have not ended. With more, the database is slow, and pages go out without asking it. */
const mostLate = 4;

/** Puts the first screens of its transcript into the page of a recording, for a signed-in person who may read it. */
export function firstTextFiller(): (c: Context<Env>, page: string) => Promise<string> {
  let lateOnes = 0;
  return async (c, page) => {
    const { pathname, search } = new URL(c.req.url);
    const id = recordingPath.exec(pathname)?.[1];
    if (id === undefined || search !== '' || lateOnes >= mostLate) return page;
    const late = new AbortController();
    const filling = filled(c, id, page, late.signal).catch((error: unknown) => {
      // The page itself says what is wrong with the sender or the recording.
      if (!(error instanceof Problem) && error !== late.signal.reason)
        c.var.ctx.log.warn({ err: error }, 'a page opens without its first text');
      return page;
    });
    const ended = new AbortController();
    const wait = sleep(longestWait, null, { signal: ended.signal, ref: false }).catch(() => null);
    const first = await Promise.race([filling, wait]);
    ended.abort();
    if (first !== null) return first;
    late.abort();
    lateOnes += 1;
    void filling.finally(() => (lateOnes -= 1));
    return page;
  };
}

async function filled(c: Context<Env>, id: string, page: string, late: AbortSignal): Promise<string> {
  const { ctx } = c.var;
  const sender = await identify(c, ctx);
  late.throwIfAborted();
  const first = sender.person && (await firstPage({ ...ctx, ...sender }, id, late));
  if (!first) return page;
  const reader = `<meta name="colloquy-reader" content="${first.userId}" />`;
  const markup = first.text ? firstTextMarkup(first.text, sender.language ?? ctx.language) : '';
  return page
    .replace('<meta charset', () => `${reader}<meta charset`)
    .replace('<div id="root">', () => `${markup}<div id="root">`);
}
