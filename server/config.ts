import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { emailKey } from '#shared/accounts.ts';
import { defaultPrices } from '#shared/billing.ts';
import { isEmail } from '#shared/email.ts';
import { humanMinutePrice } from '#shared/orders.ts';

const url = (protocols: string[]) =>
  z
    .string()
    .trim()
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
      error: `is not a ${protocols.join(' or ')} address`,
      // What is asked of an address further on takes it for one.
      abort: true,
    });
/** What paths are put behind. */
const plainUrl = url(['http:', 'https:'])
  .refine(
    (value) => !/[?#]/.test(value) && new URL(value).username === '' && new URL(value).password === '',
    'must be an address without a question mark or a password',
  )
  .transform((value) => value.replace(/\/+$/, ''));
const whole = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d+$/, 'is not a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `is not between ${min} and ${max}`);
const dollars = z
  .string()
  .trim()
  .regex(/^\d{1,4}(\.\d{1,6})?$/, 'is not a number of dollars such as 0.15')
  .transform(Number);
const onOff = z.enum(['on', 'off'], 'is neither "on" nor "off"').transform((value) => value === 'on');

/** Every key the house reads from its environment, and nothing else does. */
const shape = z.object({
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().trim().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('.data'),
  PUBLIC_URL: url(['http:', 'https:'])
    .refine(
      (value) => new URL(value).pathname === '/' && !value.includes('?'),
      'must be an origin such as https://example.org, without a path',
    )
    .optional(),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  REDIS_URL: url(['redis:', 'rediss:']).optional(),
  ROLE: z.enum(['all', 'api', 'sync', 'jobs'], 'is none of "all", "api", "sync", "jobs"').default('all'),
  TRUSTED_PROXIES: z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .refine((list) => list.every((address) => isIP(address) !== 0), 'must be a comma-separated list of addresses')
    .default([]),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'is not a log level').default('info'),
  SMTP_URL: url(['smtp:', 'smtps:']).optional(),
  MAIL_FROM: z.string().trim().min(3).default('Colloquy <no-reply@localhost>'),
  SUPPORT_EMAIL: z.string().trim().min(3).optional(),
  BOT_CHECK: onOff.optional(),
  OIDC_ISSUER: url(['http:', 'https:']).optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_ID: z
    .string()
    .regex(
      /^(?!invite$|zoom$|webex$)[a-z][a-z0-9-]{1,30}$/,
      'must be a short lower-case word, and none of invite, zoom, webex',
    )
    .default('oidc'),
  OIDC_NAME: z.string().trim().min(1).max(60).default('single sign-on'),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is no name of a bucket')
    .optional(),
  S3_ENDPOINT: url(['http:', 'https:']).optional(),
  S3_REGION: z.string().trim().min(1).default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  S3_PATH_STYLE: onOff.optional(),
  TRANSCRIBE_URL: url(['http:', 'https:'])
    .refine(
      (value) => !/[?#]/.test(value) && new URL(value).username === '' && new URL(value).password === '',
      'must be an address such as https://api.openai.com/v1, without a question mark or a password',
    )
    .optional(),
  TRANSCRIBE_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'is no key')
    .optional(),
  TRANSCRIBE_MODEL: z.string().trim().min(1).max(200).default('whisper-1'),
  TRANSCRIBE_NAME: z.string().trim().min(1).max(60).optional(),
  TRANSCRIBE_PRICE: dollars.default(defaultPrices.individual.oneMinuteCost),
  TRANSCRIBE_HUMAN: z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .refine((list) => list.length > 0 && list.every(isEmail), 'must be a comma-separated list of e-mail addresses')
    .optional(),
  TRANSCRIBE_HUMAN_PRICE: dollars.default(humanMinutePrice),
  TRANSCRIBE_LOCAL: onOff.default(true),
  TRANSCRIBE_LOCAL_PRICE: dollars.default(0),
  MODELS_DIR: z.string().min(1).optional(),
  ZOOM_CLIENT_ID: z.string().trim().min(1).max(300).optional(),
  ZOOM_CLIENT_SECRET: z.string().trim().min(1).max(300).optional(),
  ZOOM_URL: plainUrl.optional(),
  ZOOM_API_URL: plainUrl.optional(),
  WEBEX_CLIENT_ID: z.string().trim().min(1).max(300).optional(),
  WEBEX_CLIENT_SECRET: z.string().trim().min(1).max(300).optional(),
  WEBEX_URL: plainUrl.optional(),
  WEBEX_API_URL: plainUrl.optional(),
  DEMO: onOff.optional(),
  DEV: onOff.default(false),
});

