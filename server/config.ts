import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { emailKey } from '#shared/accounts.ts';
import { defaultPrices } from '#shared/billing.ts';
import { isEmail } from '#shared/email.ts';
import { plainEngineTitle } from '#shared/intake.ts';
import { humanMinutePrice } from '#shared/orders.ts';

const url = (protocols: string[]) =>
  z
    .string()
    .trim()
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
      error: `is not a ${protocols.join(' or ')} address`,
      // The refinements that follow expect a valid URL.
      abort: true,
    });
/** Base address that paths are appended to. */
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
const addressList = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);
const onOff = z.enum(['on', 'off'], 'is neither "on" nor "off"').transform((value) => value === 'on');

/** Adds the text for docs/configuration.md; `shownDefault` is for a default that depends on other keys. */
/** A folder, or an address that nobody on the way can change. */
function isFolderOrSafe(value: string): boolean {
  if (!/^[a-z]+:\/\//i.test(value)) return true;
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && loopback(hostname));
}

const described = <Schema extends z.ZodType>(schema: Schema, description: string, shownDefault?: string): Schema =>
  schema.meta({ description, ...(shownDefault !== undefined && { shownDefault }) });

const defaultAddresses = {
  ZOOM_URL: 'https://zoom.us',
  ZOOM_API_URL: 'https://api.zoom.us/v2',
  WEBEX_URL: 'https://webex.com',
  WEBEX_API_URL: 'https://webexapis.com/v1',
};

const serverKeys = {
  PORT: described(whole(0, 65_535).default(3000), 'The one port that serves everything. `0` takes any free port.'),
  HOST: described(
    z.string().trim().min(1).default('127.0.0.1'),
    'The address to listen on. An address beyond loopback needs `PUBLIC_URL`.',
  ),
  PUBLIC_URL: described(
    url(['http:', 'https:'])
      .refine(
        (value) => new URL(value).pathname === '/' && !value.includes('?'),
        'must be an origin such as https://example.org, without a path',
      )
      .optional(),
    'The origin that people use, such as `https://colloquy.example`. Links in mails, the origin check and `Secure` cookies depend on it.',
  ),
  TRUSTED_PROXIES: described(
    addressList
      .refine((list) => list.every((address) => isIP(address) !== 0), 'must be a comma-separated list of addresses')
      .default([]),
    'IP addresses of proxies, separated by commas, whose `X-Forwarded-For` header is believed.',
  ),
  ROLE: described(
    z.enum(['all', 'api', 'sync', 'jobs'], 'is none of "all", "api", "sync", "jobs"').default('all'),
    'The part of the work that this process does: `all`, `api`, `sync` or `jobs`. A value other than `all` needs `DATABASE_URL`. See [operations](operations.md#scale-out).',
  ),
  LOG_LEVEL: described(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'is not a log level').default('info'),
    'The least severe log line that is written: `fatal`, `error`, `warn`, `info`, `debug` or `silent`.',
  ),
};

const storageKeys = {
  DATA_DIR: described(
    z.string().min(1).default('.data'),
    'The folder for the embedded database and for files. One process at a time can run the embedded database in it.',
  ),
  DATABASE_URL: described(
    url(['postgres:', 'postgresql:']).optional(),
    'A PostgreSQL server, version 15 or newer, that replaces the embedded one.',
  ),
  REDIS_URL: described(
    url(['redis:', 'rediss:']).optional(),
    'A Redis server that counts rate limits and carries news of live editing between processes.',
  ),
};

const mailKeys = {
  SMTP_URL: described(
    url(['smtp:', 'smtps:']).optional(),
    'The mail server, such as `smtps://user:password@mail.example`. TLS is required beyond this machine, unless the URL ends with `?tls=optional`. Without this key, mails stay in the outbox.',
  ),
  MAIL_FROM: described(z.string().trim().min(3).default('Colloquy <no-reply@localhost>'), 'The sender of mails.'),
  SUPPORT_EMAIL: described(
    z.string().trim().min(3).optional(),
    'The address that receives what people write in the support form. Without this key the form is not shown, except where `/outbox` shows all mails.',
  ),
};

