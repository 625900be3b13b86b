import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { runCli, runCliJson } from "../run-cli.test-kit.ts";
import { serviceProject } from "../service.test-kit.ts";

/** Few requests per second, so that each has at least a third of a second on a busy machine. */
const quick = ["--start", "2", "--max", "3", "--secs", "1", "--p99", "20000"];

interface Measured {
  readonly capacity: number;
  readonly usual: number | null;
  readonly isRegression: boolean;
  readonly p99Ms: number;
  readonly stages: readonly {
    readonly offered: number;
    readonly failures: number;
    readonly p99Ms: number;
    readonly heapMiB: number;
    readonly loopDelayMs: number;
  }[];
  readonly advice: { readonly workers: number };
}

test("a ramp ends at its last rate, reports heap and loop delay, and is appended to the history", async () => {
  const cwd = serviceProject("");
  const first = await runCliJson<Measured>(["load", ...quick], { cwd, environment: plainEnvironment });
  expect(first).toMatchObject({ capacity: 3, usual: null, isRegression: false, advice: { workers: 1 } });
  const rates = new Set(first.stages.map(({ offered }) => offered)); // a busy machine may need a second try
  expect([...rates]).toEqual([2, 3]);
  for (const { heapMiB, loopDelayMs } of first.stages)
    expect([heapMiB > 1, loopDelayMs > 0]).toEqual([true, true]);
  const history = [
    { at: "", request: "GET /", machine: cpus()[0]?.model ?? "unknown", capacity: 1000, p99Ms: 1 },
  ];
  writeFileSync(join(cwd, ".framework/load-history.json"), JSON.stringify(history));
  const plain = { ...plainEnvironment, NO_COLOR: "1" };
  const { exitCode, out, err } = await runCli(["load", ...quick], {
    cwd,
    environment: plain,
    isTerminal: true,
  });
  expect([exitCode, out]).toEqual([0, expect.stringContaining("usual capacity: 1000 requests/s")]);
  expect(out).not.toContain("regression"); // the capacity may be higher than the last rate
  const shown = Array.from(
    err.matchAll(/(█*)(░*) ([^\r]+)/g),
    ([, full = "", , text]) => `${full.length} ${text}`,
  );
  expect([...new Set(shown)].slice(0, 3)).toEqual(["0 warm-up", "0 2 requests/s", "23 3 requests/s"]);
  expect(err.endsWith("\r\u001b[2K")).toBe(true);
});

test("a capacity below the usual one is a regression, and the command fails", async () => {
  const cwd = serviceProject(`let requests = 0;
app.get("/tired", () => {
  if (++requests > 4) throw new Error("tired"); // after the warm-up and the first rate
  return "ok";
});`);
  const machine = cpus()[0]?.model ?? "unknown";
  const history = [{ at: "", request: "GET /tired", machine, capacity: 1000, p99Ms: 1 }];
  writeFileSync(join(cwd, "history.json"), JSON.stringify(history));
  const words = ["load", "/tired", "--history", "history.json", ...quick];
  const { exitCode, out } = await runCli(words, { cwd, environment: plainEnvironment });
  expect([exitCode, out]).toEqual([
    1,
    expect.stringContaining("regression: more than 20 % below the usual capacity"),
  ]);
});

test("a service that fails has no capacity, and the command fails", async () => {
  const cwd = serviceProject('app.get("/broken", () => { throw new Error("broken"); });');
  const { exitCode, out, err } = await runCli(["load", "/broken", ...quick], {
    cwd,
    environment: plainEnvironment,
  });
  expect([exitCode, err, out]).toEqual([
    1,
    "", // no progress, because this is not a terminal
    expect.stringContaining(
      "capacity of one worker: 0 requests/s (at a higher rate: 2 of 2 requests failed)",
    ),
  ]);
});

test("a rate that passes at its second attempt is recorded with that attempt", async () => {
  const cwd = serviceProject(`let requests = 0;
app.get("/late", () => {
  if (++requests <= 3) throw new Error("late"); // both requests of the warm-up and the first of the first attempt
  return "ok";
});`);
  const words = ["load", "/late", "--start", "1", "--max", "1", "--secs", "2", "--p99", "20000"];
  const { p99Ms, stages } = await runCliJson<Measured>(words, { cwd, environment: plainEnvironment });
  expect(stages.map(({ failures }) => failures > 0)).toEqual([true, false]);
  expect(p99Ms).toBe(stages[1]?.p99Ms);
});

