import { describe, expect, test } from 'vitest';
import { ConfigError, configKeys, readConfig } from './config.ts';

const read = (env: Record<string, string> = {}) => readConfig(env, '/srv/colloquy');
const canary = 'k9-canary';

function complaint(env: Record<string, string>): string {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error(`${JSON.stringify(env)} was accepted`);
}

describe('configuration', () => {
  test('needs no keys at all', () => {
    expect(read()).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      dataDir: '/srv/colloquy/.data',
      publicOrigin: null,
      atHome: true,
      secureCookies: false,
      databaseUrl: null,
      redisUrl: null,
      role: 'all',
      serves: { api: true, sync: true, jobs: true },
      botCheck: false,
      identity: null,
      demo: true,
      dev: false,
    });
  });

  test('treats an empty value as not set', () => {
    expect(read(Object.fromEntries(configKeys.map((key) => [key, ''])))).toEqual(read());
  });

  test.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PUBLIC_URL', 'colloquy.example'],
    ['PUBLIC_URL', `https://colloquy.example/${canary}`],
    ['PUBLIC_URL', 'ftp://colloquy.example'],
    ['DATABASE_URL', `mysql://colloquy:${canary}@db/colloquy`],
    ['DATABASE_URL', canary],
    ['REDIS_URL', `http://:${canary}@redis`],
    ['ROLE', canary],
    ['TRUSTED_PROXIES', `10.0.0.1, ${canary}`],
    ['LOG_LEVEL', canary],
    ['SMTP_URL', `https://user:${canary}@mail`],
    ['BOT_CHECK', canary],
    ['OIDC_ISSUER', canary],
    ['OIDC_ID', 'invite'],
    ['OIDC_ID', `${canary} with spaces`],
    ['S3_BUCKET', `${canary}/with/folders`],
    ['S3_ENDPOINT', canary],
    ['S3_PATH_STYLE', canary],
    ['TRANSCRIBE_URL', canary],
    ['TRANSCRIBE_LOCAL', canary],
    ['TRANSCRIBE_LOCAL_PRICE', canary],
    ['TRANSCRIBE_URL', `https://user:${canary}@speech.example/v1`],
    ['TRANSCRIBE_URL', `https://speech.example/v1?key=${canary}`],
    ['TRANSCRIBE_KEY', `${canary}\n`],
    ['TRANSCRIBE_PRICE', canary],
    ['TRANSCRIBE_HUMAN', canary],
    ['TRANSCRIBE_HUMAN', `writer@example.test, ${canary}`],
    ['TRANSCRIBE_HUMAN', ','],
    ['TRANSCRIBE_HUMAN_PRICE', canary],
    ['AI_URL', `https://user:${canary}@ai.example/v1`],
    ['AI_KEY', `${canary}\n`],
    ['AI_CONTEXT', canary],
    ['AI_LOCAL', canary],
    ['AI_PARALLEL', canary],
    ['QUESTION_PRICE', canary],
    ['DETECT_PRICE', canary],
    ['ZOOM_URL', canary],
    ['ZOOM_API_URL', `https://api.zoom.example/v2?key=${canary}`],
    ['WEBEX_API_URL', `https://user:${canary}@api.webex.example`],
    ['STRIPE_SECRET_KEY', canary],
    ['STRIPE_PUBLISHABLE_KEY', `sk_live_${canary}`],
    ['STRIPE_WEBHOOK_SECRET', `whsec_12345678, ${canary}`],
    ['STRIPE_TAX', canary],
    ['STRIPE_API_URL', canary],
    ['ALLOW_TEST_PURCHASE', canary],
    ['DEMO', canary],
    ['DEV', canary],
  ])('refuses %s=%s and names the key without its value', (key, value) => {
    const message = complaint({ [key]: value });
    expect(message.startsWith(`${key} `)).toBe(true);
    expect(message).not.toContain(canary);
    expect(message).not.toContain('\n');
  });

  test.each([
    ['OIDC_CLIENTID', { OIDC_CLIENTID: canary }],
    ['SMTP_PASSWORD', { SMTP_PASSWORD: canary }],
    ['S3_KEY', { S3_KEY: canary }],
    ['TRANSCRIBE_TOKEN', { TRANSCRIBE_TOKEN: canary }],
    ['AI_TOKEN', { AI_TOKEN: canary }],
    ['ZOOM_SECRET', { ZOOM_SECRET: canary }],
    ['WEBEX_TOKEN', { WEBEX_TOKEN: canary }],
    ['STRIPE_KEY', { STRIPE_KEY: canary }],
  ])('names a misspelled key: %s', (key, env) => {
    expect(complaint(env)).toBe(`${key} is not a configuration key`);
  });

  test.each([
    ['OIDC_CLIENT_ID', { OIDC_ISSUER: 'https://id.example' }],
    ['OIDC_ISSUER', { OIDC_CLIENT_SECRET: canary }],
    ['PUBLIC_URL', { HOST: '0.0.0.0' }],
    ['S3_ACCESS_KEY_ID', { S3_BUCKET: 'recordings' }],
    ['S3_SECRET_ACCESS_KEY', { S3_BUCKET: 'recordings', S3_ACCESS_KEY_ID: canary }],
    ['S3_BUCKET', { S3_SECRET_ACCESS_KEY: canary, S3_ENDPOINT: 'https://s3.example' }],
    ['TRANSCRIBE_URL', { TRANSCRIBE_KEY: canary }],
    ['AI_URL', { AI_KEY: canary }],
    ['AI_MODEL', { AI_URL: 'https://api.anthropic.com', AI_KEY: canary }],
    ['ZOOM_CLIENT_SECRET', { ZOOM_CLIENT_ID: 'colloquy' }],
    ['ZOOM_CLIENT_ID', { ZOOM_CLIENT_SECRET: canary }],
    ['ZOOM_CLIENT_ID', { ZOOM_URL: 'https://zoom.example' }],
    ['WEBEX_CLIENT_SECRET', { WEBEX_CLIENT_ID: 'colloquy' }],
    ['WEBEX_CLIENT_ID', { WEBEX_API_URL: 'https://webex.example/v1', WEBEX_CLIENT_SECRET: canary }],
    ['STRIPE_PUBLISHABLE_KEY', { STRIPE_SECRET_KEY: 'sk_test_12345678' }],
    ['STRIPE_SECRET_KEY', { STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }],
    ['STRIPE_SECRET_KEY', { STRIPE_API_URL: 'http://127.0.0.1:4000' }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_PUBLISHABLE_KEY: 'pk_test_12345678' }],
    ['DATABASE_URL', { ROLE: 'jobs' }],
  ])('requires keys that belong together: %s', (key, env) => {
    const message = complaint(env);
    expect(message).toContain(`${key} is missing`);
    expect(message).not.toContain(canary);
  });

  const stripe = (mode: 'test' | 'live') => ({
    STRIPE_SECRET_KEY: `sk_${mode}_12345678`,
    STRIPE_PUBLISHABLE_KEY: `pk_${mode}_12345678`,
    STRIPE_WEBHOOK_SECRET: 'whsec_12345678,whsec_87654321',
  });

  test('takes practice payments on this machine alone, and never with a key', () => {
    expect(read().payments).toEqual({ mode: 'practice', tax: false, testPurchase: false });
    expect(read({ HOST: '0.0.0.0', PUBLIC_URL: 'https://colloquy.example' }).payments.mode).toBe('off');
    expect(read({ PUBLIC_URL: 'https://colloquy.example' }).payments.mode).toBe('off');
    expect(read({ ROLE: 'api', DATABASE_URL: 'postgres://db/colloquy' }).payments.mode).toBe('off');
    expect(read(stripe('test')).payments).toMatchObject({
      mode: 'test',
      apiUrl: null,
      webhookSecrets: ['whsec_12345678', 'whsec_87654321'],
    });
    expect(read(stripe('live')).payments.mode).toBe('live');
  });

  test.each([
    ['STRIPE_PUBLISHABLE_KEY', { ...stripe('live'), STRIPE_PUBLISHABLE_KEY: 'pk_test_12345678' }],
    ['ALLOW_TEST_PURCHASE', { ...stripe('live'), ALLOW_TEST_PURCHASE: '1' }],
    ['STRIPE_API_URL', { ...stripe('live'), STRIPE_API_URL: 'http://127.0.0.1:4000' }],
    ['STRIPE_API_URL', { ...stripe('test'), STRIPE_API_URL: 'https://api.example' }],
  ])('refuses payment keys that do not belong together: %s', (key, env) => {
    expect(complaint(env).startsWith(`${key} `)).toBe(true);
  });

  test('requires TLS for an identity provider, except on this machine', () => {
    const issuer = (OIDC_ISSUER: string) => ({ OIDC_ISSUER, OIDC_CLIENT_ID: 'colloquy' });
    expect(complaint(issuer('http://id.example'))).toContain('OIDC_ISSUER');
    expect(read(issuer('http://127.0.0.1:4000')).identity?.issuer).toBe('http://127.0.0.1:4000');
    expect(read(issuer('https://id.example')).identity).toEqual({
      issuer: 'https://id.example',
      clientId: 'colloquy',
      clientSecret: null,
      id: 'oidc',
      name: 'single sign-on',
    });
  });

  test('stores recordings in a configured bucket, over TLS except on this machine', () => {
    const keys = { S3_BUCKET: 'recordings', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    expect(read().s3).toBeNull();
    expect(read(keys).s3).toMatchObject({
      bucket: 'recordings',
      endpoint: null,
      region: 'us-east-1',
      pathStyle: false,
    });
    expect(read({ ...keys, S3_ENDPOINT: 'https://s3.example' }).s3).toMatchObject({ pathStyle: true });
    expect(complaint({ ...keys, S3_ENDPOINT: 'http://s3.example' })).toContain('S3_ENDPOINT');
    expect(read({ ...keys, S3_ENDPOINT: 'http://127.0.0.1:9000' }).s3?.endpoint).toBe('http://127.0.0.1:9000');
  });

  test('imports from Zoom and Webex where configured, over TLS except on this machine', () => {
    expect(read()).toMatchObject({ zoom: null, webex: null });
    const zoom = { ZOOM_CLIENT_ID: 'id', ZOOM_CLIENT_SECRET: 'secret' };
    const client = { clientId: 'id', clientSecret: 'secret' };
    expect(read(zoom)).toMatchObject({
      zoom: { ...client, url: 'https://zoom.us', apiUrl: 'https://api.zoom.us/v2' },
      webex: null,
    });
    expect(read({ WEBEX_CLIENT_ID: 'id', WEBEX_CLIENT_SECRET: 'secret' }).webex).toEqual({
      ...client,
      url: 'https://webex.com',
      apiUrl: 'https://webexapis.com/v1',
    });
    expect(read({ ...zoom, ZOOM_URL: 'http://127.0.0.1:4000/' }).zoom?.url).toBe('http://127.0.0.1:4000');
    expect(complaint({ ...zoom, ZOOM_API_URL: 'http://api.zoom.example' })).toContain('ZOOM_API_URL must be an https:');
  });

  test('offers human transcripts where transcribers are named', () => {
    expect(read().human).toBeNull();
    expect(read({ TRANSCRIBE_HUMAN: 'Ann@Example.test, ben@example.test' }).human).toEqual({
      operators: [
        { email: 'Ann@Example.test', key: 'ann@example.test' },
        { email: 'ben@example.test', key: 'ben@example.test' },
      ],
      price: 1.5,
    });
    expect(read({ TRANSCRIBE_HUMAN: 'a@b.test', TRANSCRIBE_HUMAN_PRICE: '0.9' }).human?.price).toBe(0.9);
  });

  test('transcribes recordings where a server is configured, over TLS except in the private network', () => {
    expect(read().transcribe).toBeNull();
    expect(read({})).toMatchObject({ localModels: { price: 0 }, modelsDir: '/srv/colloquy/.data/models' });
    expect(read({ TRANSCRIBE_LOCAL: 'off', MODELS_DIR: '/srv/models' })).toMatchObject({
      localModels: null,
      modelsDir: '/srv/models',
    });
    expect(read({ TRANSCRIBE_URL: 'https://api.openai.com/v1/', TRANSCRIBE_KEY: 'sk-1' }).transcribe).toEqual({
      url: 'https://api.openai.com/v1',
      key: 'sk-1',
      model: 'whisper-1',
      name: null,
      price: 0.15,
    });
    const near = ['127.0.0.1:8000', 'whisper:8000', '10.0.0.7', '192.168.1.2:9000', '172.20.0.3'];
    for (const host of near) expect(read({ TRANSCRIBE_URL: `http://${host}/v1` }).transcribe?.key).toBeNull();
    for (const host of ['speech.example', '8.8.8.8', '172.32.0.1', '10.evil.example', '[2001:db8::1]'])
      expect(complaint({ TRANSCRIBE_URL: `http://${host}/v1` })).toContain('TRANSCRIBE_URL must be an https: address');
  });

  test('asks the assistant that is configured, over TLS except in the private network', () => {
    expect(read().assistant).toEqual({
      ...{ url: null, key: null, models: [], name: null, context: null, local: true },
      ...{ parallel: 2, questionPrice: 0, detectPrice: 0, support: false, supportAnswers: 500 },
    });
    const keys = { AI_URL: 'https://api.openai.com/v1/', AI_KEY: 'sk-1', AI_MODEL: 'one, two', AI_CONTEXT: '16000' };
    expect(read(keys).assistant).toMatchObject({
      url: 'https://api.openai.com/v1',
      key: 'sk-1',
      models: ['one', 'two'],
      context: 16_000,
    });
    expect(read({ AI_URL: 'http://ollama:11434' }).assistant.url).toBe('http://ollama:11434');
    for (const host of ['ai.example', '8.8.8.8', '10.evil.example'])
      expect(complaint({ AI_URL: `http://${host}/v1` })).toContain('AI_URL must be an https: address');
  });

  test('a server that others can reach has secure cookies, a bot check and no demo people', () => {
    const open = { HOST: '0.0.0.0', PUBLIC_URL: 'https://colloquy.example' };
    expect(read(open)).toMatchObject({
      publicOrigin: 'https://colloquy.example',
      atHome: false,
      secureCookies: true,
      botCheck: true,
      demo: false,
    });
    expect(read({ ...open, DEMO: 'on', BOT_CHECK: 'off' })).toMatchObject({ demo: false, botCheck: false });
    expect(read({ PUBLIC_URL: 'http://colloquy.example' })).toMatchObject({ atHome: false, secureCookies: true });
    expect(read({ PUBLIC_URL: 'http://localhost:3000' })).toMatchObject({ atHome: true, secureCookies: false });
    expect(read({ PUBLIC_URL: 'https://localhost' })).toMatchObject({ atHome: true, secureCookies: true });
  });

  test('demo people are created by default only in the embedded database', () => {
    const DATABASE_URL = 'postgres://db/colloquy';
    expect(read({ DATABASE_URL }).demo).toBe(false);
    expect(read({ DATABASE_URL, DEMO: 'on' }).demo).toBe(true);
    expect(read({ DEMO: 'off' }).demo).toBe(false);
  });

  test.each(['api', 'sync', 'jobs'])('ROLE=%s serves that and nothing else', (role) => {
    const { serves } = read({ ROLE: role, DATABASE_URL: 'postgres://db/colloquy' });
    expect(Object.entries(serves).filter(([, served]) => served)).toEqual([[role, true]]);
  });

  test('reads trusted proxies as a list', () => {
    expect(read({ TRUSTED_PROXIES: '10.0.0.1, ::1,' }).trustedProxies).toEqual(['10.0.0.1', '::1']);
  });
});
