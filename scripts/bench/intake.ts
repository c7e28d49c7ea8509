// npm run bench -- intake [--quick]: import and export of a transcript of 30,000 words in every format, beside plain
// writing and reading of the same bytes, in one run. Times are CPU times of all threads, so other load does not count.
// At the end the longest turn of the event loop while the most words that a file may have are imported, in CPU time of its
// thread, beside reading them on that thread and beside fixed work.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Y from 'yjs';
import { packed } from '#server/export/export.ts';
import { writePdf } from '#server/export/pdf.ts';
import { readFile } from '#server/intake/read-file.ts';
import { createTranscriptReader } from '#server/intake/read-transcript.ts';
import {
  chosenOf,
  exportFormats,
  facets,
  importFormats,
  vendorFormats,
  type ImportFormat,
} from '#shared/formats/formats.ts';
import { readTranscript } from '#shared/formats/read.ts';
import { spokenDocument } from '#shared/formats/spoken.ts';
import { writeTranscript } from '#shared/formats/write.ts';
import { seedState } from '#shared/meetings/seed.ts';
import setup from '#tests/support/cluster.ts';
import { openHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, processed } from '#tests/support/intake.ts';
import { longestTurn } from '#tests/support/turns.ts';
import { fixedWork } from '../effort.mjs';
import { figures } from '../figures.ts';

const rounds = process.argv.includes('--quick') ? 5 : 25;
const folder = mkdtempSync(join(tmpdir(), 'colloquy-bench-'));
const reader = createTranscriptReader({ milliseconds: 60_000 });
try {
  await measure();
  await measureTurn();
} finally {
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Three hours of three speakers: 1,500 segments of 20 words out of 8,000. */
function talk(): Y.Doc {
  const parts = 'so wa ter mor ning li ke day to geth er ful ness be gin un der stand ing al'.split(' ');
  const word = (n: number) =>
    [n % 20, (n * 7 + 3) % 19, Math.floor(n / 20) % 20]
      .slice(n % 3)
      .map((part) => parts[part] ?? '')
      .join('');
  const doc = new Y.Doc();
  const speakers = ['Maria Lopez', 'Tom Ford', 'Ann'].map((name, i) => ({ id: `p${i}`, name, color: i, sortId: i }));
  const segments = Array.from({ length: 1500 }, (_, k) => ({
    id: `segment${k}`,
    speaker: `p${k % 3}`,
    // Varied lines: repeated ones would compress to nothing.
    words: Array.from({ length: 20 }, (_word, i) => ({
      w: `${word((k * 977 + i * 131 * (1 + (k % 7))) % 8000)}${i === 19 ? '.' : i % 7 === 6 ? ',' : ''}`,
      f: k * 7.2 + i * 0.33,
      t: k * 7.2 + i * 0.33 + 0.3,
      confidence: 0.9,
    })),
  }));
  Y.applyUpdate(doc, seedState({ about: { title: 'Three hours', lang: 'en-US' }, speakers, segments }));
  return doc;
}

async function measure(): Promise<void> {
  const doc = talk();
  const count = spokenDocument(doc).turns.reduce((sum, { segment }) => sum + segment.words.length, 0);
  console.log(`${count.toLocaleString('en')} words, ${rounds} rounds, load ${loadavg()[0]?.toFixed(1)}`);
  const ways = exportFormats.flatMap((format) => facets[format].fileTypes.map((fileType) => ({ format, fileType })));
  const times = new Map<string, number[]>();
  const take = async (name: string, round: number, work: () => unknown) => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    // Warm-up rounds.
    if (round > 1) times.set(name, [...(times.get(name) ?? []), (user + system) / 1000]);
  };
  const sizes = new Map<string, number>();
  for (let round = 0; round < rounds + 2; round += 1)
    for (const { format, fileType } of ways) {
      const name = `${format} ${fileType}`;
      const file = join(folder, `${format}.${fileType}`);
      const chosen = chosenOf(format, { fileType });
      // A document in memory that nothing has read yet, as for a request.
      const fresh = new Y.Doc();
      Y.applyUpdate(fresh, Y.encodeStateAsUpdate(doc));
      let bytes: Buffer = Buffer.alloc(0);
      await take(`${name} out`, round, async () => {
        const page = writeTranscript(format, spokenDocument(fresh), chosen);
        bytes = await (page.kind === 'pdf' ? writePdf(page) : packed(page));
      });
      fresh.destroy();
      sizes.set(name, bytes.length);
      await take(`${name} plain out`, round, () => writeFileSync(file, bytes));
      await take(`${name} plain in`, round, () => readFileSync(file).toString('utf8'));
      const brought = importFormats.find((one): one is ImportFormat => one === format);
      if (!brought || fileType === 'pdf') continue;
      await take(`${name} in`, round, () => readTranscript(readFile(readFileSync(file)), brought));
      await take(`${name} thread`, round, () =>
        reader.read({ bytes: readFileSync(file), format: brought, personId: 'bench' }),
      );
    }

  const median = (name: string) => figures(times.get(name) ?? []).median;
  const shown = (ms: number) => (ms < 10 ? ms.toFixed(2) : ms.toFixed(0));
  for (const { format, fileType } of ways) {
    const name = `${format} ${fileType}`;
    const [out, plainOut, plainIn] = [median(`${name} out`), median(`${name} plain out`), median(`${name} plain in`)];
    const made = `${name}, ${Math.round((sizes.get(name) ?? 0) / 1000)} kB: made in ${shown(out)} ms, ${(out / plainOut).toFixed(0)} times writing it`;
    const [read, thread] = [median(`${name} in`), median(`${name} thread`)];
    console.log(
      Number.isNaN(read)
        ? made
        : `${made}; read in ${shown(read)} ms, ${(read / plainIn).toFixed(0)} times reading it, and in ${shown(thread)} ms by the thread, as the start of a document`,
    );
  }
  const slowest = Math.max(
    ...vendorFormats.flatMap((format) =>
      facets[format].fileTypes
        .filter((fileType) => fileType !== 'pdf')
        .map((fileType) => median(`${format} ${fileType} thread`)),
    ),
  );
  console.log(
    `The slowest import takes ${shown(slowest)} ms (aim: two hours of talk within 1,000 ms: ${slowest < 1000 ? 'held' : 'missed'}).`,
  );
}

