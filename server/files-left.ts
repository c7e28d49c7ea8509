import { open } from 'node:fs/promises';
import type { Logger } from 'pino';

/**
 * Where a process may open no further file, newcomers are turned away before anything of ours hears of them, and what
 * it asks of others fails in odd places. This is the one place that says why.
 */
export function watchFiles(log: Logger, every = 5000): { stop(): void } {
  let out = false;
  const look = async () => {
    const { code } = await open(process.execPath).then(
      async (file) => (await file.close(), { code: '' }),
      (error: NodeJS.ErrnoException) => error,
    );
    const now = code === 'EMFILE' || code === 'ENFILE';
    if (now && !out) log.error({ code }, 'no files are left: newcomers are turned away');
    if (!now && out) log.info('there are files again');
    out = now;
  };
  const timer = setInterval(() => void look(), every);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
