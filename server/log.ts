import { pino, type DestinationStream, type Logger } from 'pino';

/** Fields with these names are never written to the log, even when passed by mistake. */
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
 * Error for the log without values: the message of a failed query contains its parameters, and a message of the
 * database the values it refused.
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