const signInKeys = {
  BOT_CHECK: described(
    onOff.optional(),
    '`on` or `off`: a proof of work before forms that send mail.',
    'off on loopback, else on',
  ),
  OIDC_ISSUER: described(
    url(['http:', 'https:']).optional(),
    'An OpenID Connect provider that people can sign in with; `https:` beyond this machine. Its redirect address is `/api/login/<OIDC_ID>/callback`. Needs `OIDC_CLIENT_ID`.',
  ),
  OIDC_CLIENT_ID: described(z.string().min(1).optional(), 'The client id at that provider. Needs `OIDC_ISSUER`.'),
  OIDC_CLIENT_SECRET: described(z.string().min(1).optional(), 'The client secret at that provider, if it gave one.'),
  OIDC_ID: described(
    z
      .string()
      .regex(
        /^(?!invite$|zoom$|webex$)[a-z][a-z0-9-]{1,30}$/,
        'must be a short lower-case word, and none of invite, zoom, webex',
      )
      .default('oidc'),
    'The word for the provider in the redirect address.',
  ),
  OIDC_NAME: described(
    z.string().trim().min(1).max(60).default('single sign-on'),
    'The name of the provider on the sign-in button.',
  ),
};

const sharingKeys = {
  DISCOVER: described(
    onOff.default(true),
    '`off`: nobody finds recordings of others that are shared with everyone, and the share dialog no longer offers it. They still open by their link.',
  ),
};

const reviewKeys = {
  REVIEW_STRICT: described(whole(1, 100).default(10), 'Most reviewers of a strict review, supervisors not counted.'),
  REVIEW_RELAXED: described(whole(1, 100).default(30), 'Most reviewers of a relaxed review, supervisors not counted.'),
  REVIEW_STUDENT: described(whole(1, 100).default(5), 'Most mentors of a student review, supervisors not counted.'),
  COMPARE_DOCUMENTS: described(whole(2, 20).default(6), 'Most recordings and reviews in one comparison.'),
  REVIEW_SUPERVISORS: described(whole(0, 20).default(3), 'Most supervisors of a review.'),
};

const bucketKeys = {
  S3_BUCKET: described(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is no name of a bucket')
      .optional(),
    'The bucket that holds recordings, instead of `DATA_DIR`. Browsers send parts of a file straight to it, so it needs [CORS rules](operations.md#files-in-a-bucket).',
  ),
  S3_ACCESS_KEY_ID: described(
    z.string().min(1).optional(),
    'The access key id. `S3_BUCKET` and the two keys belong together.',
  ),
  S3_SECRET_ACCESS_KEY: described(z.string().min(1).optional(), 'The secret access key.'),
  S3_ENDPOINT: described(
    url(['http:', 'https:']).optional(),
    'Another server that speaks S3; `https:` beyond this machine.',
    "Amazon's",
  ),
  S3_REGION: described(z.string().trim().min(1).default('us-east-1'), 'The region of the bucket.'),
  S3_PATH_STYLE: described(
    onOff.optional(),
    '`on`: the bucket is part of the path. `off`: the bucket is part of the host name.',
    'on with `S3_ENDPOINT`, else off',
  ),
};

