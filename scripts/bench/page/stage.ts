import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { meetingAccess, meetings } from '#db/schema/meetings.ts';
import { readConfig } from '#server/config.ts';
import { start } from '#server/start.ts';
import { newId } from '#shared/ids.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { Person } from '#tests/support/people.ts';
import { browserArgs, findBrowser } from '../../browser.mjs';
import { root } from '../../prepare.mjs';
import { keep, named } from './measures.ts';

// Private server with the built client, and a browser in which several people open a long text.

const perSegment = 20;
const line = 'so what would you like to work on today if we had the whole morning for it then my dear friend'.split(
  ' ',
);

/** Segments of a recording with so many words. */
export const talk = (words: number): string[] =>
  Array.from({ length: Math.ceil(words / perSegment) }, (_, i) =>
    Array.from({ length: perSegment }, (_word, k) => line[(i * 7 + k * (1 + (i % 5))) % line.length]).join(' '),
  );

/** Seconds from the start of a segment to that of the next. */
const pace = 8;

export async function openStage(env: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-bench-'));
  const config = readConfig({ PORT: '0', DATA_DIR: folder, DEMO: 'off', LOG_LEVEL: 'error', ...env }, root);
  const running = await start(config, () => {}, { quickPasswords: true });
  const { path } = await findBrowser(root, new AbortController().signal);
  if (path === undefined) throw new Error('no browser on this machine');
  const browser = await chromium.launch({
    executablePath: path,
    // Several people share the machine, so no page may be throttled in the background.
    args: [
      ...browserArgs,
      '--enable-precise-memory-info',
      '--disable-background-timer-throttling',
      '--disable-backgrounding-occluded-windows',
      '--disable-renderer-backgrounding',
    ],
  });
  const origin = `http://127.0.0.1:${running.port}`;
  const { db, rooms, limits } = running.house;
  return {
    ...{ rooms, limits },
    people: (...names: string[]): Promise<Person[]> =>
      Promise.all(
        names.map(async (name) => {
          const person = new Person(origin);
          person.email = `${name}@example.test`;
          const { status, text } = await person.register();
          if (status !== 200) throw new Error(`registering failed: ${text}`);
          person.id = ((await person.whoami()).body as { principal: { id: string } }).principal.id;
          return person;
        }),
      ),
    /** Creates a recording owned by the first person; the others may write. */
    async recording(texts: readonly string[], [owner, ...others]: readonly Person[]): Promise<string> {
      const id = newId();
      await db.orm.insert(meetings).values({ id, ownerId: owner?.id ?? '' });
      const rights = { meetingId: id, kind: 'user', permissions: ['read', 'write'] };
      if (others.length > 0)
        await db.orm.insert(meetingAccess).values(others.map((person) => ({ ...rights, principalId: person.id })));
      const seed = seedState({
        speakers: [],
        segments: texts.map((text, k) => ({
          id: newId(),
          speaker: `p${k % 3}`,
          words: text.split(' ').map((w, i) => ({ w, f: k * pace + i * 0.4, t: k * pace + i * 0.4 + 0.35 })),
        })),
      });
      await rooms.renew(id, 'transcript', { userId: owner?.id ?? null }, seed);
      return id;
    },
    /** Browser context of a person; null for pages outside the product. */
    async seat(person: Person | null): Promise<Page> {
      const context = await browser.newContext({ baseURL: origin, viewport: { width: 1280, height: 800 } });
      if (person) await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: origin })));
      const page = await context.newPage();
      await page.addInitScript(named);
      await page.addInitScript(keep);
      return page;
    },
    async close(): Promise<void> {
      await browser.close();
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
