/** Current time as a dependency, so that tests can move it; no code reads the system time directly. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const after = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);
