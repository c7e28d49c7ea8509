// `npm run bench -- ai`: without a model it is skipped and says why; with one it asks everything and prints its table.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openAssistant } from '#tests/support/assistant.ts';
import { root } from '../house/files.ts';
import { runWith } from './run-command.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'colloquy-bench-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('without a model it says that it is skipped, and how to have one', async () => {
  // The machine may have one.
  const [code, said] = await runWith({ DATA_DIR: dataDir, AI_LOCAL: 'off' }, 'bench', 'ai');
  expect([code, said]).toEqual([
    0,
    expect.stringMatching(/^Skipped: no model is configured\. Set AI_URL and AI_MODEL/m),
  ]);
});

test('with a model it asks all questions, and prints a table with a column for each language', async () => {
  const there = await openAssistant('openai', { context: 16_000 });
  // A model that always quotes the first line.
  there.mood.answer = ({ said }) => {
    const quote = /#1 [\d:]+ [^:]+: (.+)/.exec(said)?.[1] ?? '';
    const cite = { line: 1, quote };
    return said.includes('Find the outcomes')
      ? JSON.stringify({ outcomes: [{ type: 'decisions', others: [], text: 'So it is.', reason: 'Said.', ...cite }] })
      : JSON.stringify({ parts: [{ text: 'So it is.', cites: [cite] }], enough: true });
  };
  const measured = () => readFileSync(join(root, 'docs/measured.md'), 'utf8');
  const before = measured();
  try {
    const keys = { DATA_DIR: dataDir, AI_URL: there.url, AI_MODEL: 'stand-in', AI_CONTEXT: '16000' };
    const [code, said] = await runWith(keys, 'bench', 'ai', '--print');
    expect(code, said).toBe(0);
    expect(said).toContain('| what | all | English | Chinese | Russian | Spanish | aim |');
    const row = (what: string) => said.split('\n').find((line) => line.startsWith(`| ${what}`));
    expect(row('quotes that stand')).toContain('| 100 % (150 of 150) | 100 % (38 of 38) | 100 % (37 of 37) |');
    expect(row('questions answered')).toContain('| 10 % (12 of 120) |' + ' 10 % (3 of 30) |'.repeat(4));
    expect(row('questions without an answer')).toContain('| 0 % (0 of 30) |');
    expect(row('suggested outcomes')).toContain('| 67 % (8 of 12) |' + ' 67 % (2 of 3) |'.repeat(4));
    expect(row('answers that obeyed')).toContain('| 0 % (0 of 150); 20 | 0 % (0 of 38); 5 |');
    expect(row('repairs')).toContain('| 0; 0 of 162 |');
    expect(there.received).toHaveLength(162);
    expect(measured()).toBe(before);
  } finally {
    await there.close();
  }
});
