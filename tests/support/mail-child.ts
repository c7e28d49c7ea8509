import { openDatabase } from '#db/open.ts';
import { systemClock } from '#server/clock.ts';
import { createLog } from '#server/log.ts';
import { startMail } from '#server/mail/dispatch.ts';
import { createMetrics } from '#server/metrics.ts';

/* Process that sends mail, to be killed: `mail-child.ts <database URL>`. It prints `has <message id>` for the mail
   it has claimed, and never finishes sending it. */

const db = openDatabase(process.argv[2] ?? '');
startMail(
  { db, clock: systemClock, log: createLog('silent'), metrics: createMetrics() },
  {
    embedded: false,
    deliver: ({ messageId }) => {
      process.stdout.write(`has ${messageId}\n`);
      return new Promise(() => {});
    },
    close: () => Promise.resolve(),
  },
);
// Keeps the process running; the worker's own timers would let it end.
setInterval(() => {}, 60_000);
