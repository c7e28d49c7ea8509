/** The time, as an argument: tests move it, nothing reads it behind their back. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const after = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);
