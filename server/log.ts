import { pino, type DestinationStream, type Logger } from 'pino';

/** Whatever a careless line carries under these names never reaches the log. */
const secrets = ['password', 'passwordConfirm', 'token', 'secret', 'authorization', 'cookie', 'set-cookie', 'csrf_token', 'access_code', 'html', 'text'];

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), censor: '[secret]' },
  };
  return destination ? pino(options, destination) : pino(options);
}