const transcriptionKeys = {
  TRANSCRIBE_URL: described(
    url(['http:', 'https:'])
      .refine(
        (value) => !/[?#]/.test(value) && new URL(value).username === '' && new URL(value).password === '',
        'must be an address such as https://api.openai.com/v1, without a question mark or a password',
      )
      .optional(),
    "A server that transcribes recordings with OpenAI's API (`POST …/audio/transcriptions` with `verbose_json`), such as `https://api.openai.com/v1`. `http:` is accepted only within the private network. ffmpeg cuts long recordings where they are quiet.",
  ),
  TRANSCRIBE_KEY: described(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'is no key')
      .optional(),
    'The API key for `TRANSCRIBE_URL`.',
  ),
  TRANSCRIBE_MODEL: described(
    z.string().trim().min(1).max(200).default('whisper-1'),
    'The name of the model at `TRANSCRIBE_URL`. The model has to return times.',
  ),
  TRANSCRIBE_NAME: described(
    z.string().trim().min(1).max(60).optional(),
    'The name that people see where they choose this engine.',
    `\`${plainEngineTitle}\``,
  ),
  TRANSCRIBE_PRICE: described(
    dollars.default(defaultPrices.individual.oneMinuteCost),
    'Dollars a minute, after the trial minutes. With `0` no trial minutes are used.',
  ),
  TRANSCRIBE_LOCAL: described(onOff.default(true), '`off` hides the models that `npm run models` fetched.'),
  TRANSCRIBE_LOCAL_PRICE: described(
    dollars.default(0),
    'Dollars a minute for local models, after the trial minutes. With `0` no trial minutes are used.',
  ),
  MODELS_DIR: described(
    z.string().min(1).optional(),
    'The folder that holds all models. Where the work is split, processes with `ROLE=api` and `ROLE=jobs` both read it.',
    '`models` in `DATA_DIR`',
  ),
  MODELS_FROM: described(
    z.string().min(1).refine(isFolderOrSafe, 'must be an https: address or a folder').optional(),
    'A mirror (`https:` address) or a folder from which speech models are fetched instead of their makers.',
  ),
  SHARE_PRICE: described(
    dollars.default(0),
    'Dollars for sharing a recording or a folder, once, when it is first shared with somebody outside the teams of its owner.',
  ),
  TRANSCRIBE_HUMAN: described(
    addressList
      .refine((list) => list.length > 0 && list.every(isEmail), 'must be a comma-separated list of e-mail addresses')
      .optional(),
    'E-mail addresses, separated by commas, of the people who transcribe by hand. With this key, people can order a human transcript, and a person signed in with one of these addresses finds the orders at `/orders`.',
  ),
  TRANSCRIBE_HUMAN_PRICE: described(
    dollars.default(humanMinutePrice),
    'Dollars a minute for a human transcript. It is paid from credits alone.',
  ),
};

const assistantKeys = {
  AI_URL: described(
    plainUrl.optional(),
    "A server with language models that answer questions about recordings: OpenAI's chat completions (such as `https://api.openai.com/v1`, or vLLM's or llama.cpp's), Ollama, or `https://api.anthropic.com`. `http:` is accepted only within the private network. Without this key, a server that only this machine reaches looks for Ollama at `http://127.0.0.1:11434`.",
  ),
  AI_KEY: described(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'is no key')
      .optional(),
    'The API key for `AI_URL`.',
  ),
  AI_MODEL: described(
    addressList
      .refine((list) => list.length <= 20 && list.every((name) => name.length <= 200), 'is no list of up to 20 names')
      .default([]),
    'The names of models there, separated by commas; the first is the default. Without this key, the newest that the server names.',
  ),
  AI_NAME: described(
    z.string().trim().min(1).max(60).optional(),
    'The name of the model that people see.',
    'its own name',
  ),
  AI_CONTEXT: described(
    whole(2048, 2_000_000).optional(),
    'How many tokens a question with its answer may have.',
    'as the server tells, at most 32,768 with Ollama; else 8192',
  ),
  AI_PARALLEL: described(whole(1, 50).default(2), 'How many questions this process asks at the same time.'),
  QUESTION_PRICE: described(
    dollars.default(0),
    'Dollars for a question about a recording or an analysis of it, taken when its answer has words that stand in the transcript.',
  ),
  DETECT_PRICE: described(
    dollars.default(0),
    'Dollars for a search for outcomes in a recording, taken when it finds one whose words stand in the transcript.',
  ),
  AI_SUPPORT: described(
    onOff.default(false),
    '`on`: the model answers questions in “Ask support” from the guide; people can still be asked. It gets the question, and nothing of the account.',
  ),
  AI_SUPPORT_DAILY: described(
    whole(1, 1_000_000).default(500),
    'How many of these questions are answered in a day, for all people together, and a fifth of them for one person; those after them go to people.',
  ),
  AI_LOCAL: described(onOff.default(true), '`off`: without `AI_URL`, no Ollama is looked for.'),
};

