import { beforeAll, expect, test } from "@jest/globals";
import { runJest, runJestOnFiles } from "./run-jest.test-kit.ts";

interface Results {
  readonly passed: number;
  readonly failures: readonly { readonly test: string }[];
}

const COUNTER = "let count = 0;\nexport const next = () => ++count;\n";
const KIT = `${COUNTER}export const calls: string[] = [];\nafterEach(() => void calls.push("called"));\n`;

/** Source of the test files; two of them run. */
const FILE = `
  import { next } from "./counter.ts";
  import { calls, next as nextOfKit } from "./counter.test-kit.ts";
  interface Named { readonly name: string }
  test("first call of the module", () => expect(next()).toBe(1));
  test("first call of the kit", () => expect(nextOfKit()).toBe(1));
  test("hook of the kit", () => expect(calls).toEqual(["called", "called"]));
  test("types and classes", () => {
    let error: Named | undefined;
    try { process.binding(1 as never); } catch (caught) { error = caught as Named; }
    expect(error).toBeInstanceOf(Error);
  });
  test("state of the process", async () => {
    expect([process.env.LEFT, typeof process.env.PATH, Math.cbrt(8)]).toEqual([undefined, "string", 2]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    process.env.LEFT = "left";
    delete process.env.PATH;
    jest.spyOn(Math, "cbrt").mockReturnValue(3);
    jest.useFakeTimers();
    globalThis.console = null;
    process.exit = null;
  });`;

let results: Results;
beforeAll(() => {
  const files = {
    "one.test.ts": FILE,
    "two.test.ts": FILE,
    "counter.ts": COUNTER,
    "counter.test-kit.ts": KIT,
  };
  results = runJestOnFiles(files).results as Results;
});
const failures = (name: string): number => results.failures.filter((failure) => failure.test === name).length;

test("the modules of a package are shared by its test files", () => {
  expect(failures("first call of the module")).toBe(1);
  expect(results.passed).toBe(9);
});

test("each test file has its own test kits, with their hooks", () => {
  expect(failures("first call of the kit") + failures("hook of the kit")).toBe(0);
});

test("types of a test file are stripped, and errors of Node are instances of its classes", () => {
  expect(failures("types and classes")).toBe(0);
});

test("changes of a test file to the process are undone for the next one", () => {
  expect(failures("state of the process")).toBe(0);
});

test("a test fails by an assertion, an error, a rejection or its time limit, and the next tests run", () => {
  const run = runJest(`
    test("asserts", () => expect({ a: 1 }).toEqual({ a: 2 }));
    test("throws", () => { throw new Error("thrown"); });
    test("rejects", () => Promise.reject(new Error("rejected")));
    test("throws later", async () => {
      setImmediate(() => { throw new Error("late"); });
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    test("takes long", () => new Promise(() => {}), 50);
    test("passes", () => {});`);
  expect(run.status).toBe(1);
  expect(run.results).toMatchObject({ passed: 1, failed: 5 });
});

test("coverage by jest is refused, with an alternative in the message", () => {
  const run = runJestOnFiles({ "one.test.ts": 'test("passes", () => {});' }, ["--coverage"]);
  expect(run.status).toBe(1);
  expect(JSON.stringify(run.results)).toContain("NODE_V8_COVERAGE");
});
