import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { said, saidJson } from "../said.test-kit.ts";
import type { ToldStep } from "./told-steps.ts";

const app = `${import.meta.dirname}/../notes-app.test-program.ts`;

interface Explained {
  readonly status: number;
  readonly route: string | null;
  readonly totalMs: number;
  readonly steps: readonly ToldStep[];
}

const explained = async (...words: readonly string[]) => {
  const { status, route, steps } = await saidJson<Explained>(["explain", ...words, "--app", app]);
  return { status, route, steps: steps.map(({ outcome, name, reasons }) => [name, outcome, reasons]) };
};

test("a request that reaches its handler has every step, and the absent ones with their reason", async () => {
  expect(await explained("GET", "/notes/1")).toEqual({
    status: 200,
    route: "/notes/{id}",
    steps: [
      ["stamp", "ran", []],
      ["guard", "skipped", ["the route has no guards"]],
      ["validation", "skipped", ["the route has no schemas"]],
      ["handler", "ran", []],
    ],
  });
});

test("a guard that refuses, and the steps that it keeps from running, are told", async () => {
  expect(await explained("get", "/secret/plan")).toMatchObject({
    status: 403,
    steps: [
      ["stamp", "ran", []],
      ["onlyFriends", "failed", ["Access denied"]],
      ["validation", "skipped", ["the route has no schemas"]],
      ["handler", "not reached", ["onlyFriends ended the request before"]],
    ],
  });
});

test("a middleware that answers itself, an error and a missing route are told", async () => {
  expect((await explained("GET", "/stamped")).steps[0]).toEqual([
    "stamp",
    "answered",
    ["answered 200 itself"],
  ]);
  expect((await explained("GET", "/broken")).steps.at(-1)).toEqual(["handler", "failed", ["too far"]]);
  expect(await explained("GET", "/nowhere")).toMatchObject({
    status: 404,
    route: null,
    steps: [
      ["stamp", "ran", []],
      ["no route", "failed", ["No route for GET /nowhere"]],
    ],
  });
});

test("the table is for people", async () => {
  const { exitCode, out } = await said(["explain", "GET", "/secret/plan", "--app", app]);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^403 {2}route \/secret\/plan {2}\d+\.\d\d ms\n\nSTEP +MS +WHY\n/);
  expect(out).toMatch(/^guard onlyFriends +failed +\d+\.\d\d +Access denied$/m);
});

test("production is refused", async () => {
  const { exitCode, err } = await said(["explain", "GET", "/", "--app", app], {
    environment: { FRAMEWORK_ENV: "production" },
  });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("FRAMEWORK_ENV is production")]);
});

test("on books, the second reading of the list is told to come from the cache, and why nothing else ran", () => {
  const root = join(import.meta.dirname, "../../../..");
  const words = ["explain", "GET", "/books", "--times", "2", "--json", "-H", "accept-encoding: gzip"];
  const printed = execFileSync(
    process.execPath,
    [
      "--conditions=@framework/source",
      join(root, "packages/cli/src/main.ts"),
      ...words,
      "--app",
      join(root, "apps/books/src/app.ts"),
    ],
    {
      cwd: mkdtempSync(join(tmpdir(), "cli-")),
      encoding: "utf8",
      timeout: 120_000,
      env: { PATH: process.env["PATH"], DATABASE_URL: "sqlite://books.db" },
    },
  );
  const { steps } = JSON.parse(printed) as Explained;
  const of = (name: string, stage: string | null) =>
    steps.find((step) => step.name === name && step.stage === stage);
  expect(of("compression", "compression")).toMatchObject({
    outcome: "ran",
    reasons: ["22 bytes are less than minSize 1024"],
  });
  expect(of("rate-limit", "rate-limit")?.reasons[0]).toMatch(/^\d+ of 60000 requests are left$/);
  expect(of("cache", "cache")).toMatchObject({
    outcome: "answered",
    reasons: [
      "answered 200 itself",
      "the key is http://localhost/books",
      expect.stringMatching(/^HIT: stored/),
    ],
  });
  expect(of("breaker", "breaker")).toMatchObject({
    outcome: "not reached",
    reasons: ["cache ended the request before"],
  });
  expect(of("handler", null)?.outcome).toBe("not reached");
});