const meetingServiceKeys = {
  ZOOM_CLIENT_ID: described(
    z.string().trim().min(1).max(300).optional(),
    'The client id of an OAuth application at Zoom, with which people import their cloud recordings. Its redirect address is `/api/login/zoom/callback`, its scopes are `cloud_recording:read:list_user_recordings` and `cloud_recording:read:list_recording_files`. Needs `ZOOM_CLIENT_SECRET`.',
  ),
  ZOOM_CLIENT_SECRET: described(z.string().trim().min(1).max(300).optional(), 'The client secret of that application.'),
  ZOOM_URL: described(
    plainUrl.optional(),
    'Where people sign in to Zoom. Recordings are fetched from this host and its subdomains.',
    `\`${defaultAddresses.ZOOM_URL}\``,
  ),
  ZOOM_API_URL: described(
    plainUrl.optional(),
    "Zoom's API, which is asked for the lists of recordings.",
    `\`${defaultAddresses.ZOOM_API_URL}\``,
  ),
  WEBEX_CLIENT_ID: described(
    z.string().trim().min(1).max(300).optional(),
    'The client id of an integration at Webex. Its redirect address is `/api/login/webex/callback`, its scope is `meeting:recordings_read`. Needs `WEBEX_CLIENT_SECRET`.',
  ),
  WEBEX_CLIENT_SECRET: described(
    z.string().trim().min(1).max(300).optional(),
    'The client secret of that integration.',
  ),
  WEBEX_URL: described(
    plainUrl.optional(),
    'Recordings are fetched from this host and its subdomains.',
    `\`${defaultAddresses.WEBEX_URL}\``,
  ),
  WEBEX_API_URL: described(
    plainUrl.optional(),
    "Webex's API, which is asked for everything else.",
    `\`${defaultAddresses.WEBEX_API_URL}\``,
  ),
};

const paymentKeys = {
  STRIPE_SECRET_KEY: described(
    z
      .string()
      .regex(/^(sk|rk)_(test|live)_\w{8,250}$/, 'is no secret key such as sk_live_…')
      .optional(),
    'The secret or restricted key of a Stripe account. A key of a test mode takes test payments. Without a key, a server that only this machine reaches takes practice payments, in which no money moves, and any other takes none.',
  ),
  STRIPE_PUBLISHABLE_KEY: described(
    z
      .string()
      .regex(/^pk_(test|live)_\w{8,250}$/, 'is no publishable key such as pk_live_…')
      .optional(),
    'The publishable key of the same account and mode.',
  ),
  STRIPE_WEBHOOK_SECRET: described(
    addressList
      .refine(
        (list) => list.length > 0 && list.every((secret) => /^whsec_\w{8,250}$/.test(secret)),
        'must be a comma-separated list of secrets such as whsec_…',
      )
      .optional(),
    'The signing secrets of the webhook at `/api/stripe/webhook`, separated by commas: two while one replaces the other.',
  ),
  STRIPE_TAX: described(
    onOff.default(false),
    '`on`: Stripe Tax is added to what people pay. Practice payments add an example of 20 %.',
  ),
  STRIPE_API_URL: described(
    plainUrl.optional(),
    'Another server that speaks like Stripe, on this machine. Refused with a key of the live mode.',
  ),
  ALLOW_TEST_PURCHASE: described(
    z
      .enum(['0', '1'], 'is neither "0" nor "1"')
      .default('0')
      .transform((value) => value === '1'),
    '`1` serves `/testpurchase`, which buys 50 credits with a test payment. Refused with a key of the live mode.',
    '0',
  ),
};

