import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { consoleLogger, type Level } from "./console-logger.ts";

const recorder = (format: "text" | "json") => {
  const lines: string[] = [];
  const levels: Level[] = [];
  const write = (line: string, level: Level): void => {
    lines.push(line);
    levels.push(level);
  };
  return {
    lines,
    levels,
    log: consoleLogger({ format, write, now: () => new Date("2026-01-02T03:04:05Z") }),
  };
};

test("writes one JSON object per line, with time, level, message and the fields", () => {
  const { lines, levels, log } = recorder("json");
  log.info("listening", { port: 80, big: 2n ** 60n });
  log.error("broken");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      time: "2026-01-02T03:04:05.000Z",
      level: "info",
      message: "listening",
      port: 80,
      big: "1152921504606846976",
    },
    { time: "2026-01-02T03:04:05.000Z", level: "error", message: "broken" },
  ]);
  expect(levels).toEqual(["info", "error"]);
});

test.each(["text", "json"] as const)("leaves out fields that are undefined: %s", (format) => {
  const { lines, log } = recorder(format);
  log.info("ready", { problems: undefined, worker: 7 });
  expect(lines[0]).not.toContain("problems");
  expect(lines[0]).toMatch(/worker.+7/);
});

test("does not let fields replace time, level or message", () => {
  const { lines, log } = recorder("json");
  log.warn("true message", { message: "forged", level: "info", time: "forged" });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: "2026-01-02T03:04:05.000Z",
    level: "warn",
    message: "true message",
  });
});

test("writes an error with its name, message, code, stack and cause", () => {
  const { lines, log } = recorder("json");
  log.error("failed", {
    error: Object.assign(new TypeError("no", { cause: new Error("why") }), { code: "E1" }),
  });
  const { error } = JSON.parse(lines[0] ?? "") as { error: Record<string, unknown> };
  expect(error).toMatchObject({ name: "TypeError", message: "no", code: "E1", cause: { message: "why" } });
  expect(error["stack"]).toContain("console-logger.test.ts");
});

test("writes a line for any fields: cycles, errors that are their own cause, getters that throw", () => {
  const { lines, log } = recorder("json");
  const cycle: Record<string, unknown> = { twice: [1, 1] };
  cycle["self"] = cycle;
  const error = new Error("round");
  error.cause = error;
  log.info("cycle", { cycle });
  log.info("cause", { error });
  log.info("getter", {
    get bad(): never {
      throw new Error("no");
    },
  });
  log.info("inner getter", {
    inner: {
      get bad(): never {
        throw new Error("no");
      },
    },
  });
  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
    "cycle",
    "cause",
    "getter",
    "inner getter",
  ]);
  expect(lines[0]).toContain('"self":"[circular]"');
  expect(lines[0]).toContain('"twice":[1,1]');
});

test("writes a human-readable line and indents the stack below it", () => {
  const { lines, log } = recorder("text");
  log.warn("slow", { ms: 12, path: "/a b", deep: { a: 1 } });
  log.error("failed", { error: new Error("no\n12:00:00 info  forged") });
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}slow ms=12 path=\/a b deep=\{"a":1\}\n$/);
  const [head, ...stack] = (lines[1] ?? "").trimEnd().split("\n");
  expect(head).toContain("failed error=no\\n12:00:00 info  forged");
  expect(stack.length).toBeGreaterThan(1);
  for (const line of stack) expect(line).toMatch(/^ {4}/);
});

test("escapes every control character in any input", () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.string({ minLength: 1, maxLength: 1 }),
      fc.constantFrom("\n", "\u001b", "\u0085", "\u2028", "\u202e"),
    ),
  });
  fc.assert(
    fc.property(
      text,
      fc.dictionary(text, text, { maxKeys: 4 }),
      fc.constantFrom("text", "json"),
      (message, fields, format) => {
        const { lines, log } = recorder(format as "text" | "json");
        log.info(message, fields);
        expect(lines).toHaveLength(1);
        // oxlint-disable-next-line no-control-regex -- control characters are the subject
        expect(lines[0]?.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/);
      },
    ),
  );
});

/** Errors whose members do not have their declared types. */
const strangeErrors = (): Error[] => {
  const strange = (members: object): Error =>
    Object.defineProperties(new Error("x"), Object.getOwnPropertyDescriptors(members));
  const broken = {
    get message(): never {
      throw new Error("no");
    },
    get cause(): never {
      throw new Error("no");
    },
  };
  return [
    strange({ message: { code: 7 } }),
    strange({ message: Object.create(null) as object }),
    strange({ message: Symbol("s") }),
    strange({ stack: ["a"] }),
    strange({ stack: undefined, message: 1n, name: {} }),
    strange({ cause: Object.create(null) as object, errors: [Object.create(null), Symbol("s")] }),
    strange(broken),
  ];
};

test.each(["text", "json"] as const)(
  "writes a line for an error with any message, stack and cause, as %s",
  (format) => {
    for (const error of strangeErrors()) {
      const { lines, log } = recorder(format);
      log.error("failed", { error });
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("failed");
    }
    const { lines, log } = recorder("text");
    log.error("failed", { error: strangeErrors()[0] });
    expect(lines[0]).toContain('failed error={"code":7}\n');
  },
);

test("writes as text every cause of an error, including one that is not an error, and the errors of an aggregate", () => {
  const { lines, log } = recorder("text");
  const refused = new AggregateError([new Error("refused ::1\nforged"), "plain"], "unreachable");
  const cause = new Error("inner", { cause: refused });
  log.error("failed", { error: new Error("outer", { cause }) });
  log.error("failed", { error: new Error("thrown", { cause: { code: 7, reason: "x".repeat(5000) } }) });
  const [chain = "", thrown = ""] = lines;
  expect(chain).toMatch(
    / {4}Error: outer\n[^]* {4}caused by Error: inner\n[^]* {4}caused by AggregateError: unreachable\n[^]* {4}- Error: refused ::1\n {4}forged\n {4}- plain\n/,
  );
  expect(thrown).toContain('    caused by {"code":7,"reason":"xxx');
  expect(thrown.length).toBeLessThan(4000);
});

test("writes at most eight errors of an aggregate", () => {
  const { lines, log } = recorder("json");
  const inner = Array.from({ length: 20 }, (_, index) => new Error(`refused ${index}`));
  log.error("failed", { error: new AggregateError(inner, "unreachable") });
  const { error } = JSON.parse(lines[0] ?? "") as { error: { errors: { message: string }[] } };
  expect(error.errors.map(({ message }) => message)).toEqual(inner.slice(0, 8).map(({ message }) => message));
});

test("a JSON line contains fields that have the name of a member of every object", () => {
  const { lines, log } = recorder("json");
  log.info("ready", { constructor: "Books", toString: 1, level: "mine" });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: "2026-01-02T03:04:05.000Z",
    level: "info",
    message: "ready",
    constructor: "Books",
    toString: 1,
  });
});

test.each(["text", "json"] as const)("escapes every bidirectional format character: %s", (format) => {
  const { lines, log } = recorder(format);
  log.info("\u061c\u200e\u200f\u202a\u202e\u2066\u2069", { path: "/\u200f" });
  expect(lines[0]).not.toMatch(/\p{Bidi_Control}/u);
  expect(lines[0]).toContain(String.raw`\u061c\u200e\u200f`);
});
