import { expect, test } from 'vitest';
import { run } from './run.mjs';

const check = new URL('./node-version.mjs', import.meta.url).href;

test.each([
  ['18.20.8', 1],
  ['20.18.3', 1],
  ['20.19.0', 0],
  ['21.7.3', 1],
  ['22.11.0', 1],
  ['22.12.0', 0],
  ['24.1.0', 0],
])('Node %s ends with code %i', async (version, expected) => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); await import('${check}');`;
  const { code, output } = await run(process.execPath, ['--input-type=module', '-e', pretend], { anyCode: true });
  expect(code).toBe(expected);
  const line = `Colloquy needs Node 20.19 or newer (of 22: 22.12 or newer); this is Node ${version}.\n`;
  expect(output).toBe(expected === 0 ? '' : line);
});
