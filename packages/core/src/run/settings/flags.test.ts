import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Flags, flagNames, parseFlags } from "./flags.ts";

const good: [line: string, flags: Flags][] = [
  ["", {}],
  ["--host 0.0.0.0 --port 9000", { host: "0.0.0.0", port: 9000 }],
  ["--host=::1 --port=0", { host: "::1", port: 0 }],
  ["--env production --debug", { env: "production", debug: true }],
  ["--debug --no-debug", { debug: false }],
  ["--no-debug --debug", { debug: true }],
  ["--port 1 --port 2", { port: 2 }],
  ["--reload --no-logs --workers 4", { reload: true, logs: false, workers: 4 }],
  ["--help --version", { help: true, version: true }],
  ["--port 1 -- --port 2 --nonsense x", { port: 1 }],
];

test.each(good)("reads %j", (line, flags) => {
  expect(parseFlags(line.split(" ").filter(Boolean))).toEqual({ flags, problems: [] });
});

const bad: [line: string, code: string, message: string][] = [
  ["--prot 1", "CORE_UNKNOWN_FLAG", 'unknown flag "--prot"; did you mean --port?'],
  ["--wrokers=2", "CORE_UNKNOWN_FLAG", 'unknown flag "--wrokers"; did you mean --workers?'],
  ["--no-log", "CORE_UNKNOWN_FLAG", "did you mean --no-logs?"],
  ["--something-else", "CORE_UNKNOWN_FLAG", "--help lists all flags"],
  ["start", "CORE_UNKNOWN_FLAG", 'unexpected argument "start"'],
  ["--port", "CORE_BAD_FLAG", "--port needs a whole number"],
  ["--host --debug", "CORE_BAD_FLAG", "--host needs an address or host name"],
  ["--host=", "CORE_BAD_FLAG", '--host needs an address or host name, not ""'],
  ["--port -1", "CORE_BAD_FLAG", '--port needs a whole number, not "-1"'],
  ["--port 80.5", "CORE_BAD_FLAG", 'not "80.5"'],
  ["--workers 0x2", "CORE_BAD_FLAG", 'not "0x2"'],
  ["--debug=false", "CORE_BAD_FLAG", "--debug takes no value"],
];

test.each(bad)("rejects %j", (line, code, message) => {
  const [first] = parseFlags(line.split(" ")).problems;
  expect(first).toEqual({ code, message: expect.stringContaining(message) });
});

test("reports every mistake in a command line and still reads the valid flags", () => {
  const { flags, problems } = parseFlags(["--prot", "--port=x", "--host", "h", "--debug=1"]);
  expect(problems.map(({ code }) => code)).toEqual(["CORE_UNKNOWN_FLAG", "CORE_BAD_FLAG", "CORE_BAD_FLAG"]);
  expect(flags).toEqual({ host: "h" });
});

test("any command line gives known flags or problems, and nothing throws", () => {
  const known = [
    "check",
    "host",
    "port",
    "env",
    "debug",
    "reload",
    "workers",
    "logs",
    "transport",
    "help",
    "version",
  ];
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(...flagNames),
    fc.constantFrom("--__proto__", "--constructor=1"),
  );
  fc.assert(
    fc.property(
      fc.array(
        word.filter((text) => text !== "--"),
        { minLength: 1, maxLength: 8 },
      ),
      (argv) => {
        const { flags, problems } = parseFlags([...argv, "--", "ignored"]);
        expect(known).toEqual(expect.arrayContaining(Object.keys(flags)));
        expect(Object.keys(flags).length + problems.length).toBeGreaterThan(0);
      },
    ),
  );
});

test("parses --name value and --name=value alike", () => {
  const entry = fc.record({
    port: fc.nat(99_999),
    workers: fc.nat(999),
    host: fc.stringMatching(/^[a-z0-9.:]+$/),
  });
  fc.assert(
    fc.property(entry, fc.boolean(), (expected, withEquals) => {
      const argv = Object.entries(expected).flatMap(([name, value]) =>
        withEquals ? [`--${name}=${value}`] : [`--${name}`, String(value)],
      );
      expect(parseFlags(argv)).toEqual({ flags: expected, problems: [] });
    }),
  );
});

test("problems do not show the user and the password of a URL", () => {
  const { problems } = parseFlags(["postgres://ann:pw@host/db", "--port", "https://ann:pw@host"]);
  expect(problems.map(({ message }) => message)).toEqual([
    'unexpected argument "postgres://…@host/db"; the program\'s own arguments follow --',
    '--port needs a whole number, not "https://…@host"',
  ]);
});
