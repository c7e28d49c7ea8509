import { useSyncExternalStore } from 'react';

import { Signal } from '#shared/signal.ts';

import { ApiError, useApi } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { clockTime } from '../ui/times.ts';
import { useSecondsUntil } from '../ui/use-seconds-until.ts';
import { useTranslation } from '../use-translation.ts';

/** In the session storage, so that a reloaded page still counts down. The server decides in any case. */
const storageKey = 'colloquy-confirm-again';

interface Wait {
  email: string;
  /** By the clock of this browser. */
  until: number;
}

const changed = new Signal();
let latest: Wait | null | undefined;

function readWait(): Wait | null {
  if (latest !== undefined) return latest;
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Partial<Wait> | null;
    latest =
      typeof stored?.email === 'string' && typeof stored.until === 'number'
        ? { email: stored.email, until: stored.until }
        : null;
  } catch {
    latest = null;
  }
  return latest;
}

function noteWait(email: string, seconds: number): void {
  latest = { email, until: Date.now() + seconds * 1000 };
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(latest));
  } catch {
    // Without storage it counts until the page is left.
  }
  changed.emit();
}

const useWait = (): Wait | null => useSyncExternalStore((callback) => changed.subscribe(callback), readWait);

/** The address that a confirmation mail was last requested for in this tab. */
export const useLastConfirmed = (): string | null => useWait()?.email ?? null;

/** Requests the confirmation mail, and notes when the server allows the next one. */
export function useConfirmAgain(): (email: string) => Promise<void> {
  const api = useApi();
  return async (email) => {
    const note = (seconds: number) => noteWait(email.trim(), seconds);
    try {
      const answer = await api.confirm.$post({ json: { email } });
      note(Number(answer.headers.get('Retry-After') ?? 0));
    } catch (error) {
      if (error instanceof ApiError && error.status === 429) note(error.retryAfter ?? 0);
      throw error;
    }
  };
}

interface AgainButtonProps {
  email: string;
  action: string;
  look?: 'quiet' | 'primary' | 'plain';
  type?: 'button' | 'submit';
  wide?: boolean;
  busy: boolean;
  onClick?: () => void;
}

/** Counts down until the confirmation mail may be requested again for this address. */
export function AgainButton({ email, action, ...button }: AgainButtonProps) {
  const { t } = useTranslation('signIn');
  const wait = useWait();
  const seconds = useSecondsUntil(wait?.email === email.trim() ? wait.until : 0);
  return (
    <Button {...button} waiting={seconds > 0}>
      {seconds > 0 ? t('resend.wait', { time: clockTime(seconds * 1000) }) : action}
    </Button>
  );
}
