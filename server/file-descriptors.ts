import { open } from 'node:fs/promises';
import type { Logger } from 'pino';

/**
 * Logs when the process runs out of file descriptors. Without it nothing explains the symptoms: new connections are
 * refused before any handler runs, and outgoing calls fail in unrelated places.
 */
export function watchFiles(log: Logger, every = 5000): { stop(): void } {
  let out = false;
  const check = async () => {
    const { code } = await open(process.execPath).then(
      async (file) => (await file.close(), { code: '' }),
      (error: NodeJS.ErrnoException) => error,
    );
    const now = code === 'EMFILE' || code === 'ENFILE';
    if (now && !out) log.error({ code }, 'no files are left: newcomers are turned away');
    if (!now && out) log.info('there are files again');
    out = now;
  };
  const timer = setInterval(() => void check(), every);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
