import { setTimeout as sleep } from 'node:timers/promises';
import { Editor, difference, stored, synced, typedBy, until } from './editors.ts';
import type { TestHouse } from './house.ts';
import { makeMeeting, ticketFor } from './meetings.ts';
import { freePort } from './ports.ts';
import { openProcess, type RunningHouse } from './processes.ts';

interface HerdFigures {
  /** Milliseconds from the restart of the process until each editor was reconnected and synced, sorted. */
  back: number[];
  /** Typed tokens that are not stored, or stored twice. */
  missing: number;
  doubled: number;
  /** Memory of the process afterwards, in MiB. */
  memory: number;
  /** Milliseconds of calls made meanwhile that have nothing to do with live editing. */
  others: number[];
  codes: number[];
}

/** Connects that many editors in rooms of twenty to one process, which is killed and restarted while they type. */
export async function herd(house: TestHouse, count: number): Promise<HerdFigures> {
  const env = { DATABASE_URL: house.url, ROLE: 'sync', LOG_LEVEL: 'error', PORT: String(await freePort()) };
  let server: RunningHouse = await openProcess(env);
  const rooms: { room: string; editors: Editor[] }[] = [];
  for (let left = count; left > 0; left -= 20) {
    const person = await house.person();
    const room = `${await makeMeeting(house, person)}/transcript`;
    const ticket = await ticketFor(person, room);
    const editors = Array.from(
      { length: Math.min(20, left) },
      () => new Editor({ room, at: () => server.origin, ticket }),
    );
    rooms.push({ room, editors });
    await synced(editors);
  }
  const all = rooms.flatMap(({ editors }) => editors);
  for (const editor of all) editor.type();
  await until(() => all.every(({ provider }) => provider.pending === 0));

  server.child.kill('SIGKILL');
  await server.ended;
  // Tokens typed while the server is down.
  for (const editor of all) editor.type();
  server = await openProcess(env);
  const started = performance.now();
  const back = new Map<Editor, number>();
  const others: number[] = [];
  let watching = true;
  const watched = (async () => {
    while (watching) {
      const asked = performance.now();
      await (await fetch(`${server.origin}/readyz`)).text();
      others.push(performance.now() - asked);
      await sleep(100);
    }
  })();
  await until(() => {
    for (const editor of all) {
      const there = editor.provider.synced && editor.provider.pending === 0;
      if (there && !back.has(editor)) back.set(editor, performance.now() - started);
    }
    return back.size === all.length;
  });
  watching = false;
  await watched;

  let missing = 0;
  let doubled = 0;
  for (const { room, editors } of rooms) {
    const found = difference((await stored(house.database.sql, room)).text, typedBy(editors));
    missing += found.missing.length;
    doubled += found.doubled.length;
  }
  const metrics = await (await fetch(`${server.origin}/metrics`)).text();
  const memory = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]) / 1024 / 1024;
  const codes = [...new Set(all.flatMap(({ closes }) => closes))];
  for (const editor of all) editor.close();
  server.child.kill('SIGTERM');
  await server.ended;
  return { back: [...back.values()].toSorted((a, b) => a - b), missing, doubled, memory, others, codes };
}
