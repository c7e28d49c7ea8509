import { expect, test, vi } from 'vitest';
import { Signal } from './signal.ts';

test('calls each subscriber with the value, in the order they subscribed', () => {
  const signal = new Signal<number>();
  const calls: string[] = [];
  signal.subscribe((value) => calls.push(`first ${value}`));
  signal.subscribe((value) => calls.push(`second ${value}`));
  signal.emit(1);
  signal.emit(2);
  expect(calls).toEqual(['first 1', 'second 1', 'first 2', 'second 2']);
});

test('does not call a subscriber that unsubscribed, be it during a call', () => {
  const signal = new Signal();
  const later = vi.fn<() => void>();
  const first = vi.fn<() => void>(() => unsubscribe());
  signal.subscribe(first);
  const unsubscribe = signal.subscribe(later);
  signal.emit();
  expect(first).toHaveBeenCalledOnce();
  expect(later).not.toHaveBeenCalled();
});

test('calls a callback once that subscribed twice', () => {
  const signal = new Signal();
  const callback = vi.fn<() => void>();
  signal.subscribe(callback);
  signal.subscribe(callback);
  signal.emit();
  expect(callback).toHaveBeenCalledOnce();
});

test('knows whether anybody is subscribed', () => {
  const signal = new Signal();
  expect(signal.hasSubscribers).toBe(false);
  const unsubscribe = signal.subscribe(() => {});
  expect(signal.hasSubscribers).toBe(true);
  unsubscribe();
  expect(signal.hasSubscribers).toBe(false);
  signal.subscribe(() => {});
  signal.clear();
  expect(signal.hasSubscribers).toBe(false);
});

test('subscribes without its object, as React does it', () => {
  const signal = new Signal();
  const { subscribe } = signal;
  const callback = vi.fn<() => void>();
  subscribe(callback);
  signal.emit();
  expect(callback).toHaveBeenCalledOnce();
});
