import { describe, expect, it } from 'vitest';

import { initialsOf } from '#shared/initials.ts';
import { ringOf, colorOf } from '../ui/avatar.tsx';
import { relativeDate } from '../ui/dates.tsx';
import { pagesAround } from '../ui/pagination.tsx';
import { safeHref } from '../ui/safe-link.tsx';
import { sortedRows, type Column } from '../ui/table.tsx';

describe('pages', () => {
  const shown = (current: number, total: number) =>
    pagesAround(current, total)
      .map((page) => page ?? '…')
      .join(' ');

  it('shows two at either end and five around', () => {
    expect(shown(9, 24)).toBe('1 2 … 7 8 9 10 11 … 23 24');
  });

  it('keeps five at the ends too', () => {
    expect(shown(1, 24)).toBe('1 2 3 4 5 … 23 24');
    expect(shown(24, 24)).toBe('1 2 … 20 21 22 23 24');
  });

  it('shows fewer where there is little room', () => {
    const pages = pagesAround(50, 100, { margin: 1, range: 3 });
    expect(pages).toEqual([1, null, 49, 50, 51, null, 100]);
  });

  it('has no gap if all pages fit', () => {
    expect(shown(1, 2)).toBe('1 2');
    expect(shown(5, 9)).toBe('1 2 3 4 5 6 7 8 9');
  });
});

describe('dates', () => {
  const now = new Date(2026, 2, 10, 12);
  const before = (hours: number) => new Date(now.getTime() - hours * 3_600_000);

  it.each([
    [0.005, 'now'],
    [0.5, '30 min ago'],
    [3, '3 hr ago'],
    [30, 'yesterday'],
    [6 * 24, '6 days ago'],
    [8 * 24, 'Mar 2'],
    [365 * 24, 'Mar 10, 2025'],
    [-2, 'in 2 hr'],
  ])('%s hours back is %s', (hours, words) => {
    expect(relativeDate(before(hours), now, 'en')).toBe(words);
  });

  it('uses the language of the page', () => {
    expect(relativeDate(before(3), now, 'ru')).toBe('3 ч назад');
  });
});

describe('links', () => {
  it.each([
    ['/profile?tab=1#x', '/profile?tab=1#x'],
    ['https://example.org/a', 'https://example.org/a'],
    ['mailto:help@example.org', 'mailto:help@example.org'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['http://example.org', null],
    [['javascript', 'alert(1)'].join(':'), null],
    [[' javascript', 'alert(1)'].join(':'), null],
    ['java\nscript:alert(1)', null],
    ['data:text/html,x', null],
    ['profile', null],
    ['', null],
  ])('%j becomes %j', (href, safe) => {
    expect(safeHref(href)).toBe(safe);
  });
});

describe('people', () => {
  it('have up to two letters in any script', () => {
    expect(['Ann Demo', ' chen ', 'Ann van der Demo', '陈 测试', '😀 Test', ''].map(initialsOf)).toEqual([
      'AD',
      'C',
      'AV',
      '陈测',
      '😀T',
      '',
    ]);
  });

  it('always have the same colour, and all colours are used', () => {
    expect(colorOf('person-1')).toBe(colorOf('person-1'));
    expect(new Set(Array.from({ length: 50 }, (_, number) => colorOf(`person-${number}`))).size).toBe(5);
    const looks = Array.from({ length: 500 }, (_, number) => `${colorOf(`p${number}`)} ${ringOf(`p${number}`)}`);
    expect(new Set(looks).size).toBe(25);
  });
});

describe('rows', () => {
  const columns: Column<{ name: string; count: number }>[] = [
    { id: 'name', header: 'Name', cell: (row) => row.name, sort: (row) => row.name },
    { id: 'count', header: 'Count', cell: (row) => row.count, sort: (row) => row.count },
    { id: 'note', header: 'Note', cell: () => '' },
  ];
  const rows = [
    { name: 'émile', count: 10 },
    { name: 'Zoe', count: 9 },
    { name: 'Team 10', count: 2 },
    { name: 'Team 9', count: 2 },
  ];
  const names = (column: string, descending: boolean) =>
    sortedRows(rows, columns, { column, descending }, 'en').map((row) => row.name);

  it('are sorted naturally, and numbers by value', () => {
    expect(names('name', false)).toEqual(['émile', 'Team 9', 'Team 10', 'Zoe']);
    expect(names('count', true)).toEqual(['émile', 'Zoe', 'Team 10', 'Team 9']);
  });

  it('keep their order without a sort or by an unsortable column', () => {
    expect(sortedRows(rows, columns, null, 'en')).toBe(rows);
    expect(sortedRows(rows, columns, { column: 'note', descending: false }, 'en')).toBe(rows);
  });
});
