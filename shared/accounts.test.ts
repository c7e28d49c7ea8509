import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  accountTypesFor,
  addressInput,
  changeEmailInput,
  deleteAccountInput,
  emailKey,
  isYes,
  limits,
  loginInput,
  maskEmail,
  meInput,
  nameInput,
  newPasswordInput,
  preferencesInput,
  registerInput,
  searchInput,
  tokenInput,
} from './accounts.ts';
import { accountTypeIds, accountTypes, deletionReasons } from './account-choices.ts';

/** Error codes by field. */
function wrong(schema: z.ZodType, value: unknown): Record<string, string> {
  const { error } = schema.safeParse(value);
  return Object.fromEntries((error?.issues ?? []).map((issue) => [issue.path.join('.'), issue.message]));
}

const password = 'correct horse battery';
const newcomer = {
  email: 'ann@example.test',
  password,
  passwordConfirm: password,
  firstName: 'Ann',
  lastName: 'Test',
  terms: true,
};

describe('addresses', () => {
  test.each([
    ['ann@example.test', 'ann@example.test'],
    ['  Ann@Example.TEST  ', 'ann@example.test'],
    ['ann@example.test.', 'ann@example.test'],
    ['Jürgen@EXAMPLE.test', 'jürgen@example.test'],
    ['Ju\u0308rgen@example.test', 'jürgen@example.test'],
  ])('%j is looked up as %j', (typed, key) => {
    expect(wrong(addressInput, { email: typed })).toEqual({});
    expect(emailKey(typed)).toBe(key);
  });

  test.each([
    'ann',
    '@example.test',
    'ann@',
    'ann@@example.test',
    'ann@.test',
    'ann@example..test',
    'ann lee@example.test',
    'Ann <ann@example.test>',
    'ann@example.test,ben@example.test',
    'ann@example.test\r\nBcc: ben@example.test',
    'ann\u0000@example.test',
    'ann\u202e@example.test',
    // Full-width or raised letter: `ann@example.test` for some programs, another mailbox for others.
    'ａnn@example.test',
    'ªnn@example.test',
    `${'a'.repeat(250)}@example.test`,
  ])('%j is none', (typed) => expect(wrong(addressInput, { email: typed })).toEqual({ email: 'email' }));

  test('the longest is accepted, one character more is not', () => {
    const longest = `${'a'.repeat(limits.emailLength - '@example.test'.length)}@example.test`;
    expect(wrong(addressInput, { email: longest })).toEqual({});
    expect(wrong(addressInput, { email: `a${longest}` })).toEqual({ email: 'email' });
  });

  test('the key of a key is itself', () => {
    fc.assert(
      fc.property(fc.string(), (typed) => emailKey(emailKey(typed)) === emailKey(typed)),
      { examples: [['! .'], ['¨a']] },
    );
  });

  test('a mask shows one letter on each side', () => {
    expect(maskEmail('ann@example.test')).toBe('a…@e…');
    expect(maskEmail('"a@b"@example.test')).toBe('"…@e…');
  });
});

describe('passwords', () => {
  const verdict = (given: string) => wrong(newPasswordInput, { password: given, passwordConfirm: given })['password'];

  test.each([
    ['', 'required'],
    ['1234567', 'password_short'],
    ['12345678', undefined],
    ['é'.repeat(8), undefined],
    // Seven characters in more code units.
    ['👩‍🚀'.slice(0, 2).repeat(7), 'password_short'],
    ['x'.repeat(limits.passwordMax), undefined],
    ['x'.repeat(limits.passwordMax + 1), 'password_long'],
    ['12345678\0', 'invalid'],
  ])('%j: %j', (given, code) => expect(verdict(given)).toBe(code));

  test('an existing password may be anything that can be hashed', () => {
    const login = (given: unknown) => wrong(loginInput, { email: 'ann@example.test', password: given });
    expect(login('x')).toEqual({});
    expect(login('x'.repeat(limits.passwordBytes))).toEqual({});
    expect(login('x'.repeat(limits.passwordBytes + 1))).toEqual({ password: 'too_long' });
    expect(login('é'.repeat(limits.passwordBytes / 2 + 1))).toEqual({ password: 'too_long' });
    for (const given of ['', null, 7, ['x'], { $ne: null }, undefined])
      expect(login(given)).toEqual({ password: 'required' });
  });

  test('both must be equal', () => {
    expect(wrong(newPasswordInput, { password, passwordConfirm: `${password} ` })).toEqual({
      passwordConfirm: 'password_mismatch',
    });
  });
});

describe('names', () => {
  test.each([
    [' Ann  Marie ', 'Ann Marie'],
    ['Jose\u0301', 'José'],
    ['李', '李'],
    ["O'Hara-Test", "O'Hara-Test"],
    ['<b>Ann</b>', '<b>Ann</b>'],
  ])('%j is %j', (typed, name) => expect(nameInput.parse(typed)).toBe(name));

  test.each([
    ['', 'required'],
    ['\u00a0 \t', 'required'],
    ['n'.repeat(limits.nameLength + 1), 'too_long'],
    ['Ann\u202e', 'name'],
    ['Ann\u2066', 'name'],
    ['Ann\u0007', 'name'],
  ])('%j: %s', (typed, code) => expect(wrong(nameInput, typed)).toEqual({ '': code }));
});