async function measureTurn(): Promise<void> {
  const most = 300_000;
  const content = Array.from({ length: most / 8 }, (_, i) => {
    const time = [i / 3600, (i / 60) % 60, i % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
    const said = Array.from({ length: 8 }, (__, j) => `word${i * 8 + j}`);
    return `${i % 2 ? 'Ann' : 'Ben'}  ${time}  \n${said.join(' ')}\n\n`;
  }).join('');
  const form = external({ transcript: { fileName: 'long.txt', content }, transcriptType: 'OTTERAI' });
  const stop = await setup();
  const house = await openHouse({ reading: { milliseconds: 600_000 } });
  try {
    const ann = await house.person();
    const turns: number[] = [];
    for (let round = 0; round < 3; round += 1)
      turns.push(
        await longestTurn(async () => {
          const { id } = await createMeeting(ann, form);
          await beginProcessing(ann, id);
          const { percentage } = await processed(ann, id);
          if (percentage !== 100) throw new Error('the transcript was not imported');
        }, 5),
      );
    const here = await longestTurn(async () => void readTranscript(readFile(Buffer.from(content)), 'OTTERAI'), 5);
    const shown = (seconds: number) => `${Math.round(seconds * 1000)} ms`;
    console.log(
      `Longest turn while ${most.toLocaleString('en')} words are imported: ${turns.map(shown).join(', ')}; reading them on that thread ${shown(here)}, fixed work ${shown(fixedWork())} (aim: 100 ms).`,
    );
  } finally {
    await house.close();
    await stop();
  }
}
