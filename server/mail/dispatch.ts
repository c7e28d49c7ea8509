import type { House } from '../context.ts';
import type { Mailer } from '../outside/mailer.ts';

export function startMail(_house: House, _mailer: Mailer): { wake(): void; stop(): Promise<void> } {
  return { wake: () => {}, stop: () => Promise.resolve() };
}
