// @ts-check
/**
 * What `npm test` runs, the quick parts first; each is a project of vitest.config.ts. `product`: it runs what
 * `npm start` would; `browser`: it drives one; `external`: it runs again on the PostgreSQL of the system.
 * @type {Record<string, {product?: true, browser?: true, external?: true}>}
 */
export const parts = {
  unit: {},
  sim: {},
  house: {},
  db: {},
  api: { external: true },
  sync: { external: true },
  contracts: { external: true },
  attacks: { external: true },
  faults: { product: true, external: true },
  commands: { product: true },
  e2e: { product: true, browser: true },
};
