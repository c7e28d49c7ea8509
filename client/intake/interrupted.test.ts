import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetInterrupted, interruptedUpload, noteInterrupted } from './interrupted.ts';
import { backFromService, goToService } from './service-login.ts';
import type { Upload } from './upload.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal('window', { location: { pathname: '/', search: '', assign: () => {} } });
});
afterEach(() => vi.unstubAllGlobals());

const upload = (id: string): Pick<Upload, 'id' | 'file' | 'progress'> => ({
  id,
  file: new File(['some sound'], 'Her divorce.mp3'),
  progress: () => ({ state: 'going', sent: 4, total: 10, bytesPerSecond: null, secondsLeft: null }),
});
const [began, later] = [1_000_000, 1_010_000];

test('an interrupted upload is told to whose it is, and to nobody else at the same browser', () => {
  noteInterrupted('ann', upload('a'), began);
  expect(interruptedUpload('ben', later)).toBeNull();
  expect(interruptedUpload('ann', later)).toMatchObject({ id: 'a', name: 'Her divorce.mp3', sent: 4 });
});

test('one that says it is under way is another page’s, and one of yesterday is none', () => {
  noteInterrupted('ann', upload('a'), began);
  expect(interruptedUpload('ann', began + 4000)).toBeNull();
  expect(interruptedUpload('ann', began + 86_400_000)).toBeNull();
});

test('only the one that was ended is forgotten', () => {
  noteInterrupted('ann', upload('a'), began);
  forgetInterrupted(null);
  forgetInterrupted('b');
  expect(interruptedUpload('ann', later)?.id).toBe('a');
  forgetInterrupted('a');
  expect(interruptedUpload('ann', later)).toBeNull();
});

test('whoever is back from a service goes on there, once; the next person does not', () => {
  goToService('zoom', 'ann');
  expect([backFromService('ben'), backFromService('ann')]).toEqual([null, null]);
  goToService('zoom', 'ann');
  expect([backFromService('ann'), backFromService('ann')]).toEqual(['zoom', null]);
});
