import { expect, test } from "@jest/globals";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { FrameworkError } from "../../errors/framework-error.ts";
import { fromStartFailure, startFailureText, toListenError, toStartFailure } from "./start-error.ts";

const overTheChannel = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test.each([1, 2])("carries %p problems of a configuration error from a worker to the primary", (count) => {
  const problems = [
    { code: "CORE_A", message: "one" },
    { code: "CORE_B", message: "two" },
  ].slice(0, count);
  const error = fromStartFailure(overTheChannel(toStartFailure(new ConfigurationError(problems))));
  expect(error).toMatchObject({ name: "ConfigurationError", problems });
});

test("prints each problem once with its code, and no stack for a configuration mistake", () => {
  const text = startFailureText(toStartFailure(new ConfigurationError([{ code: "CORE_A", message: "one" }])));
  expect(text).toBe(
    "The service did not start, 1 problem:\n  CORE_A: one\nCause and remedy: npx @framework/cli explain CORE_A\n",
  );
});

test("names the workers that still hold a port after their primary has ended", () => {
  const inUse = Object.assign(new Error("in use"), { code: "EADDRINUSE" });
  expect(toListenError(inUse, "127.0.0.1", 8000, undefined, [12, 13]).message).toBe(
    "port 8000 is in use on 127.0.0.1 by workers whose primary process has ended; they have not ended in time: kill -9 12 13",
  );
});

test("suggests a placeholder instead of a code for problems with different codes", () => {
  const problems = ["CORE_A", "CORE_A", "CORE_B"].map((code) => ({ code, message: "one" }));
  const last = (failure: typeof problems) =>
    startFailureText({ problems: failure }).trimEnd().split("\n").at(-1);
  expect(last(problems)).toBe("Cause and remedy: npx @framework/cli explain CODE");
  expect(last(problems.slice(0, 2))).toBe("Cause and remedy: npx @framework/cli explain CORE_A");
});

test("keeps the stack of a startup task's error, even across the channel", () => {
  const cause = new Error("no database");
  const failure = toStartFailure(new FrameworkError("CORE_START_TASK", "task failed", { cause }));
  const again = toStartFailure(fromStartFailure(overTheChannel(failure)));
  expect(again).toEqual(failure);
  expect(startFailureText(again)).toContain("start-error.test.ts");
});

test.each<[string, (cause: Error) => Error]>([
  [
    "a task",
    (cause) => new FrameworkError("CORE_START_TASK", `task "db" failed: ${cause.message}`, { cause }),
  ],
  ["any other code", (cause) => cause],
])("prints the message of an error of %s once, even across the channel", (_where, wrap) => {
  const outermost = wrap(new TypeError("no database", { cause: new Error("refused") }));
  const failure = toStartFailure(outermost);
  const again = toStartFailure(fromStartFailure(overTheChannel(failure)));
  for (const text of [failure, again].map(startFailureText)) {
    expect(text.match(/no database/g)).toHaveLength(1);
    expect(text).toMatch(/no database\n {4}TypeError\n {8}at .*start-error\.test\.ts/);
    expect(text).toContain("caused by Error: refused");
  }
});

test.each([["text"], [null], [undefined], [42]])("describes %p when it is thrown", (thrown) => {
  expect(toStartFailure(thrown)).toEqual({
    problems: [{ code: "CORE_START_FAILED", message: String(thrown) }],
  });
});

const system: [code: string, ours: string, message: string][] = [
  ["EADDRINUSE", "CORE_PORT_IN_USE", "port 8000 is in use on 127.0.0.1; try --port 8001"],
  ["EACCES", "CORE_PORT_REFUSED", "port 8000"],
  ["EADDRNOTAVAIL", "CORE_BAD_HOST", "not an address of this machine"],
  ["ENOTFOUND", "CORE_BAD_HOST", "cannot be resolved"],
  ["EMFILE", "CORE_LISTEN_FAILED", "cannot listen on 127.0.0.1 port 8000: system"],
];

test.each(system)("explains %s", (code, ours, message) => {
  const error = toListenError(Object.assign(new Error("system"), { code }), "127.0.0.1", 8000);
  expect(error.code).toBe(ours);
  expect(error.message).toContain(message);
});

test("suggests a valid port if port 65535 is in use", () => {
  expect(toListenError({ code: "EADDRINUSE" }, "::1", 65_535).message).toContain("--port 65534");
});

test("prints every cause of a startup task's error, up to eight, and the errors of an aggregate", () => {
  const refused = new AggregateError([new Error("connect ECONNREFUSED ::1:5432")], "");
  const middle = new FrameworkError("DATABASE_UNREACHABLE", "cannot reach the database", { cause: refused });
  const error = new FrameworkError("CORE_START_TASK", "task failed", { cause: middle });
  const text = startFailureText(toStartFailure(error));
  expect(text).toContain("cannot reach the database");
  expect(text).toMatch(/caused by AggregateError[\s\S]*- Error: connect ECONNREFUSED ::1:5432/);

  const ring = new Error("round and round");
  ring.cause = ring;
  const endless = startFailureText(toStartFailure(ring));
  expect(endless.match(/caused by/g)).toHaveLength(7);
  expect(endless).toContain("further causes are left out");
});

test("prints the code of a startup task's error and the command that explains it, even across the channel", () => {
  const cause = new FrameworkError("DATABASE_UNREACHABLE", "cannot reach the database");
  const failure = toStartFailure(new FrameworkError("CORE_START_TASK", "task failed", { cause }));
  for (const each of [failure, toStartFailure(fromStartFailure(overTheChannel(failure)))]) {
    expect(startFailureText(each)).toContain("  DATABASE_UNREACHABLE: task failed\n");
    expect(startFailureText(each)).toContain("explain DATABASE_UNREACHABLE\n");
  }
});

test("shows a cause that is not an error as text", () => {
  const cause = new Error("outer", { cause: "plain words" });
  const error = new FrameworkError("CORE_START_TASK", "task failed", { cause });
  expect(startFailureText(toStartFailure(error))).toContain("caused by plain words");
});
