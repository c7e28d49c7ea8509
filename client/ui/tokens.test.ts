import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { schemes } from './theme.ts';

const client = fileURLToPath(new URL('..', import.meta.url));
const tokens = readFileSync(`${client}/ui/tokens.css`, 'utf8');

/** Plain colours of one scheme. */
function colours(scheme: 'light' | 'dark'): Map<string, string> {
  const block = new RegExp(`data-mantine-color-scheme='${scheme}'\\] \\{([^}]*)\\}`).exec(tokens)?.[1] ?? '';
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]));
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string | undefined, b: string | undefined): number {
  const [light = 0, dark = 0] = [luminance(a ?? ''), luminance(b ?? '')].toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
  const colour = colours(scheme);

  it.each(['ink', 'ink-muted', 'accent', 'danger', 'voice-1', 'voice-2', 'voice-3', 'voice-4', 'voice-5'])(
    '%s can be read on every ground',
    (name) => {
      for (const ground of ['ground', 'raised']) {
        expect(contrast(colour.get(name), colour.get(ground)), ground).toBeGreaterThanOrEqual(5);
      }
    },
  );

  it('text on a filled button is readable', () => {
    for (const fill of ['accent', 'danger']) {
      expect(contrast(colour.get(`on-${fill}`), colour.get(fill))).toBeGreaterThanOrEqual(5);
      expect(contrast(colour.get(`on-${fill}`), colour.get(`${fill}-strong`))).toBeGreaterThanOrEqual(5);
    }
  });

  it('the kit derives its contrasts from the same colours', () => {
    expect(schemes[scheme]).toEqual({ accent: colour.get('accent'), danger: colour.get('danger') });
  });

  it('the outline of a field is visible', () => {
    for (const ground of ['ground', 'raised']) {
      expect(contrast(colour.get('line-strong'), colour.get(ground))).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('the style sheets', () => {
  const sheets = readdirSync(client, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.css'))
    .map((entry) => ({ name: entry.name, text: readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8') }));

  const components = readdirSync(client, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'));

  it('use no token that does not exist', () => {
    const kits = /^mantine-/;
    const known = new Set([...tokens.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
    // Variables that style sheets and components set for themselves.
    for (const { text } of sheets) for (const [, set] of text.matchAll(/--([\w-]+):/g)) known.add(set);
    for (const text of components) for (const [, set] of text.matchAll(/'--([\w-]+)'/g)) known.add(set);
    for (const { name, text } of sheets) {
      for (const [, used = ''] of text.matchAll(/var\(--([\w-]+)/g)) {
        if (!kits.test(used)) expect(known, `${name}: --${used}`).toContain(used);
      }
    }
  });
});
