import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** One registry for each server, so that two in one process (tests) do not share counts. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  /** Asks each time that the metrics are read; NaN, which collectors take for unknown, where there is no answer. */
  const askedGauge = (name: string, help: string, ask: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await ask().catch(() => Number.NaN));
      },
    });
  return {
    registry,
    requests: new Histogram({
      name: 'colloquy_http_request_seconds',
      help: 'Time to answer a request, by route pattern (never the address itself)',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    signIns: new Counter({
      name: 'colloquy_sign_ins_total',
      help: 'Sign-in attempts by result',
      labelNames: ['result'],
      registers,
    }),
    limited: new Counter({
      name: 'colloquy_rate_limited_total',
      help: 'Requests refused by a limit',
      labelNames: ['rule'],
      registers,
    }),
    mails: new Counter({
      name: 'colloquy_mails_total',
      help: 'Mails by what became of them',
      labelNames: ['result'],
      registers,
    }),
    billingAlarms: new Counter({
      name: 'colloquy_billing_alarms_total',
      help: 'Payments that need an operator, by reason',
      labelNames: ['kind'],
      registers,
    }),
    billingDifferences: new Gauge({
      name: 'colloquy_billing_differences',
      help: 'Movements at the payment service of the last days that differ from the books',
      registers,
    }),
    booksDifferences: new Gauge({
      name: 'colloquy_books_differences',
      help: 'Differences inside the books that their last daily check found',
      registers,
    }),
    appendSeconds: new Histogram({
      name: 'colloquy_sync_append_seconds',
      help: 'Time from handing a batch of edits to the database until it is durable',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.03, 0.1, 0.5, 2],
      registers,
    }),
    appendRows: new Counter({
      name: 'colloquy_sync_rows_total',
      help: 'Rows appended to the logs of rooms',
      registers,
    }),
    savedSeconds: new Histogram({
      name: 'colloquy_sync_saved_seconds',
      help: 'Time from the arrival of an edit until its sender is told that it is durable',
      buckets: [0.002, 0.005, 0.01, 0.03, 0.06, 0.25, 0.6, 2, 10],
      registers,
    }),
    syncRefusals: new Counter({
      name: 'colloquy_sync_refusals_total',
      help: 'Who was not let in or put out again, by HTTP status or close code',
      labelNames: ['code'],
      registers,
    }),
    syncRefused: new Counter({
      name: 'colloquy_sync_refused_updates_total',
      help: 'Updates of documents that were not taken, by the kind of reason',
      labelNames: ['reason'],
      registers,
    }),
    syncRebuilds: new Counter({
      name: 'colloquy_sync_rebuilds_total',
      help: 'Rooms thrown away on a doubt, to be built anew from the log',
      registers,
    }),
    syncLag: new Gauge({
      name: 'colloquy_sync_lag_rows',
      help: 'Rows of the log that the rooms of this process had not heard of at the last look',
      registers,
    }),
    syncEvents: new Counter({
      name: 'colloquy_sync_events_total',
      help: 'What happened at the door and in the rooms',
      labelNames: ['event'],
      registers,
    }),
    /** Gauges call `read` when the metrics are scraped. */
    rooms: (read: () => number) => gauge('colloquy_sync_rooms', 'Rooms open at this process', read),
    pendingBytes: (read: () => number) =>
      gauge('colloquy_sync_pending_bytes', 'Bytes of edits waiting for the disk or for what they hang on', read),
    sockets: (read: () => number) => gauge('colloquy_sync_sockets', 'Sockets open at this process', read),
    findingBehind: (ask: () => Promise<number>) =>
      askedGauge('colloquy_finding_behind_rooms', 'Documents that search does not have as they are stored now', ask),
    mailsWaiting: new Gauge({ name: 'colloquy_mails_waiting', help: 'Mails not sent yet', registers }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
