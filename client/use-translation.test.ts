// Every component has the words of the page's language, and another language alone draws it again.
import { createInstance, type i18n } from 'i18next';
import { act, createElement, Fragment, memo, type FunctionComponent, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { I18nContext, useTranslation } from './use-translation.ts';

const texts = {
  en: { common: { close: 'Close', cancel: 'Cancel' }, library: { add: 'Add' } },
  es: { common: { close: 'Cerrar', cancel: 'Cancelar' }, library: { add: 'Añadir' } },
};

async function textsIn(language: string): Promise<i18n> {
  const made = createInstance();
  await made.init({ lng: language, fallbackLng: false, defaultNS: 'common', resources: texts });
  return made;
}

const under = (all: i18n, ...children: ReactNode[]) => createElement(I18nContext, { value: all }, ...children);

/** The least of a document that React draws nothing into. */
function emptyPage(): Element {
  const listening = { addEventListener: () => undefined };
  const ownerDocument = { nodeType: 9, ...listening };
  const element = { nodeType: 1, tagName: 'DIV', ownerDocument, textContent: '', ...listening };
  return element as unknown as Element;
}

let root: ReturnType<typeof createRoot>;
const draw = (page: ReactNode) => act(async () => root.render(page));

/** Words of components, each time they are drawn. */
let said: string[];

const Close = () => {
  const { t, i18n } = useTranslation();
  said.push(`${t('close')} (${i18n.language})`);
  return null;
};
const Add = () => {
  const { t } = useTranslation('library');
  said.push(t('add'));
  return null;
};

beforeEach(() => {
  vi.stubGlobal('window', { HTMLIFrameElement: class {} });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  root = createRoot(emptyPage());
  said = [];
});
afterEach(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});

it('all components say the words of another language once the page changes to it', async () => {
  const all = await textsIn('en');
  await draw(under(all, createElement(memo(Close)), createElement(memo(Add))));
  expect(said).toEqual(['Close (en)', 'Add']);
  await act(() => all.changeLanguage('es'));
  expect(said.splice(0)).toEqual(['Close (en)', 'Add', 'Cerrar (es)', 'Añadir']);
  await act(() => all.changeLanguage('en'));
  expect(said.splice(0)).toEqual(['Close (en)', 'Add']);
  await act(() => all.changeLanguage('en'));
  expect(said).toEqual([]);
});

it('a component that is gone no longer listens', async () => {
  const all = await textsIn('en');
  const on = vi.spyOn(all, 'on');
  const off = vi.spyOn(all, 'off');
  await draw(under(all, createElement(Close)));
  expect(on).toHaveBeenCalledTimes(1);
  expect(off).not.toHaveBeenCalled();
  await draw(null);
  expect(off.mock.calls).toEqual(on.mock.calls);
});

it('a child that is given t is not drawn again with its parent', async () => {
  const all = await textsIn('en');
  const Child = memo(({ t, i18n }: ReturnType<typeof useTranslation<'common'>>) => {
    said.push(`${t('cancel')} (${i18n.language})`);
    return null;
  });
  const parent = vi.fn<() => void>();
  const Parent: FunctionComponent = () => {
    parent();
    return createElement(Child, useTranslation('common'));
  };
  await draw(under(all, createElement(Parent)));
  await draw(under(all, createElement(Parent)));
  expect(parent).toHaveBeenCalledTimes(2);
  expect(said).toEqual(['Cancel (en)']);
  await act(() => all.changeLanguage('es'));
  expect(said).toEqual(['Cancel (en)', 'Cancelar (es)']);
});

it('components get the same t and i18n, in each language its own', async () => {
  const all = await textsIn('en');
  const got: unknown[] = [];
  const One = () => {
    const { t, i18n } = useTranslation('common');
    got.push(t, i18n);
    return null;
  };
  await draw(under(all, createElement(One), createElement(One)));
  expect(got[2]).toBe(got[0]);
  expect(got[3]).toBe(got[1]);
  await act(() => all.changeLanguage('es'));
  expect(got[4]).not.toBe(got[0]);
  expect(got[5]).not.toBe(got[1]);
  expect(got[6]).toBe(got[4]);
});

it('an i18n has no part in another one', async () => {
  const [en, es] = await Promise.all([textsIn('en'), textsIn('es')]);
  await draw(createElement(Fragment, null, under(en, createElement(Close)), under(es, createElement(Close))));
  expect(said.splice(0)).toEqual(['Close (en)', 'Cerrar (es)']);
  await act(() => en.changeLanguage('es'));
  expect(said.splice(0)).toEqual(['Cerrar (es)']);
  await act(() => es.changeLanguage('en'));
  expect(said).toEqual(['Close (en)']);
});

it('the first of several namespaces needs no prefix', async () => {
  const all = await textsIn('es');
  const Both = () => {
    const { t } = useTranslation(['library', 'common']);
    return `${t('add')}, ${t('common:close')}`;
  };
  expect(renderToString(under(all, createElement(Both)))).toBe('Añadir, Cerrar');
});

it('a component without texts above it says so', () => {
  expect(() => renderToString(createElement(Close))).toThrow('useTranslation needs I18nContext above it');
});
