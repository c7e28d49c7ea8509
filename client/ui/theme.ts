import { createTheme, virtualColor, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

import controls from './controls.module.css';

// Shade 7 of each tuple is the token of tokens.css; the kit derives contrast from it and needs the plain value.
const pine: MantineColorsTuple = [
  '#eef6f5',
  '#d9ecea',
  '#b3d9d5',
  '#86c0ba',
  '#559f98',
  '#2f8880',
  '#17776f',
  '#0b6b63',
  '#09574f',
  '#07443e',
];
const mint: MantineColorsTuple = [
  '#e6f8f5',
  '#cdf1ec',
  '#b3e9e2',
  '#9de2d9',
  '#87dbd0',
  '#74d3c7',
  '#60cbbe',
  '#4fc3b5',
  '#74d3c7',
  '#9de2d9',
];
const brick: MantineColorsTuple = [
  '#fcefee',
  '#f8dcda',
  '#efb4b0',
  '#e38a84',
  '#d5615a',
  '#c84239',
  '#bd3229',
  '#b3261e',
  '#94201a',
  '#751a15',
];
const coral: MantineColorsTuple = [
  '#fff1f0',
  '#ffe3e1',
  '#ffd5d2',
  '#ffc7c2',
  '#ffb9b3',
  '#ffaba4',
  '#ff9d94',
  '#ff8a80',
  '#ffa59d',
  '#ffc0ba',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  luminanceThreshold: 0.179,
  colors: {
    pine,
    mint,
    brick,
    coral,
    accent: virtualColor({ name: 'accent', light: 'pine', dark: 'mint' }),
    danger: virtualColor({ name: 'danger', light: 'brick', dark: 'coral' }),
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
  // Plain objects, not `Button.extend(…)`: naming the components here would load every one of them with the first page.
  components: {
    Button: { classNames: { root: controls.button, label: controls.buttonLabel } },
    ActionIcon: {
      defaultProps: { variant: 'subtle' },
      classNames: { root: controls.iconButton },
    },
    Input: { classNames: { input: controls.input } },
    InputWrapper: {
      classNames: {
        label: controls.label,
        description: controls.hint,
        error: controls.fieldError,
        required: controls.required,
      },
      defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
    },
    Checkbox: {
      classNames: {
        input: controls.tick,
        label: controls.choiceLabel,
        description: controls.choiceHint,
        body: controls.choiceBody,
      },
    },
    Switch: {
      classNames: {
        track: controls.track,
        thumb: controls.thumb,
        label: controls.choiceLabel,
        description: controls.choiceHint,
      },
    },
    Modal: {
      classNames: { content: controls.dialog, title: controls.dialogTitle, body: controls.dialogBody },
    },
    Tabs: { classNames: { tab: controls.tab, list: controls.tabList } },
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

// The kit's variables point at our tokens, so a colour is changed in tokens.css and nowhere else.
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
