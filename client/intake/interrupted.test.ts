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

test('an interrupted upload is offered to its owner, and to nobody else in this browser', () => {
  noteInterrupted('ann', upload('a'), began);
  expect(interruptedUpload('ben', later)).toBeNull();
  expect(interruptedUpload('ann', later)).toMatchObject({ id: 'a', name: 'Her divorce.mp3', sent: 4 });
});

test('an upload of another tab, or of yesterday, is not offered', () => {
  noteInterrupted('ann', upload('a'), began);
  expect(interruptedUpload('ann', began + 4000)).toBeNull();
  expect(interruptedUpload('ann', began + 86_400_000)).toBeNull();
});

test('only the upload that ended is removed', () => {
  noteInterrupted('ann', upload('a'), began);
  forgetInterrupted(null);
  forgetInterrupted('b');
  expect(interruptedUpload('ann', later)?.id).toBe('a');
  forgetInterrupted('a');
  expect(interruptedUpload('ann', later)).toBeNull();
});

test('the way back from a service opens its list once, for the same person', () => {
  goToService('zoom', 'ann');
  expect([backFromService('ben'), backFromService('ann')]).toEqual([null, null]);
  goToService('zoom', 'ann');
  expect([backFromService('ann'), backFromService('ann')]).toEqual(['zoom', null]);
});