describe('registering', () => {
  test('accepts the field names of the page and of programs', () => {
    const page = {
      email: 'ann@example.test',
      password,
      password_confirm: password,
      first_name: 'Ann',
      last_name: 'Test',
      terms: 'y',
      'g-recaptcha-response': 'proof',
      csrf_token: 'token',
    };
    expect(registerInput.parse(page)).toEqual({ ...newcomer, terms: 'y', botToken: 'proof' });
    const { email: login, ...rest } = newcomer;
    expect(registerInput.parse({ ...rest, login })).toEqual(newcomer);
    expect(changeEmailInput.parse({ new_email: 'next@example.test' })).toEqual({ newEmail: 'next@example.test' });
  });

  test('drops fields that only the server sets', () => {
    const extras = {
      id: 'x',
      role: 'admin',
      is_admin: true,
      balance: '1000',
      email_verified: true,
      kind: 'user',
      scope: {},
    };
    expect(registerInput.parse({ ...newcomer, ...extras })).toEqual(newcomer);
  });

  test.each([[false], ['n'], ['Y'], ['1'], [undefined], [null], [1]])('terms %j are not agreed to', (terms) =>
    expect(wrong(registerInput, { ...newcomer, terms })).toEqual({ terms: 'terms' }),
  );

  test('missing terms are not agreed to', () => {
    const { terms: _, ...rest } = newcomer;
    expect(wrong(registerInput, rest)).toEqual({ terms: 'terms' });
  });

  test('an unknown language is ignored', () => {
    expect(registerInput.parse({ ...newcomer, language: 'tlh' }).language).toBeUndefined();
    expect(registerInput.parse({ ...newcomer, language: 'ru' }).language).toBe('ru');
  });

  test('yes is y or true', () => {
    expect([true, 'y', false, 'Y', 'yes', 'on', '1', 1, [], undefined].filter(isYes)).toEqual([true, 'y']);
  });
});

describe('deleting an account', () => {
  test('needs one of fifteen reasons, with those of the specification first and last', () => {
    expect(deletionReasons).toHaveLength(15);
    expect([deletionReasons[0], deletionReasons[14]]).toEqual(['taskCompleted', 'foundAlternative']);
    expect(wrong(deleteAccountInput, { reason: 'because' })).toEqual({ reason: 'required' });
    expect(wrong(deleteAccountInput, { reason: 'tooSlow', comment: 'c'.repeat(2001) })).toEqual({
      comment: 'too_long',
    });
    expect(wrong(deleteAccountInput, { reason: 'tooSlow', comment: 'c'.repeat(2000) })).toEqual({});
  });
});

describe('searching and naming', () => {
  test.each([
    ['', 'too_short'],
    [' an ', 'too_short'],
    ['a'.repeat(limits.emailLength + 1), 'too_long'],
  ])('%j is %s', (text, code) => expect(wrong(searchInput, { text })).toEqual({ text: code }));

  test('a token has a name', () => {
    expect(tokenInput.parse({ name: ' script ' })).toEqual({ name: 'script' });
    expect(wrong(tokenInput, { name: 'n'.repeat(limits.tokenNameLength + 1) })).toEqual({ name: 'too_long' });
  });
});

describe('account types', () => {
  test('none is active before a choice; in each type the first model is', () => {
    const types = accountTypesFor(null, {});
    expect(types.filter((type) => type.active)).toEqual([]);
    expect(types.map((type) => type.models.filter((model) => model.active).map((model) => model.id))).toEqual(
      accountTypeIds.map((id) => [accountTypes[id][0]]),
    );
  });

  test('any stored choice gives at most one active type, and exactly one active model in each', () => {
    const anything = fc.oneof(fc.constantFrom('coach', 'meeting', 'coaching', '__proto__', 'toString'), fc.string());
    fc.assert(
      fc.property(fc.option(anything), fc.dictionary(anything, anything), (chosen, models) => {
        const types = accountTypesFor(chosen, models);
        expect(types.filter((type) => type.active).length).toBeLessThanOrEqual(1);
        for (const type of types) expect(type.models.filter((model) => model.active)).toHaveLength(1);
      }),
    );
  });

  test('only known choices can be set', () => {
    expect(wrong(meInput, { accountType: 'admin' })).toHaveProperty('accountType');
    expect(wrong(meInput, { id: 'somebody' })).not.toEqual({});
    expect(wrong(meInput, {})).toEqual({});
  });
});

describe('preferences', () => {
  test.each([
    [{ isAdmin: true }],
    [{ upload: { isAdmin: true } }],
    [{ hardcorePrivacy: 'y' }],
    [{ transcriptHighlightingMode: 'line' }],
    [{ upload: { speakersNumber: 11 } }],
    [{ upload: { speakersNumber: 1.5 } }],
    [{ productTours: { completedToursIds: Array.from({ length: 101 }, () => 'a') } }],
  ])('%j is refused', (given) => expect(preferencesInput.safeParse(given).success).toBe(false));
});
