import { colorsTuple, createTheme, virtualColor, type CSSVariablesResolver } from '@mantine/core';

import kit from './kit.module.css';

// The kit derives contrasts from plain values; the visible colours come from tokens.css by the variables below.
export const schemes = {
  light: { accent: '#0b6b63', danger: '#b3261e' },
  dark: { accent: '#4fc3b5', danger: '#ff8a80' },
};

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  luminanceThreshold: 0.179,
  colors: {
    accentLight: colorsTuple(schemes.light.accent),
    accentDark: colorsTuple(schemes.dark.accent),
    dangerLight: colorsTuple(schemes.light.danger),
    dangerDark: colorsTuple(schemes.dark.danger),
    accent: virtualColor({ name: 'accent', light: 'accentLight', dark: 'accentDark' }),
    danger: virtualColor({ name: 'danger', light: 'dangerLight', dark: 'dangerDark' }),
  },
  fontFamily: 'var(--font-ui)',
  fontFamilyMonospace: 'var(--font-code)',
  headings: { fontFamily: 'var(--font-ui)' },
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '8px', xl: '8px' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  lineHeights: { xs: '1.125', sm: '1.4286', md: '1.4286', lg: '1.5', xl: '1.5' },
  breakpoints: { xs: '24em', sm: '37.5em', md: '56.25em', lg: '68.75em', xl: '90em' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  focusRing: 'auto',
  // Looks of the kit's components; plain controls are our own (button, field). Plain objects instead of
  // `Modal.extend(…)`, because naming the components here would load all of them with the first page.
  components: {
    Modal: {
      classNames: {
        root: kit.dialogRoot,
        inner: kit.dialogInner,
        content: kit.dialog,
        title: kit.dialogTitle,
        body: kit.dialogBody,
      },
    },
    Tabs: { classNames: { tab: kit.tab, list: kit.tabList } },
  },
});

const both = {
  '--mantine-color-body': 'var(--ground)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-bright': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-muted)',
  '--mantine-color-placeholder': 'var(--ink-muted)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--danger)',
  '--mantine-color-success': 'var(--accent)',
  '--mantine-color-default': 'var(--raised)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-disabled': 'var(--sunken)',
  '--mantine-color-disabled-color': 'var(--ink-muted)',
  '--mantine-color-disabled-border': 'var(--line)',
};

function family(name: 'accent' | 'danger') {
  return {
    [`--mantine-color-${name}-text`]: `var(--${name})`,
    [`--mantine-color-${name}-filled`]: `var(--${name})`,
    [`--mantine-color-${name}-filled-hover`]: `var(--${name}-strong)`,
    [`--mantine-color-${name}-contrast`]: `var(--on-${name})`,
    [`--mantine-color-${name}-light`]: `var(--${name}-tint)`,
    [`--mantine-color-${name}-light-hover`]: `var(--${name}-tint)`,
    [`--mantine-color-${name}-light-color`]: `var(--${name})`,
    [`--mantine-color-${name}-outline`]: `var(--${name})`,
    [`--mantine-color-${name}-outline-hover`]: `var(--${name}-tint)`,
  };
}

// The kit's variables refer to our tokens, so colours are changed in tokens.css only.
export const cssVariables: CSSVariablesResolver = () => {
  const scheme = {
    ...both,
    ...family('accent'),
    ...family('danger'),
    '--mantine-primary-color-contrast': 'var(--on-accent)',
  };
  return {
    variables: { '--mantine-shadow-md': 'var(--float)', '--mantine-shadow-xl': 'var(--float)' },
    light: scheme,
    dark: scheme,
  };
};
