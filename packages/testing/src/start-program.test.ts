import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { type ProgramOptions, startProgram } from "./start-program.ts";
import type { Program } from "./program.ts";
import { waitFor } from "./wait-for.ts";

const conditions = ["@framework/source"];
const servedProgram = new URL("./served.test-program.ts", import.meta.url);

const start = (options: ProgramOptions = {}): Promise<Program> =>
  startProgram(servedProgram, { conditions, ...options });
const startUnusual = (kind: string, options: ProgramOptions = {}): Promise<Program> =>
  startProgram(fileURLToPath(new URL("./unusual.test-program.ts", import.meta.url)), {
    args: [kind],
    ...options,
  });

/** Whether a process exists; a zombie does not count. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("starts a program, connects to the URL that it prints, and stops it gracefully", async () => {
  const program = await start({ args: ["--one", "two"], env: { OWN: "mine" } });
  expect(program.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  const reply = await program.client.get("/");
  expect(reply.json()).toMatchObject({ args: ["--one", "two"], own: "mine" });
  expect(await program.stop()).toEqual({ code: 0, signal: null });
  expect(program.output()).toContain("stopped gracefully\n");
  expect(isAlive(program.pid)).toBe(false);
});

test("disposing stops the program; stop sends the caller's signal, and a second stop only returns the exit", async () => {
  let pid: number;
  {
    await using program = await start();
    ({ pid } = program);
    expect(await program.stop("SIGINT")).toEqual({ code: 0, signal: null });
    expect(await program.stop()).toEqual({ code: 0, signal: null });
  }
  expect(isAlive(pid)).toBe(false);
});

test("removes undefined variables, passes Node's arguments, and hides its lifeline from the program", async () => {
  process.env["OWN"] = "inherited";
  await using program = await start({ env: { OWN: undefined }, execArgv: ["--no-warnings"] });
  const seen = (await program.client.get("/")).json<{
    own: unknown;
    execArgv: string[];
    variables: string[];
  }>();
  expect(seen.own).toBeNull();
  expect(seen.execArgv).toContain("--no-warnings");
  expect(seen.variables.filter((name) => name.includes("LIFELINE"))).toEqual([]);
});

test("a killed program prints no final line", async () => {
  await using program = await start();
  program.kill();
  expect(await program.exited).toEqual({ code: null, signal: "SIGKILL" });
  expect(program.output()).not.toContain("stopped");
});

test("finds another kind of program by the first URL of this machine that it prints, on either stream", async () => {
  await using program = await startUnusual("plain");
  expect((await program.client.get("/")).text).toBe("hello");
  expect(program.output()).toContain("example.com");
});

test("a program that exits before it listens is an error with its exit code and output", async () => {
  const starting = startUnusual("crashing");
  await expect(starting).rejects.toMatchObject({ code: "TESTING_PROGRAM_FAILED" });
  await expect(starting).rejects.toThrow(
    /unusual\.test-program\.ts ended with 1 before it listened; it has printed:\nabout to fail\n[^]*no database/,
  );
});

test("a program that does not listen in time is killed, and the message has its output", async () => {
  const failureAfter = (timeoutMs: number): Promise<unknown> =>
    startUnusual("mute", { timeoutMs }).catch((error: unknown) => error);
  let timeoutMs = 500;
  let failure = await failureAfter(timeoutMs);
  // A busy machine may take longer until the program has printed.
  while (timeoutMs < 60_000 && !String(failure).includes("still thinking"))
    failure = await failureAfter((timeoutMs *= 3));
  expect(failure).toMatchObject({
    code: "TESTING_TIMEOUT",
    message: expect.stringMatching(
      new RegExp(`did not listen within ${timeoutMs} ms; it has printed:\nstill thinking\n$`),
    ),
  });
});

test("a program that does not stop in time is killed, which is an error", async () => {
  const program = await startUnusual("stubborn", { stopTimeoutMs: 200 });
  const stopping = program.stop();
  await expect(stopping).rejects.toMatchObject({ code: "TESTING_TIMEOUT" });
  await expect(stopping).rejects.toThrow(/did not stop within 200 ms and was killed; it has printed:\nhttp:/);
  expect(isAlive(program.pid)).toBe(false);
});

test("a program that cannot be started is an error with the cause", async () => {
  const starting = startUnusual("plain", { cwd: "/nowhere/at/all" });
  await expect(starting).rejects.toMatchObject({ code: "TESTING_PROGRAM_FAILED", cause: { code: "ENOENT" } });
});

/** Starts a process that starts a program, and returns both. */
const startParent = async (mode: string) => {
  const file = fileURLToPath(new URL("./parent.test-program.ts", import.meta.url));
  const parent = spawn(process.execPath, [`--conditions=${conditions[0]}`, file, mode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(parent, "exit");
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  return { parent, ended, child: (JSON.parse(line) as { child: number }).child };
};

test("a program does not outlive a test run that is killed", async () => {
  const { parent, ended, child } = await startParent("stays");
  expect(isAlive(child)).toBe(true);
  parent.kill("SIGKILL");
  await ended;
  await waitFor(() => !isAlive(child), { subject: "the end of the program" });
});

test("a forgotten program does not keep the test run alive, and ends with it", async () => {
  const { ended, child } = await startParent("leaves");
  expect(await ended).toEqual([0, null]);
  await waitFor(() => !isAlive(child), { subject: "the end of the program" });
});
