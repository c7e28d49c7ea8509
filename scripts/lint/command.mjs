// @ts-check

/** Path of the linter, from the root. */
export const linter = 'node_modules/oxlint/bin/oxlint';

/** Adds the rules that need types. They take eight times what all others take. */
export const withTypes = '--type-aware';

/** Lint and types are Go programs: garbage collected less often than by default takes a sixth off, in a bounded memory. */
export const goEnv = { GOGC: '400', GOMEMLIMIT: '3GiB' };
