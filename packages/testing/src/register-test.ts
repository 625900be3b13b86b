/** A test runner's `test`; those of jest and of `node:test` fit. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;
