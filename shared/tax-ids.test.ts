// Types of tax ids that an invoice can show (shared/tax-ids.ts).
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isTaxIdType, looksLikeTaxId, taxIdTypes } from './tax-ids.ts';

const types = taxIdTypes('en');

test('are those of the package of the payment service', () => {
  const declared = readFileSync('node_modules/stripe/esm/resources/Customers.d.ts', 'utf8');
  const [, list = ''] = /namespace TaxIdDatum \{\s*type Type = ([^;]+);/.exec(declared) ?? [];
  const known = [...list.matchAll(/'(\w+)'/g)].map(([, type]) => type);
  expect(known.length).toBeGreaterThan(100);
  expect([...new Set(types.map(({ type }) => type))].toSorted()).toEqual(known.toSorted());
});

describe('Each type', () => {
  test('has a country, a description and an example that fits', () => {
    for (const { type, country, countryCode, description, example } of types) {
      expect(country).not.toBe(countryCode);
      expect(description).not.toBe('');
      expect({ example, fits: looksLikeTaxId(type, example) }).toEqual({ example, fits: true });
      expect(looksLikeTaxId(type, example.replaceAll(/[ .-]/g, ' ').toLowerCase())).toBe(true);
    }
  });

  test('refuses what is no such value', () => {
    for (const { type, example } of types) {
      for (const wrong of ['', `${example}\u0660`, `${example}<b>`, example.slice(0, 1)])
        expect({ type, wrong, fits: looksLikeTaxId(type, wrong) }).toEqual({ type, wrong, fits: false });
    }
    expect(looksLikeTaxId('eu_vat', 'DE12345678')).toBe(false);
    expect(looksLikeTaxId('nothing', '123456789')).toBe(false);
    expect(isTaxIdType('eu_vat')).toBe(true);
    expect(isTaxIdType('toString')).toBe(false);
  });

  test('names its country in the language of the reader', () => {
    const german = taxIdTypes('es').find(({ type }) => type === 'de_stn');
    expect(german?.country).toBe('Alemania');
  });
});
