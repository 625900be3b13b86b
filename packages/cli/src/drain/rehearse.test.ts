import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { CommandLineOptions } from "../command-line.ts";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { runCli } from "../run-cli.test-kit.ts";
import { serviceProject } from "../service.test-kit.ts";

interface Rehearsed {
  readonly requests: {
    readonly beforeSignal: number;
    readonly duringDrain: number;
    readonly dropped: number;
  };
  readonly exit: { readonly code: number | null } | null;
  readonly closers: readonly {
    readonly name: string;
    readonly durationMs: number;
    readonly failed: boolean;
  }[];
}

/** A route that replies when the service drains, so requests are in flight at the signal however slow the machine is. */
const held = `import { writeFileSync } from "node:fs";
app.get("/held", ({ draining }) => {
  writeFileSync("received", "");
  return new Promise((resolve) => draining.addEventListener("abort", () => resolve("late")));
});`;

/** Runs the command on `/held`. SIGTERM is sent when the service has received a request, instead of after a time; no timeout passes. */
const drainHeld = (cwd: string, ...words: readonly string[]) => {
  const clock: CommandLineOptions["clock"] = {
    after(delayMs, task) {
      if (delayMs === AFTER_SECS * 1000) void waitFor(() => existsSync(join(cwd, "received"))).then(task);
      return () => {};
    },
  };
  const flags = ["--after", String(AFTER_SECS), "--rate", "50"];
  return runCli(["drain", "/held", ...flags, ...words], { cwd, environment: plainEnvironment, clock });
};

/** Differs from every other delay, so the test clock recognises the timer of `--after`. */
const AFTER_SECS = 7;

test("a service that drains drops no request, and its slow stop tasks are named", async () => {
  const cwd = serviceProject(`${held}
app.onEvent("shutdown", function flushOrders() {
  const since = performance.now();
  while (performance.now() - since < 2);
});`);
  const rehearse = () => {
    rmSync(join(cwd, "received"), { force: true });
    return drainHeld(cwd, "--slow", "2");
  };
  let { exitCode, out } = await rehearse();
  // When the port closes, the system resets connections in the accept queue; a busy machine may have one there.
  for (let more = 4; more > 0 && exitCode !== 0; more--) ({ exitCode, out } = await rehearse());
  expect(out).toMatch(/^\d+ replies before SIGTERM, [1-9]\d* during the drain/);
  expect(out).toContain("no request dropped");
  expect(out).toMatch(/slow stop task flushOrders: \d+ ms/);
  expect(out).toContain("with exit code 0");
  expect(exitCode).toBe(0);
});

test("a service that exits immediately drops the requests in flight, and the command fails", async () => {
  const cwd = serviceProject(`${held}
process.once("SIGTERM", () => process.exit(0));`);
  const { exitCode, out } = await drainHeld(cwd, "--json");
  expect((JSON.parse(out) as Rehearsed).requests.dropped).toBeGreaterThan(0);
  expect(exitCode).toBe(1);
});

test("a program that does not listen is a failure with its error message", async () => {
  const cwd = serviceProject('throw new Error("DATABASE_URL is missing");');
  const { exitCode, err } = await runCli(["drain"], { cwd, environment: plainEnvironment });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("DATABASE_URL is missing")]);
});
