import { pino, type DestinationStream, type Logger } from 'pino';

/** Whatever a careless line carries under these names never reaches the log. */
const secrets = [
  'password',
  'passwordConfirm',
  'token',
  'secret',
  'authorization',
  'cookie',
  'set-cookie',
  'csrf_token',
  'access_code',
  'html',
  'text',
];

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: plainError },
    redact: { paths: secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), censor: '[secret]' },
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * What went wrong and where, but not with what: a failed query says its values in its message, and the database those
 * that did not fit.
 */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const details = error as Error & Record<string, unknown>;
  const ofDatabase = 'query' in error || 'severity' in error;
  return {
    type: error.constructor.name,
    message: ofDatabase ? undefined : error.message.slice(0, 1000),
    code: details['code'],
    routine: details['routine'],
    table: details['table_name'],
    constraint: details['constraint_name'],
    stack: error.stack
      ?.split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 20)
      .map((line) => line.trim()),
    cause: error.cause === undefined ? undefined : plainError(error.cause),
  };
}
