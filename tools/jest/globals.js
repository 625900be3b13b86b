/** Exports of `@jest/globals` for test files: the functions of the running file, also for modules that were loaded by an earlier file. */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test;

export const setGlobals = (globals) => {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globals);
};