const developmentKeys = {
  DEMO: described(
    onOff.optional(),
    '`off`: no demo people. `on` has no effect where others than this machine can reach the server.',
    'on with the embedded database on loopback, else off',
  ),
  DEV: described(onOff.default(false), '`on` serves the development routes.'),
};

/** All keys in the order of docs/configuration.md, which `scripts/configuration.ts` writes from them. */
export const configGroups: readonly { title: string; keys: Record<string, z.ZodType> }[] = [
  { title: 'Server', keys: serverKeys },
  { title: 'Database and files', keys: storageKeys },
  { title: 'Files in an S3 bucket', keys: bucketKeys },
  { title: 'Mail', keys: mailKeys },
  { title: 'Sign-in', keys: signInKeys },
  { title: 'Sharing', keys: sharingKeys },
  { title: 'Reviews', keys: reviewKeys },
  { title: 'Transcription', keys: transcriptionKeys },
  { title: 'Assistant', keys: assistantKeys },
  { title: 'Zoom and Webex', keys: meetingServiceKeys },
  { title: 'Payments', keys: paymentKeys },
  { title: 'Demo and development', keys: developmentKeys },
];

/** Every environment variable that the server reads; no other file of it reads one. */
const shape = z.object({
  ...serverKeys,
  ...storageKeys,
  ...bucketKeys,
  ...mailKeys,
  ...signInKeys,
  ...sharingKeys,
  ...reviewKeys,
  ...transcriptionKeys,
  ...assistantKeys,
  ...meetingServiceKeys,
  ...paymentKeys,
  ...developmentKeys,
});

export const configKeys: readonly string[] = Object.keys(shape.shape);
/** Prefixes of the server's keys: an unknown key with one of them is a typing mistake and stops the start. */
const ownPrefixes = ['OIDC_', 'SMTP_', 'S3_', 'TRANSCRIBE_', 'AI_', 'ZOOM_', 'WEBEX_', 'STRIPE_'];

export type Config = ReturnType<typeof readConfig>;

/** Names the key and the mistake, never the value, which can be a secret. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export const loopback = (host: string) =>
  ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);

/** True for hosts of the private network: private addresses, and names without a dot such as those of containers. */
const nearby = (host: string) =>
  loopback(host) || !/[.:]/.test(host) || /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host);

/** Its own dialect is spoken by this host alone. */
export const isAnthropic = (url: string): boolean => /(^|\.)anthropic\.com$/.test(new URL(url).hostname);

/** Reads the environment of the process, the only place that does so; tests pass their own. */
export const readOwnConfig = (root: string) => readConfig(process.env, root);

type Keys = z.infer<typeof shape>;

/** Refuses keys of Stripe that do not belong together, so that no wrong payment page is ever shown. */
function checkPayments(keys: Keys): void {
  const trio = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;
  const missing = trio.find((key) => !keys[key]);
  if (missing && (trio.some((key) => keys[key]) || keys.STRIPE_API_URL))
    throw new ConfigError(`${missing} is missing: ${trio.join(', ')} belong together`);
  if (!keys.STRIPE_SECRET_KEY || !keys.STRIPE_PUBLISHABLE_KEY) return;
  const live = keys.STRIPE_SECRET_KEY.includes('_live_');
  if (live !== keys.STRIPE_PUBLISHABLE_KEY.startsWith('pk_live_'))
    throw new ConfigError('STRIPE_PUBLISHABLE_KEY is not of the same mode as STRIPE_SECRET_KEY');
  if (live && keys.ALLOW_TEST_PURCHASE)
    throw new ConfigError('ALLOW_TEST_PURCHASE must not be 1 with a STRIPE_SECRET_KEY of the live mode');
  if (!keys.STRIPE_API_URL) return;
  if (live) throw new ConfigError('STRIPE_API_URL must not be set with a STRIPE_SECRET_KEY of the live mode');
  if (!loopback(new URL(keys.STRIPE_API_URL).hostname))
    throw new ConfigError('STRIPE_API_URL must be an address of this machine');
}

