// listen.ts <folder of models> <recording>: transcribes it, reports the first piece, and then waits for ever.
import { dirname } from 'node:path';
import { localEngine } from '#server/engines/local-engine.ts';
import { findModels } from '#server/engines/models.ts';
import { cutFile } from '#server/engines/pieces.ts';
import { programs } from './speech.ts';

const [, , folder = '', path = ''] = process.argv;
const { recognisers, activity } = findModels(folder);
const [recogniser] = recognisers;
const found = await programs();
if (!recogniser || !activity || !found) throw new Error('nothing to listen with');
const { signal } = new AbortController();
const offered = { name: 'local', title: 'Local', minutePrice: 0, onlyAutoSpeakers: true };
await localEngine({ recogniser, activity, voices: null }, offered, { firstMs: 4000, mostMs: 5000 }).transcribe({
  sound: {
    cut: (from, limits, take) =>
      cutFile(found, { path, kind: 'wav', folder: dirname(path), signal }, from, limits, take),
    file: { path, name: 'talk.wav', type: 'audio/wav', bytes: 0 },
    durationMs: null,
  },
  ...{ from: 0, lang: 'en-US', speakers: 0, vocabulary: '', signal },
  heard: () => {
    process.stdout.write('heard\n');
    return new Promise(() => setInterval(() => {}, 1000));
  },
});
