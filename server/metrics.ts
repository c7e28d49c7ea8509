import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** One registry a house, so that two in one process (tests) do not count into each other. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'colloquy_http_request_seconds',
      help: 'Time to answer a request, by route pattern (never the address itself)',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    signIns: new Counter({ name: 'colloquy_sign_ins_total', help: 'Sign-in attempts by result', labelNames: ['result'], registers }),
    limited: new Counter({ name: 'colloquy_rate_limited_total', help: 'Requests refused by a limit', labelNames: ['rule'], registers }),
    mails: new Counter({ name: 'colloquy_mails_total', help: 'Mails by what became of them', labelNames: ['result'], registers }),
    mailsWaiting: new Gauge({ name: 'colloquy_mails_waiting', help: 'Mails not sent yet', registers }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