export const configKeys: readonly string[] = Object.keys(shape.shape);
/** Families in which an unknown key is a slip of the pen worth stopping for. */
const ownPrefixes = ['OIDC_', 'SMTP_', 'S3_', 'TRANSCRIBE_', 'ZOOM_', 'WEBEX_'];

export type Config = ReturnType<typeof readConfig>;

/** Names the key and what is wrong with it, never its value: that may be a secret. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export const loopback = (host: string) =>
  ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Of one's own network: private addresses, and names that only it knows, such as those of containers. */
const nearby = (host: string) =>
  loopback(host) || !/[.:]/.test(host) || /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host);

/** The only look at the environment of the process; tests hand their own. */
export const readOwnConfig = (root: string) => readConfig(process.env, root);

export function readConfig(env: Record<string, string | undefined>, root: string) {
  // An empty value means "not set": that is how compose files and shells clear a key.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const stray = Object.keys(given).find(
    (key) => ownPrefixes.some((prefix) => key.startsWith(prefix)) && !configKeys.includes(key),
  );
  if (stray) throw new ConfigError(`${stray} is not a configuration key`);

  const parsed = shape.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${String(issue?.path[0])} ${issue?.message}`);
  }
  const keys = parsed.data;
  const onLoopback = loopback(keys.HOST);
  if (!onLoopback && !keys.PUBLIC_URL) {
    throw new ConfigError(
      'PUBLIC_URL is missing: when HOST is not a loopback address, links and the origin check need the public address',
    );
  }
  if (keys.OIDC_ISSUER || keys.OIDC_CLIENT_ID || keys.OIDC_CLIENT_SECRET) {
    for (const key of ['OIDC_ISSUER', 'OIDC_CLIENT_ID'] as const) {
      if (!keys[key]) throw new ConfigError(`${key} is missing: OIDC_ISSUER and OIDC_CLIENT_ID belong together`);
    }
    const issuer = new URL(keys.OIDC_ISSUER ?? '');
    if (issuer.protocol === 'http:' && !loopback(issuer.hostname))
      throw new ConfigError('OIDC_ISSUER must be an https: address');
  }
  const s3Keys = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  if (s3Keys.some((key) => keys[key]) || keys.S3_ENDPOINT) {
    const missing = s3Keys.find((key) => !keys[key]);
    if (missing) throw new ConfigError(`${missing} is missing: ${s3Keys.join(', ')} belong together`);
    const endpoint = keys.S3_ENDPOINT ? new URL(keys.S3_ENDPOINT) : null;
    if (endpoint?.protocol === 'http:' && !loopback(endpoint.hostname))
      throw new ConfigError('S3_ENDPOINT must be an https: address');
  }
  if (keys.TRANSCRIBE_KEY && !keys.TRANSCRIBE_URL)
    throw new ConfigError('TRANSCRIBE_URL is missing: TRANSCRIBE_KEY belongs to it');
  if (keys.TRANSCRIBE_URL) {
    const { protocol, hostname } = new URL(keys.TRANSCRIBE_URL);
    if (protocol === 'http:' && !nearby(hostname))
      throw new ConfigError("TRANSCRIBE_URL must be an https: address, beyond one's own network");
  }
  for (const service of ['ZOOM', 'WEBEX'] as const) {
    const pair = [`${service}_CLIENT_ID`, `${service}_CLIENT_SECRET`] as const;
    const addresses = [`${service}_URL`, `${service}_API_URL`] as const;
    const missing = pair.find((key) => !keys[key]);
    if (missing && [...pair, ...addresses].some((key) => keys[key]))
      throw new ConfigError(`${missing} is missing: ${pair.join(' and ')} belong together`);
    for (const key of addresses) {
      const address = new URL(keys[key] ?? 'https://own.invalid');
      if (address.protocol === 'http:' && !loopback(address.hostname))
        throw new ConfigError(`${key} must be an https: address`);
    }
  }
  if (keys.ROLE !== 'all' && !keys.DATABASE_URL) {
    throw new ConfigError('DATABASE_URL is missing: separate roles need a database they share');
  }
  const publicUrl = keys.PUBLIC_URL ? new URL(keys.PUBLIC_URL) : null;
  /** Nobody but people at this machine can reach us. */
  const atHome = onLoopback && (!publicUrl || loopback(publicUrl.hostname));
  return {
    root,
    port: keys.PORT,
    host: keys.HOST,
    dataDir: resolve(root, keys.DATA_DIR),
    /** Null means: whatever loopback address and port we listen on. */
    publicOrigin: publicUrl ? publicUrl.origin : null,
    atHome,
    /** The cookie is `Secure` unless the house is only reached over loopback. */
    secureCookies: publicUrl ? publicUrl.protocol === 'https:' || !loopback(publicUrl.hostname) : !onLoopback,
    databaseUrl: keys.DATABASE_URL ?? null,
    redisUrl: keys.REDIS_URL ?? null,
    role: keys.ROLE,
    /** Health and figures every process serves; beyond that only what is its own. */
    serves: {
      api: keys.ROLE === 'all' || keys.ROLE === 'api',
      sync: keys.ROLE === 'all' || keys.ROLE === 'sync',
      jobs: keys.ROLE === 'all' || keys.ROLE === 'jobs',
    },
    trustedProxies: keys.TRUSTED_PROXIES,
    logLevel: keys.LOG_LEVEL,
    mail: { smtpUrl: keys.SMTP_URL ?? null, from: keys.MAIL_FROM },
    supportEmail: keys.SUPPORT_EMAIL ?? null,
    /** Off at home unless asked for. */
    botCheck: keys.BOT_CHECK ?? !atHome,
    identity:
      keys.OIDC_ISSUER && keys.OIDC_CLIENT_ID
        ? {
            issuer: keys.OIDC_ISSUER,
            clientId: keys.OIDC_CLIENT_ID,
            clientSecret: keys.OIDC_CLIENT_SECRET ?? null,
            id: keys.OIDC_ID,
            name: keys.OIDC_NAME,
          }
        : null,
    /** Null: recordings are kept in the data folder. */
    s3:
      keys.S3_BUCKET && keys.S3_ACCESS_KEY_ID && keys.S3_SECRET_ACCESS_KEY
        ? {
            bucket: keys.S3_BUCKET,
            endpoint: keys.S3_ENDPOINT ?? null,
            region: keys.S3_REGION,
            accessKeyId: keys.S3_ACCESS_KEY_ID,
            secretAccessKey: keys.S3_SECRET_ACCESS_KEY,
            /** Whoever runs their own server seldom has a name for each bucket. */
            pathStyle: keys.S3_PATH_STYLE ?? keys.S3_ENDPOINT !== undefined,
          }
        : null,
    /** Null: nothing writes recordings down. */
    transcribe: keys.TRANSCRIBE_URL
      ? {
          url: keys.TRANSCRIBE_URL.replace(/\/+$/, ''),
          key: keys.TRANSCRIBE_KEY ?? null,
          model: keys.TRANSCRIBE_MODEL,
          name: keys.TRANSCRIBE_NAME ?? null,
          price: keys.TRANSCRIBE_PRICE,
        }
      : null,
    /** Null: nobody writes recordings down by hand. */
    human: keys.TRANSCRIBE_HUMAN
      ? {
          operators: keys.TRANSCRIBE_HUMAN.map((email) => ({ email, key: emailKey(email) })),
          price: keys.TRANSCRIBE_HUMAN_PRICE,
        }
      : null,
    /** Null: nobody imports recordings from there. */
    zoom:
      keys.ZOOM_CLIENT_ID && keys.ZOOM_CLIENT_SECRET
        ? {
            clientId: keys.ZOOM_CLIENT_ID,
            clientSecret: keys.ZOOM_CLIENT_SECRET,
            url: keys.ZOOM_URL ?? 'https://zoom.us',
            apiUrl: keys.ZOOM_API_URL ?? 'https://api.zoom.us/v2',
          }
        : null,
    webex:
      keys.WEBEX_CLIENT_ID && keys.WEBEX_CLIENT_SECRET
        ? {
            clientId: keys.WEBEX_CLIENT_ID,
            clientSecret: keys.WEBEX_CLIENT_SECRET,
            url: keys.WEBEX_URL ?? 'https://webex.com',
            apiUrl: keys.WEBEX_API_URL ?? 'https://webexapis.com/v1',
          }
        : null,
    modelsDir: resolve(root, keys.MODELS_DIR ?? join(keys.DATA_DIR, 'models')),
    /** Null: what lies there is not offered. */
    localModels: keys.TRANSCRIBE_LOCAL ? { price: keys.TRANSCRIBE_LOCAL_PRICE } : null,
    /** Where programs of this machine are looked for. */
    path: env['PATH'] ?? '',
    /** Demo people have a password everybody knows: only where nobody else can reach them. */
    demo: (keys.DEMO ?? !keys.DATABASE_URL) && atHome,
    dev: keys.DEV,
  };
}
