// D1, F1, F4: the server and its PostgreSQL are killed at once, at random instants, again and again, while people type.
// A longer run: KILL_ROUNDS=200 npm test -- tests/faults/kill.test.ts
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Database } from '#db/open.ts';
import { Processes, lookInto, makeRoom, ownCluster, signal, type Meeting } from '#tests/support/crash.ts';
import {
  closeEditors,
  difference,
  nothingWrong,
  settled,
  stored,
  synced,
  tokensIn,
  typing,
  until,
  type Editor,
} from '#tests/support/editors.ts';
import { endProcesses, gone } from '#tests/support/processes.ts';

const twice = process.env['TEST_DATABASE'] === 'external';
const rounds = Number(process.env['KILL_ROUNDS'] ?? (twice ? 3 : 6));
/** Keeps the document of a long run at a realistic size. */
const roundsInOneMeeting = 20;

let folder = '';
let cluster: Awaited<ReturnType<typeof ownCluster>> | null = null;
let database: Database | null = null;
afterEach(async () => {
  closeEditors();
  endProcesses();
  await database?.close();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Lost {
  acknowledged: number;
  missing: string[];
  doubled: string[];
}

/** Two of the four who type keep their page throughout and send unsaved changes again; two lose theirs. */
async function killAgainAndAgain(times: number, modules: string[] = []): Promise<Lost> {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-kill-'));
  await chmod(folder, 0o755);
  const postgres = (cluster = await ownCluster(folder));
  const { sql, orm } = (database = lookInto(postgres.url));
  const processes = new Processes(postgres.url);
  const lost: Lost = { acknowledged: 0, missing: [], doubled: [] };
  let meeting: Meeting = { room: '', cookies: [] };
  let saved: string[] = [];
  let typed: string[] = [];
  let staying: Editor[] = [];

  const check = async () => {
    const { text } = await stored(sql, meeting.room);
    const { missing, doubled } = difference(text, saved);
    lost.missing.push(...missing);
    lost.doubled.push(...doubled);
    // The text contains only what people typed.
    const all = new Set(typed);
    expect(tokensIn(text).filter((token) => !all.has(token))).toEqual([]);
  };
  const finish = async () => {
    await settled(staying);
    saved.push(...staying.flatMap((editor) => editor.typed));
    await check();
    for (const editor of staying) editor.close();
    lost.acknowledged += new Set(saved).size;
  };

  for (let round = 0; round < times; round += 1) {
    await processes.start(0, modules);
    if (round % roundsInOneMeeting === 0) {
      if (round > 0) await finish();
      meeting = await makeRoom({ orm } as Database, 4);
      [saved, typed] = [[], []];
      staying = [processes.editor(meeting, 0), processes.editor(meeting, 1)];
    }
    const leaving = [processes.editor(meeting, 2), processes.editor(meeting, 3)];
    const editors = [...staying, ...leaving];
    await synced(editors);
    // The server shows a newcomer exactly what is stored.
    if (modules.length === 0) expect(difference(leaving[0]?.text.toString() ?? '', saved)).toEqual(nothingWrong);
    const before = editors.map((editor) => editor.saved.length);
    const hands = typing(editors, 40);
    await until(() => editors.every((editor, i) => editor.saved.length > (before[i] ?? 0)));
    await sleep(Math.random() * 500);

    const victims = [processes.pid(), ...postgres.processes()];
    signal(victims, 'SIGKILL');
    await hands.stop();
    await Promise.all(victims.map(gone));
    // Acknowledgements that were still on their way count, too: people received them.
    await until(() => editors.every(({ provider }) => !provider.connected));
    saved.push(...editors.flatMap((editor) => editor.saved));
    typed.push(...editors.flatMap((editor) => editor.typed));
    for (const editor of leaving) editor.close();
    await postgres.up();
    await check();
  }
  // Lost rows may not be sent again by other people: they are others' work.
  if (modules.length === 0) {
    await processes.start();
    await finish();
  }
  console.log(`${times} kills: ${lost.acknowledged} acknowledged, ${lost.missing.length} of them lost`);
  return { ...lost, missing: [...new Set(lost.missing)], doubled: [...new Set(lost.doubled)] };
}

test(
  `${rounds} kills of everything: nothing acknowledged is lost, nothing is doubled`,
  { timeout: 60_000 + rounds * 30_000 },
  async () => {
    const { acknowledged, missing, doubled } = await killAgainAndAgain(rounds);
    expect(acknowledged).toBeGreaterThan(rounds * 4);
    expect({ missing, doubled }).toEqual(nothingWrong);
  },
);

test('and were it acknowledged before it is stored, this would show', { timeout: 180_000 }, async () => {
  const { missing } = await killAgainAndAgain(1, ['./tests/faults/early.ts']);
  expect(missing.length).toBeGreaterThan(0);
});
