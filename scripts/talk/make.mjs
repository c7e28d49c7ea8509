// Makes the demo talk from talk.txt: the sound, and what a recogniser would have written of it. Its results are kept
// in server/demo/, so only a change of the talk needs this. Requires flite, pocketsphinx and ffmpeg from Debian.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const results = fileURLToPath(new URL('../../server/demo/', import.meta.url));
const voices = { moderator: 'awb', coach: 'rms', client: 'slt' };
/** Silence between two turns, in ms; in turn, so that it sounds less like a machine. */
const pauses = [450, 700, 550, 900, 600];

const run = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** `[heard|said|confidence]` and plain words, each as one entry. */
function parse(text) {
  const tokens = text.match(/\[[^\]]*\][.,?!]*|\S+/g) ?? [];
  return tokens.map((token) => {
    const marked = /^\[([^|]*)\|([^|\]]*)(?:\|([\d.]+))?\](.*)$/.exec(token);
    if (!marked) return { heard: token, said: token, confidence: null };
    const [, heard, said, confidence, end] = marked;
    return { heard: heard + end, said: said + end, confidence: confidence ? Number(confidence) : null };
  });
}

/** How loud it is, so many times a second: what a waveform is drawn from. */
function peaksOf(file, perSecond) {
  const rate = 8000;
  const args = ['-v', 'error', '-i', file, '-f', 's16le', '-ac', '1', '-ar', String(rate), '-'];
  const sound = execFileSync('ffmpeg', args, { maxBuffer: 64 * 1024 * 1024 });
  const step = rate / perSecond;
  const peaks = Array.from({ length: Math.floor(sound.length / 2 / step) }, (_, i) => {
    let most = 0;
    for (let k = i * step; k < (i + 1) * step; k += 1) most = Math.max(most, Math.abs(sound.readInt16LE(k * 2)));
    return most;
  });
  const loudest = Math.max(...peaks, 1);
  return { perSecond, peaks: peaks.map((peak) => Math.round((peak / loudest) * 255)) };
}

const spoken = (word) => word.toLowerCase().replace(/[^a-z']/g, '');

const folder = mkdtempSync(join(tmpdir(), 'talk-'));
try {
  const lines = readFileSync(join(here, 'talk.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  let at = 300;
  const segments = [];
  const pieces = [];
  for (const [i, line] of lines.entries()) {
    const [speaker, text] = [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()];
    const words = parse(text);
    const wav = join(folder, `${i}.wav`);
    run(
      'flite',
      '-voice',
      voices[speaker],
      '-t',
      words.map(({ said }) => said).join(' '),
      '-o',
      join(folder, 'raw.wav'),
    );
    run('ffmpeg', '-y', '-i', join(folder, 'raw.wav'), '-ar', '16000', '-ac', '1', wav);
    const grammar = join(folder, 'grammar');
    writeFileSync(
      grammar,
      `#JSGF V1.0;\ngrammar turn;\npublic <turn> = ${words.map(({ said }) => spoken(said)).join(' ')};\n`,
    );
    // A grammar of one sentence makes of the recogniser an aligner.
    const found = run('pocketsphinx_continuous', '-infile', wav, '-jsgf', grammar, '-time', 'yes')
      .split('\n')
      .map((row) => /^([a-z'.]+)(?:\(\d+\))? ([\d.]+) ([\d.]+) [\d.]+$/.exec(row))
      .filter((row) => row !== null);
    if (found.length !== words.length) throw new Error(`turn ${i + 1}: ${found.length} of ${words.length} words found`);
    const ms = (seconds) => Math.round(Number(seconds) * 1000);
    segments.push({
      speaker,
      // How sure it was, for plain words: high, and not all the same.
      words: words.map(({ heard, confidence }, k) => ({
        w: heard,
        f: at + ms(found[k][2]),
        t: at + ms(found[k][3]),
        c: confidence ?? Number((0.9 + ((i * 7 + k * 13) % 10) / 100).toFixed(2)),
      })),
    });
    const length = Math.round(
      Number(run('ffprobe', '-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', wav)) * 1000,
    );
    const pause = pauses[i % pauses.length];
    const padded = join(folder, `${i}-padded.wav`);
    run('ffmpeg', '-y', '-i', wav, '-af', `adelay=${i === 0 ? 300 : 0},apad=pad_dur=${pause}ms`, padded);
    pieces.push(`file '${padded}'`);
    at += length + pause;
  }
  writeFileSync(join(folder, 'list'), pieces.join('\n'));
  run(
    'ffmpeg',
    '-y',
    '-f',
    'concat',
    '-safe',
    '0',
    '-i',
    join(folder, 'list'),
    '-af',
    'loudnorm=I=-18:TP=-2',
    '-ar',
    '16000',
    '-b:a',
    '24k',
    '-map_metadata',
    '-1',
    join(results, 'talk.mp3'),
  );
  writeFileSync(join(results, 'talk.json'), `${JSON.stringify({ segments })}\n`);
  writeFileSync(join(results, 'talk.peaks.json'), `${JSON.stringify(peaksOf(join(results, 'talk.mp3'), 20))}\n`);
  console.log(`${segments.length} turns, ${(at / 1000).toFixed(0)} s`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
