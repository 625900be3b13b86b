import { expect, jest, test } from "@jest/globals";
import { eventLoopClock, runCli, runCliJson } from "../run-cli.test-kit.ts";
import type { StepReport } from "@framework/core/feature";

const app = `${import.meta.dirname}/../notes-app.test-program.ts`;

const PASSED = "passed the request on";

interface Explained {
  readonly status: number;
  readonly route: string | null;
  readonly totalMs: number;
  readonly steps: readonly StepReport[];
}

const explain = async (...words: readonly string[]) => {
  const { status, route, steps } = await runCliJson<Explained>(["explain", ...words, "--app", app]);
  return { status, route, steps: steps.map(({ outcome, name, reasons }) => [name, outcome, reasons]) };
};

test("a request that reaches its handler lists every step, including skipped ones with their reason", async () => {
  expect(await explain("GET", "/notes/1")).toEqual({
    status: 200,
    route: "/notes/{id}",
    steps: [
      ["stamp", "ran", [PASSED]],
      ["guard", "skipped", ["the route has no guards"]],
      ["validation", "skipped", ["the route has no schemas"]],
      ["handler", "ran", ["answered 200"]],
    ],
  });
});

test("a guard that refuses is listed with the steps that it prevents", async () => {
  expect(await explain("get", "/secret/plan")).toMatchObject({
    status: 403,
    steps: [
      ["stamp", "ran", [PASSED]],
      ["onlyFriends", "failed", ["Access denied"]],
      ["validation", "skipped", ["the route has no schemas"]],
      ["handler", "not reached", ["onlyFriends ended the request earlier"]],
    ],
  });
});

test("a middleware that replies itself, an error and a missing route are listed", async () => {
  expect((await explain("GET", "/stamped")).steps[0]).toEqual(["stamp", "answered", ["answered 200 itself"]]);
  expect((await explain("GET", "/broken")).steps.at(-1)).toEqual(["handler", "failed", ["too far"]]);
  expect(await explain("GET", "/nowhere")).toMatchObject({
    status: 404,
    route: null,
    steps: [
      ["stamp", "ran", [PASSED]],
      ["no route", "failed", ["No route for GET /nowhere"]],
    ],
  });
});

test("a request that core refuses before its first step shows the reason in the reply", async () => {
  const reason = "The path contains a % without two hexadecimal digits";
  expect(await runCliJson(["explain", "GET", "/notes/%zz", "--app", app])).toEqual({
    status: 400,
    route: null,
    totalMs: 0,
    steps: [],
    refused: reason,
  });
  expect(await runCli(["explain", "GET", "/notes/%zz", "--app", app])).toMatchObject({
    exitCode: 0,
    out: `400  refused before the first step\n\n${reason}\n`,
  });
});

test("values of the request are hidden in error messages and in the app's log", async () => {
  const written: string[] = [];
  const spy = jest
    .spyOn(process.stderr, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const sent = ["-d", "ann@example.com", "-H", "cookie: sid=secret-of-a-cookie"];
    const { steps } = await explain("POST", "/quoted", ...sent);
    expect(steps.at(-1)).toEqual(["handler", "failed", ["no user (hidden) with (hidden)"]]);
  } finally {
    spy.mockRestore();
  }
  expect(written).toContain("error: POST /quoted failed: no user (hidden) with (hidden)\n");
});

test("without --json the steps are a table", async () => {
  const { exitCode, out } = await runCli(["explain", "GET", "/secret/plan", "--app", app]);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^403 {2}route \/secret\/plan {2}\d+\.\d\d ms\n\nSTEP +MS +WHY\n/);
  expect(out).toMatch(/^guard onlyFriends +failed +\d+\.\d\d +Access denied$/m);
});

test("production is refused", async () => {
  const { exitCode, err } = await runCli(["explain", "GET", "/", "--app", app], {
    environment: { FRAMEWORK_ENV: "production" },
  });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("FRAMEWORK_ENV must not be production")]);
});

test("an endless body is cancelled at the timeout, before the request is repeated", async () => {
  const words = ["explain", "GET", "/silent", "--times", "2", "--timeout", "2", "--app", app];
  const { status, route } = await runCliJson<Explained>(words, { clock: eventLoopClock });
  expect([status, route]).toEqual([200, "/silent"]);
});
