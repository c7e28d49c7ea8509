// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { parts } from './parts.mjs';
import { root } from './prepare.mjs';

/** Files that take longer than this begin before everything else. */
const long = 5;
/** Browser files that take longer than this begin before the other browser files. */
const longInBrowser = 50;

/**
 * The slowest files first, so that no worker is left alone with one at the end. Files that share a process stay beside
 * their own kind: vitest keeps a process for the next file only if that is of the same project. Those of browsers, half of
 * all work, come last: a late run leaves out some of them, and nothing else. Behind the longest of them they come in an
 * order of each commit, so that no file is left out again and again.
 */
export default class SlowestFirst extends BaseSequencer {
  /**
   * @type {BaseSequencer['sort']}
   * @override
   */
  async sort(specifications) {
    const seconds = expectedSeconds();
    const commit = headCommit();
    const keyed = specifications.map((specification) => {
      const { name, config } = specification.project;
      const file = relative(root, specification.moduleId).replaceAll('\\', '/');
      const expected = seconds[file] ?? 0;
      const isDrawn = parts[name]?.browser && expected < longInBrowser;
      const turn = parts[name]?.browser ? 3 : config.isolate ? (expected >= long ? 0 : 2) : 1;
      const drawn = isDrawn ? digest(`${commit} ${file}`) : '';
      return { specification, turn, kind: config.isolate ? '' : name, expected: isDrawn ? 0 : expected, drawn, file };
    });
    return keyed
      .toSorted(
        (one, other) =>
          one.turn - other.turn ||
          compare(one.kind, other.kind) ||
          other.expected - one.expected ||
          compare(one.drawn, other.drawn) ||
          compare(one.file, other.file),
      )
      .map(({ specification }) => specification);
  }
}

/** @returns {Record<string, number>} What slow files took on a quiet machine of two cores. */
const expectedSeconds = () => JSON.parse(readFileSync(new URL('./slow-files.json', import.meta.url), 'utf8'));

/** @returns {string} Empty where there is no git or no checkout. */
function headCommit() {
  const found = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : '';
}

/** @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest('hex');

/** @param {string} one @param {string} other */
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
