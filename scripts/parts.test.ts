import { expect, test } from 'vitest';
import config from '../vitest.config.ts';
import { parts } from './parts.mjs';

test('npm test knows every project of tests, and no other', () => {
  const projects = config.test?.projects ?? [];
  const names = projects.map((project) =>
    typeof project === 'object' && 'test' in project ? project.test?.name : project,
  );
  expect(Object.keys(parts).toSorted()).toEqual(names.toSorted());
});
