import { describe, expect, it } from 'vitest';
import { safeHref } from './safe-link.tsx';

// Attack H05: links in a notice may come from a server message.
describe('a link', () => {
  it.each([
    'javascript:hit()',
    'JavaScript:hit()',
    ' javascript:hit()',
    'java\nscript:hit()',
    'data:text/html,<script>hit()</script>',
    'vbscript:hit()',
    'blob:https://colloquy.example/1',
    'file:///etc/passwd',
    'http://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'evil.example',
    '',
    '#top',
  ])('%j leads to no other site', (href) => {
    const safe = safeHref(href);
    if (safe === null) return;
    const { origin, protocol } = new URL(safe, 'https://colloquy.example');
    expect([origin, protocol]).toEqual(['https://colloquy.example', 'https:']);
  });

  it.each(['/meeting/5?comment=1', 'https://help.example/a', 'mailto:support@colloquy.example'])(
    '%s is allowed',
    (href) => {
      expect(safeHref(href)).toBe(href);
    },
  );
});
