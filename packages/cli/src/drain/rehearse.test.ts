import { expect, test } from "@jest/globals";
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

const quick = ["--after", "0.3", "--rate", "50"];

test("a service that drains drops no request, and its slow stop tasks are named", async () => {
  const cwd = serviceProject(`app.onEvent("shutdown", async function flushOrders() {
    await new Promise((resolve) => setTimeout(resolve, 120));
  });`);
  const rehearsed = () =>
    runCli(["drain", "/slow", "--slow", "100", ...quick], { cwd, environment: plainEnvironment });
  let { exitCode, out } = await rehearsed();
  // When the port closes, the system resets connections in the accept queue; a busy machine may have one there.
  for (let more = 4; more > 0 && exitCode !== 0; more--) ({ exitCode, out } = await rehearsed());
  expect(out).toMatch(/^\d+ replies before SIGTERM, [1-9]\d* during the drain/);
  expect(out).toContain("no request dropped");
  expect(out).toMatch(/slow stop task flushOrders: \d{3,} ms/);
  expect(out).toContain("with exit code 0");
  expect(exitCode).toBe(0);
});

test("a service that exits immediately drops the requests in flight, and the command fails", async () => {
  const cwd = serviceProject('process.once("SIGTERM", () => process.exit(0));');
  const { exitCode, out } = await runCli(["drain", "/slow", "--json", ...quick], {
    cwd,
    environment: plainEnvironment,
  });
  expect((JSON.parse(out) as Rehearsed).requests.dropped).toBeGreaterThan(0);
  expect(exitCode).toBe(1);
});

test("a program that does not listen is a failure with its error message", async () => {
  const cwd = serviceProject('throw new Error("DATABASE_URL is missing");');
  const { exitCode, err } = await runCli(["drain"], { cwd, environment: plainEnvironment });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("DATABASE_URL is missing")]);
});