function checkAssistant({ AI_URL, AI_KEY, AI_MODEL }: Keys): void {
  if (!AI_URL) {
    if (AI_KEY) throw new ConfigError('AI_URL is missing: AI_KEY belongs to it');
    return;
  }
  const { protocol, hostname } = new URL(AI_URL);
  if (protocol === 'http:' && !nearby(hostname))
    throw new ConfigError("AI_URL must be an https: address, beyond one's own network");
  if (isAnthropic(AI_URL) && AI_MODEL.length === 0)
    throw new ConfigError('AI_MODEL is missing: this server does not say which models it has');
}

/** Practice payments exist only where nobody but this machine reaches the server. */
function paymentsOf(keys: Keys, practice: boolean) {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_PUBLISHABLE_KEY: publishableKey } = keys;
  const shared = { tax: keys.STRIPE_TAX, testPurchase: keys.ALLOW_TEST_PURCHASE };
  if (!secretKey || !publishableKey) return { ...shared, mode: practice ? ('practice' as const) : ('off' as const) };
  return {
    ...shared,
    mode: secretKey.includes('_live_') ? ('live' as const) : ('test' as const),
    secretKey,
    publishableKey,
    webhookSecrets: keys.STRIPE_WEBHOOK_SECRET ?? [],
    /** Address of the payment service; null for Stripe's own. */
    apiUrl: keys.STRIPE_API_URL ?? null,
  };
}