test("a 4xx status that most replies have is reported", async () => {
  const words = ["load", "/nope", ...quick];
  const { exitCode, out } = await runCli(words, { cwd: serviceProject(""), environment: plainEnvironment });
  expect([exitCode, out]).toEqual([
    0,
    expect.stringMatching(/^(\d+) of \1 replies had status 404: check path and header fields$/m),
  ]);
});

test.each(["{", '{"at":""}', "[null]"])(
  "a history of %s is refused before the program starts",
  async (text) => {
    const cwd = serviceProject("process.exit(9);");
    writeFileSync(join(cwd, "history.json"), text);
    const { exitCode, err } = await runCli(["load", "--history", "history.json"], { cwd });
    expect([exitCode, err]).toEqual([1, expect.stringContaining("history.json cannot be read: ")]);
    expect(err).toContain("framework explain CLI_BAD_HISTORY");
  },
);

test("a path is percent-encoded where necessary", async () => {
  const cwd = serviceProject(
    'app.get("/bücher", ({ query }) => { if (query.get("q") !== "ü x") throw new Error(); });',
  );
  const words = ["load", "/b%C3%BCcher?q=ü x", ...quick];
  expect(await runCliJson(words, { cwd, environment: plainEnvironment })).toMatchObject({ capacity: 3 });
});

test("a repeated header field is sent with each of its values, in any case of its name", async () => {
  const cwd = serviceProject(`app.get("/parts", ({ cookies, headers }) => {
  if (cookies.get("a") !== "1" || cookies.get("b") !== "2" || headers.get("x-part") !== "one, two") throw new Error();
});`);
  const fields = ["-H", "cookie: a=1", "-H", "Cookie: b=2", "-H", "x-part: one", "-H", "X-Part: two"];
  const words = ["load", "/parts", ...fields, ...quick];
  expect(await runCliJson(words, { cwd, environment: plainEnvironment })).toMatchObject({ capacity: 3 });
});

test("a last rate below the default first rate is also used as the first rate", async () => {
  const words = ["load", "--max", "3", "--secs", "1", "--p99", "20000"];
  const options = { cwd: serviceProject(""), environment: plainEnvironment };
  const { capacity, stages } = await runCliJson<Measured>(words, options);
  expect([capacity, new Set(stages.map(({ offered }) => offered))]).toEqual([3, new Set([3])]);
});

test("a slow reply within the limit of the 99th percentile is not an overload", async () => {
  const cwd = serviceProject(
    'app.get("/half", () => new Promise((resolve) => setTimeout(resolve, 500, "late")));',
  );
  const words = ["load", "/half", ...quick];
  expect(await runCliJson(words, { cwd, environment: plainEnvironment })).toMatchObject({ capacity: 3 });
});

test.each([
  [["load", "books"], 'the path "books" does not start with "/"'],
  [["load", "-H", "a b: c"], 'the header field "a b: c" has an invalid character'],
  [["load", "-H", "a: \u0001"], "has an invalid character"],
  [["load", "-H", "a"], "has no colon after its name"],
  [["load", "--start", "200", "--max", "100"], "--start 200 is above the last rate of 100; raise --max"],
  [["load", "--method", "g t"], '"G T" is not a method that can be sent'],
  [["drain", "books"], 'the path "books" does not start with "/"'],
  [["drain", "-H", "ü: 1"], "has an invalid character"],
])("%j is refused before the program starts", async (words, message) => {
  const { exitCode, err } = await runCli(words, { cwd: serviceProject("process.exit(9);") });
  expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
});

test("a stage that is too short for a sample of CPU time is refused", async () => {
  const { exitCode, err } = await runCli(["load", "--secs", "0.2"]);
  expect([exitCode, err]).toEqual([2, expect.stringContaining("--secs must be a number from 0.5 to 600")]);
});
