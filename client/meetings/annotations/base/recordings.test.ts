import { createStore } from 'jotai';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { onlyHereAtom, unsavedAtom } from '../../../store.ts';
import { Recorder } from './recorder.ts';
import { recorderAtom, recordersAtom, recordingAtom, recordingsAtom, orphanedReplies } from './recordings.ts';

// Unsent voice notes, recorded from a fake microphone.

class Microphone extends EventTarget {
  static readonly isTypeSupported = () => true;
  static last: Microphone;
  readonly mimeType = 'audio/webm;codecs=opus';
  state: 'inactive' | 'recording' = 'inactive';
  words = 'spoken';

  constructor() {
    super();
    Microphone.last = this;
  }

  start(): void {
    this.state = 'recording';
  }

  /** Delivers the last chunk and the end asynchronously, as browsers do. */
  stop(): void {
    this.state = 'inactive';
    queueMicrotask(() => {
      this.dispatchEvent(Object.assign(new Event('dataavailable'), { data: new Blob([this.words]) }));
      this.dispatchEvent(new Event('stop'));
    });
  }
}

const key = 'meeting voice note';
const about = { anchor: null, start: 1, end: 2, quote: 'words' };
let tracks: { stop: () => void }[];
let allow: () => void;

beforeEach(() => {
  tracks = [{ stop: vi.fn<() => void>() }];
  const allowed = new Promise<void>((resolve) => (allow = resolve));
  const getUserMedia = () => allowed.then(() => ({ getTracks: () => tracks }));
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia } });
  vi.stubGlobal('MediaRecorder', Microphone);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Resolves after all pending promise callbacks. */
const settled = () => new Promise<void>((done) => setImmediate(done));

function field() {
  const store = createStore();
  const recorder = new Recorder();
  recorder.subscribe(() => store.set(recorderAtom, key, recorder));
  recorder.onDone((made) => store.set(recordingAtom, key, { ...made, about }));
  const held = () => [store.get(unsavedAtom), store.get(onlyHereAtom)];
  return { store, recorder, held };
}

it('a recording counts as unsent from its start, and is kept with its passage when its field is unmounted', async () => {
  const { store, recorder, held } = field();
  const asked = recorder.start();
  expect(held()).toEqual([0, 0]);
  allow();
  await asked;
  expect(store.get(recordersAtom).get(key)).toBe(recorder);
  expect(held()).toEqual([1, 1]);
  const counts: number[] = [];
  store.sub(onlyHereAtom, () => counts.push(store.get(onlyHereAtom)));
  recorder.leave();
  await settled();
  const kept = store.get(recordingsAtom).get(key);
  expect(await kept?.blob.text()).toBe('spoken');
  expect(kept?.about).toEqual(about);
  expect(store.get(recordersAtom).size).toBe(0);
  expect(held()).toEqual([1, 1]);
  // The count of unsent content never drops in between.
  expect(counts).not.toContain(0);
  expect(tracks[0]?.stop).toHaveBeenCalled();
  store.set(recordingAtom, key, null);
  expect(held()).toEqual([0, 0]);
});

it('a microphone is not opened for an unmounted field when permission comes late', async () => {
  const { store, recorder, held } = field();
  const asked = recorder.start();
  recorder.leave();
  allow();
  await asked;
  expect(recorder.now()).toEqual({ is: 'idle' });
  expect(tracks[0]?.stop).toHaveBeenCalled();
  expect(held()).toEqual([0, 0]);
  expect(store.get(recordingsAtom).size).toBe(0);
});

it('discarding also stops a running recording', async () => {
  const { store, recorder, held } = field();
  allow();
  await recorder.start();
  store.set(recordingAtom, key, null);
  await settled();
  expect(recorder.now()).toEqual({ is: 'idle' });
  expect(store.get(recordingsAtom).size).toBe(0);
  expect(held()).toEqual([0, 0]);
});

it('voice replies to deleted comments are found by their keys, for one meeting only', () => {
  const spoken = { blob: new Blob(['spoken']), ms: 1, about };
  const keys = ['m comment reply a', 'm comment reply b', 'm comment new', 'm voice note', 'n comment reply c'];
  const found = orphanedReplies(new Map(keys.map((one) => [one, spoken])), 'm', (comment) => comment === 'b');
  expect(found).toEqual([['m comment reply a', spoken]]);
});
