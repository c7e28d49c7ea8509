import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '#server/outside/s3-store.ts';
import { freePort } from './ports.ts';

// A real S3 server that checks every signature: OpenStack Swift, from the Debian packages python3-swift and memcached.
// Its four parts run from a folder of the test, without settings of the system.

const python = '/usr/bin/python3';

const memcached = (): string | null =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'memcached'))
    .find((path) => existsSync(path)) ?? null;

/** Reason why tests that need S3 are skipped; null where it can be started. */
export function noS3(): string | null {
  if (!memcached()) return 'no memcached on this machine (Debian: python3-swift and memcached)';
  const swift = spawnSync(python, ['-c', 'import swift.proxy.server']);
  return swift.status === 0 ? null : 'no Swift on this machine (Debian: python3-swift and memcached)';
}

/** Swift's settings cannot say where they are themselves, so this program sets the path. */
const program = `
import os, sys
import swift.common.utils as utils
utils.SWIFT_CONF_FILE = sys.argv[1] + '/swift.conf'
if sys.argv[2] == 'rings':
    from swift.common.ring.builder import RingBuilder
    for name, port in (p.split('=') for p in sys.argv[3:]):
        ring = RingBuilder(4, 1, 0)
        ring.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'disk', 'weight': 1})
        ring.rebalance()
        ring.get_ring().save(sys.argv[1] + '/' + name + '.ring.gz')
else:
    from swift.common.wsgi import run_wsgi
    sys.exit(run_wsgi(sys.argv[1] + '/' + sys.argv[2] + '.conf', sys.argv[2] + '-server'))
`;

const keys = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };

export interface TestS3 {
  config: S3Config;
  close(): Promise<void>;
}

interface S3Options {
  /** Origin of pages that may send to the bucket and read its answers; without it none may. */
  origin?: string;
  /** Minimum size in bytes of every part but the last; 5 MB on Amazon's servers. */
  leastPart?: number;
}

export async function openS3({ origin, leastPart = 1 }: S3Options = {}): Promise<TestS3> {
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-s3-'));
  await mkdir(join(folder, 'devices/disk'), { recursive: true });
  const [proxy, account, container, object, cache] = await Promise.all([0, 1, 2, 3, 4].map(() => freePort()));
  const common = (port: number | undefined, more = '') => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
disable_fallocate = true
log_level = ERROR
${more}`;
  const backend = (name: string, port: number | undefined) => `${common(port)}
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;
  // Without `error_suppression_interval`, the proxy asks a backend nothing for a minute after ten refused connections,
  // which happen where the backend starts much later than the proxy.
  await Promise.all([
    writeFile(join(folder, 'program.py'), program),
    writeFile(join(folder, 'swift.conf'), '[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n'),
    writeFile(join(folder, 'account.conf'), backend('account', account)),
    writeFile(join(folder, 'container.conf'), backend('container', container)),
    writeFile(join(folder, 'object.conf'), backend('object', object)),
    writeFile(
      join(folder, 'proxy.conf'),
      `${common(proxy)}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cache}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
min_segment_size = ${leastPart}
cors_preflight_allow_origin = ${origin ?? ''}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${keys.secretAccessKey} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
rate_limit_after_segment = 100000
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
error_suppression_interval = 0
`,
    ),
  ]);
  const run = (...args: string[]) => [join(folder, 'program.py'), folder, ...args];
  const rings = [`account=${account}`, `container=${container}`, `object=${object}`];
  const made = spawnSync(python, run('rings', ...rings), { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`no rings: ${made.stderr}`);

  const children: ChildProcess[] = [];
  const said: string[] = [];
  const start = (line: string, args: string[]) => {
    const child = spawn(line, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => said.push(text.toString()));
    children.push(child);
  };
  const kill = () => children.forEach((child) => child.kill('SIGKILL'));
  process.once('exit', kill);
  const user = userInfo().uid === 0 ? ['-u', 'root'] : [];
  start(memcached() ?? '', ['-l', '127.0.0.1', '-p', String(cache), '-U', '0', '-m', '16', ...user]);
  for (const name of ['account', 'container', 'object', 'proxy']) start(python, run(name));

  const endpoint = `http://127.0.0.1:${proxy}`;
  const config: S3Config = { bucket: 'recordings', endpoint, region: 'us-east-1', pathStyle: true, ...keys };
  const client = new S3Client({
    region: config.region,
    endpoint,
    forcePathStyle: true,
    credentials: keys,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    maxAttempts: 1,
  });
  const close = async () => {
    client.destroy();
    process.off('exit', kill);
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }),
    );
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (let tries = 0; ; tries += 1) {
      try {
        await client.send(new CreateBucketCommand({ Bucket: config.bucket }));
        if (origin) await letIn(endpoint, origin, [config.bucket, `${config.bucket}+segments`]);
        return { config, close };
      } catch (error) {
        if (tries === 120 || children.some(({ exitCode }) => exitCode !== null))
          throw new Error(`Swift does not answer: ${said.join('').slice(-4000)}`, { cause: error });
        await sleep(500);
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
}

/** Allows an origin; Swift takes this in its own headers, other servers in the CORS rules of a bucket. */
async function letIn(endpoint: string, origin: string, containers: readonly string[]): Promise<void> {
  const headers = { 'X-Auth-User': keys.accessKeyId, 'X-Auth-Key': keys.secretAccessKey };
  const signedIn = await fetch(`${endpoint}/auth/v1.0`, { headers });
  const [at, token] = [signedIn.headers.get('x-storage-url'), signedIn.headers.get('x-auth-token')];
  for (const container of containers) {
    const rules = {
      'X-Auth-Token': token ?? '',
      'X-Container-Meta-Access-Control-Allow-Origin': origin,
      'X-Container-Meta-Access-Control-Expose-Headers': 'etag',
    };
    const { status } = await fetch(`${at}/${container}`, { method: 'PUT', headers: rules });
    if (status >= 300) throw new Error(`${container} was not opened to ${origin}: ${status}`);
  }
}
