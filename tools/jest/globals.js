/** Exports of `@jest/globals` for test files: the functions of the file that runs, also for modules that were loaded for an earlier one. */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test;

export const setGlobals = (globals) => {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globals);
};
