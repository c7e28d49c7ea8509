// npm run bench -- sync [--quick] [--rounds N] [--only name] [--without-peers] [--profile folder] [row ...]: live
// editing beside other servers and beside the limit of the machine, in turn within one run. Servers are processes of
// their own; memory and CPU are measured by the operating system.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { missing } from '../install.mjs';
import { root } from '../prepare.mjs';
import { run, step } from '../run.mjs';
import { load } from './live/machine.ts';
import { rows, type Figures, type Row, type Scale } from './live/rows.ts';
import { openField, type Field, type Subject } from './live/servers.ts';

const full: Scale = {
  words: 30_000,
  insertions: 30_000,
  documents: 5,
  seconds: 10,
  blasts: 3,
  idleRooms: 400,
  kills: 4,
  stalledMegabytes: 64,
};
const quick: Scale = {
  words: 30_000,
  insertions: 3000,
  documents: 2,
  seconds: 1,
  blasts: 1,
  idleRooms: 60,
  kills: 1,
  stalledMegabytes: 8,
};

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string' },
    profile: { type: 'string' },
    'without-peers': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const scale = values.quick ? quick : full;
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const chosen = positionals.length > 0 ? rows.filter(({ name }) => positionals.includes(name)) : rows;
const strange = positionals.find((name) => !rows.some((row) => row.name === name));

if (process.platform !== 'linux') {
  console.error('Only Linux tells of its processes what is measured here.');
  process.exitCode = 1;
} else if (strange) {
  console.error(`There is no row "${strange}". The rows are: ${rows.map(({ name }) => name).join(', ')}`);
  process.exitCode = 1;
} else await measure();

async function measure(): Promise<void> {
  if (!values['without-peers']) await installPeers();
  const folder = join(root, '.cache', `bench-sync-${process.pid}`);
  const say = (line: string) => console.log(line);
  const field = await openField(folder, say);
  const end = async () => {
    await field.close();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(130)));
  try {
    const subjects = field.subjects.filter(({ name }) => !values.only || name.includes(values.only));
    const results = new Map<string, Figures[]>();
    const loads = new Map<string, string[]>();
    for (const subject of subjects) {
      if (!chosen.some((row) => row.fits(subject))) continue;
      if (subject.name.startsWith('Colloquy')) subject.profiles = values.profile ?? null;
      await subject.start();
      for (const row of chosen) {
        if (!row.fits(subject) || !row.prepare) continue;
        await row.prepare(subject, scale).catch((error: unknown) => {
          console.error(`${row.name}, ${subject.name}, preparing: ${String(error)}`);
        });
      }
    }
    for (let round = 0; round < rounds; round++) {
      for (const row of chosen) {
        const fitting = subjects.filter((subject) => row.fits(subject));
        // The order rotates from round to round.
        const turn = fitting.map((_, i) => fitting[(i + round) % fitting.length]).filter((one) => one !== undefined);
        for (const subject of turn) {
          const figures = await attempt(row, subject, field);
          const key = `${row.name} ${subject.name}`;
          results.set(key, [...(results.get(key) ?? []), figures]);
          loads.set(key, [...(loads.get(key) ?? []), load()]);
          const said = Object.entries(figures).map(([name, value]) => `${name} ${shown(value)}`);
          say(`${round + 1}/${rounds} ${row.name}, ${subject.name}: ${said.join(', ')} (load ${load()})`);
        }
      }
    }
    // Orderly shutdown, so that profiles are written.
    for (const subject of subjects) await subject.stop();
    for (const row of chosen) {
      say(`\n${row.title}. Aim: ${row.aim}`);
      for (const subject of subjects.filter((one) => row.fits(one))) {
        const key = `${row.name} ${subject.name}`;
        say(`  ${subject.name}: ${summary(results.get(key) ?? [], row)} (load ${(loads.get(key) ?? []).join(', ')})`);
      }
    }
    say('\nMedian of the rounds, with the least and the most; load: processes ready to run on average over a minute.');
  } finally {
    await end();
  }
}

/** A failed row of one server does not stop the others; the server is restarted. */
async function attempt(row: Row, subject: Subject, field: Field): Promise<Figures> {
  try {
    return await row.measure(subject, scale, field);
  } catch (error) {
    console.error(`${row.name}, ${subject.name}: ${error instanceof Error ? error.message : String(error)}`);
    await subject.restart('SIGKILL');
    return {};
  }
}

/** Kills are summed up; all other figures get a median. */
function summary(list: Figures[], row: Row): string {
  const names = [...new Set(list.flatMap((figures) => Object.keys(figures)))];
  const texts = names.map((name) => {
    const values = list.flatMap((figures) => (name in figures ? [figures[name] ?? Number.NaN] : []));
    if (row.name === 'kills') return `${name} ${values.reduce((sum, value) => sum + value, 0)}`;
    const sorted = values.toSorted((a, b) => a - b);
    const [least = Number.NaN, most = Number.NaN] = [sorted[0], sorted.at(-1)];
    const middle = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    return `${name} ${shown(middle)} (${shown(least)}–${shown(most)})`;
  });
  return texts.join(', ') || 'could not do it';
}

function shown(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** Servers for comparison are no part of the product, so they have a folder of their own. */
async function installPeers(): Promise<void> {
  const folder = join(root, 'scripts/bench/live/peers');
  if (!missing(folder)) return;
  // One of them is compiled by its own install script.
  await step('Installing the servers to compare with, once', () =>
    run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder }),
  ).catch((error: unknown) => {
    console.error(
      `They could not be installed, and are left out: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}
