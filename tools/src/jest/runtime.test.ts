import { expect, test } from "@jest/globals";
import { runJest, runJestOver } from "./run-jest.test-kit.ts";

/** Two test files of the same body, beside a module and a kit that count their calls. */
const twice = (body: string): unknown => {
  const counter = "let count = 0;\nexport const next = () => ++count;\n";
  const imports =
    'import { next } from "./counter.ts";\nimport { next as nextOfKit } from "./counter.test-kit.ts";\n';
  const files = { "one.test.ts": imports + body, "two.test.ts": imports + body };
  return runJestOver({ ...files, "counter.ts": counter, "counter.test-kit.ts": counter }).results;
};

test("the modules of a package are shared by its test files", () => {
  const results = twice('test("is the first call", () => expect(next()).toBe(1));');
  expect(results).toMatchObject({ passed: 1, failed: 1 });
});

test("each test file has its own test kits", () => {
  const results = twice('test("is the first call", () => expect(nextOfKit()).toBe(1));');
  expect(results).toMatchObject({ passed: 2, failed: 0 });
});

test("hooks of a kit belong to the test file that imports it", () => {
  const kit = "export const calls: string[] = [];\nafterEach(() => void calls.push('called'));\n";
  const body = `import { calls } from "./hooks.test-kit.ts";
    test("first", () => expect(calls).toEqual([]));
    test("second", () => expect(calls).toEqual(["called"]));`;
  const { results } = runJestOver({ "one.test.ts": body, "two.test.ts": body, "hooks.test-kit.ts": kit });
  expect(results).toMatchObject({ passed: 4, failed: 0 });
});

test("what a test file changes of the process is as before for the next one", () => {
  const results = twice(`
    const { exit } = process;
    test("finds and leaves", async () => {
      expect([process.env.LEFT, typeof process.env.PATH, Math.cbrt(8)]).toEqual([undefined, "string", 2]);
      await new Promise((resolve) => setTimeout(resolve, 1));
      process.env.LEFT = "left";
      delete process.env.PATH;
      jest.spyOn(Math, "cbrt").mockReturnValue(3);
      jest.useFakeTimers();
      globalThis.console = null;
      process.exit = null;
    });`);
  expect(results).toMatchObject({ passed: 2, failed: 0, failures: [] });
});

test("a test fails by an assertion, an error, a rejection and its time limit; the next ones run", () => {
  const { results, status } = runJest(`
    test("asserts", () => expect({ a: 1 }).toEqual({ a: 2 }));
    test("throws", () => { throw new Error("thrown"); });
    test("rejects", () => Promise.reject(new Error("rejected")));
    test("throws later", (done) => { setImmediate(() => { throw new Error("late"); }); });
    test("takes long", () => new Promise(() => {}), 50);
    test("passes", () => {});`);
  expect(status).toBe(1);
  expect(results).toMatchObject({ passed: 1, failed: 5 });
});

test("types of a test file are stripped, and values of Node have the classes of the tests", () => {
  const { results } = runJest(`
    interface Named { readonly name: string }
    test("is an error", () => {
      let error: Named | undefined;
      try { process.binding(1 as never); } catch (caught) { error = caught as Named; }
      expect(error).toBeInstanceOf(Error);
    });`);
  expect(results).toMatchObject({ passed: 1, failed: 0 });
});
