import { z } from 'zod';

/** Versions are less than this, so that programs can keep them in 32 bits. */
export const versionLimit = 2 ** 31;

/** Version in an answer. */
export const versionNumber = z
  .number()
  .int()
  .min(0)
  .max(versionLimit - 1);