export function readConfig(env: Record<string, string | undefined>, root: string) {
  // An empty value means "not set": compose files and shells clear a key that way.
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
  checkAssistant(keys);
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
  checkPayments(keys);
  if (keys.ROLE !== 'all' && !keys.DATABASE_URL) {
    throw new ConfigError('DATABASE_URL is missing: separate roles need a database they share');
  }
  const publicUrl = keys.PUBLIC_URL ? new URL(keys.PUBLIC_URL) : null;
  /** Only people at this machine can reach the server. */
  const atHome = onLoopback && (!publicUrl || loopback(publicUrl.hostname));
  return {
    root,
    port: keys.PORT,
    host: keys.HOST,
    dataDir: resolve(root, keys.DATA_DIR),
    /** Origin in links; null for the loopback address and port that the server listens on. */
    publicOrigin: publicUrl ? publicUrl.origin : null,
    atHome,
    /** The cookie is `Secure` unless the server is reached over loopback alone. */
    secureCookies: publicUrl ? publicUrl.protocol === 'https:' || !loopback(publicUrl.hostname) : !onLoopback,
    databaseUrl: keys.DATABASE_URL ?? null,
    redisUrl: keys.REDIS_URL ?? null,
    role: keys.ROLE,
    /** Every process serves health and metrics as well. */
    serves: {
      api: keys.ROLE === 'all' || keys.ROLE === 'api',
      sync: keys.ROLE === 'all' || keys.ROLE === 'sync',
      jobs: keys.ROLE === 'all' || keys.ROLE === 'jobs',
    },
    trustedProxies: keys.TRUSTED_PROXIES,
    logLevel: keys.LOG_LEVEL,
    mail: { smtpUrl: keys.SMTP_URL ?? null, from: keys.MAIL_FROM },
    supportEmail: keys.SUPPORT_EMAIL ?? null,
    /** Whether recordings that are shared with everyone are found by their title. */
    discover: keys.DISCOVER,
    compareDocuments: keys.COMPARE_DOCUMENTS,
    reviews: {
      strict: keys.REVIEW_STRICT,
      relaxed: keys.REVIEW_RELAXED,
      student: keys.REVIEW_STUDENT,
      supervisors: keys.REVIEW_SUPERVISORS,
    },
    /** Off on loopback unless set. */
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
    /** Bucket for recordings; null for the data folder. */
    s3:
      keys.S3_BUCKET && keys.S3_ACCESS_KEY_ID && keys.S3_SECRET_ACCESS_KEY
        ? {
            bucket: keys.S3_BUCKET,
            endpoint: keys.S3_ENDPOINT ?? null,
            region: keys.S3_REGION,
            accessKeyId: keys.S3_ACCESS_KEY_ID,
            secretAccessKey: keys.S3_SECRET_ACCESS_KEY,
            /** Servers other than Amazon's rarely have a host name for each bucket. */
            pathStyle: keys.S3_PATH_STYLE ?? keys.S3_ENDPOINT !== undefined,
          }
        : null,
    /** Transcription server; null for none. */
    transcribe: keys.TRANSCRIBE_URL
      ? {
          url: keys.TRANSCRIBE_URL.replace(/\/+$/, ''),
          key: keys.TRANSCRIBE_KEY ?? null,
          model: keys.TRANSCRIBE_MODEL,
          name: keys.TRANSCRIBE_NAME ?? null,
          price: keys.TRANSCRIBE_PRICE,
        }
      : null,
    /** Micro-dollars. */
    sharePrice: BigInt(Math.round(keys.SHARE_PRICE * 1e6)),
    /** Offer of human transcripts; null for none. */
    human: keys.TRANSCRIBE_HUMAN
      ? {
          operators: keys.TRANSCRIBE_HUMAN.map((email) => ({ email, key: emailKey(email) })),
          price: keys.TRANSCRIBE_HUMAN_PRICE,
        }
      : null,
    assistant: {
      /** Address of the model server; null for Ollama on this machine, unless `local` is off. */
      url: keys.AI_URL ?? null,
      key: keys.AI_KEY ?? null,
      models: keys.AI_MODEL,
      name: keys.AI_NAME ?? null,
      /** Context in tokens; null for the one of the model server. */
      context: keys.AI_CONTEXT ?? null,
      local: keys.AI_LOCAL,
      parallel: keys.AI_PARALLEL,
      support: keys.AI_SUPPORT,
      supportAnswers: keys.AI_SUPPORT_DAILY,
      /** Dollars. */
      questionPrice: keys.QUESTION_PRICE,
      detectPrice: keys.DETECT_PRICE,
    },
    /** App for the import from Zoom; null turns it off. `webex` likewise. */
    zoom:
      keys.ZOOM_CLIENT_ID && keys.ZOOM_CLIENT_SECRET
        ? {
            clientId: keys.ZOOM_CLIENT_ID,
            clientSecret: keys.ZOOM_CLIENT_SECRET,
            url: keys.ZOOM_URL ?? defaultAddresses.ZOOM_URL,
            apiUrl: keys.ZOOM_API_URL ?? defaultAddresses.ZOOM_API_URL,
          }
        : null,
    webex:
      keys.WEBEX_CLIENT_ID && keys.WEBEX_CLIENT_SECRET
        ? {
            clientId: keys.WEBEX_CLIENT_ID,
            clientSecret: keys.WEBEX_CLIENT_SECRET,
            url: keys.WEBEX_URL ?? defaultAddresses.WEBEX_URL,
            apiUrl: keys.WEBEX_API_URL ?? defaultAddresses.WEBEX_API_URL,
          }
        : null,
    payments: paymentsOf(keys, atHome && keys.ROLE === 'all'),
    modelsDir: resolve(root, keys.MODELS_DIR ?? join(keys.DATA_DIR, 'models')),
    /** Address that models are fetched from; null for those of their makers. */
    modelsFrom: keys.MODELS_FROM ?? null,
    /** Offer of local models; null for none. */
    localModels: keys.TRANSCRIBE_LOCAL ? { price: keys.TRANSCRIBE_LOCAL_PRICE } : null,
    /** The folders in which ffmpeg and other programs are looked for. */
    path: env['PATH'] ?? '',
    /** Demo people have a public password, so they exist only where nobody else can reach the server. */
    demo: (keys.DEMO ?? !keys.DATABASE_URL) && atHome,
    dev: keys.DEV,
  };
}
