import { connect, createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "@jest/globals";
import { pidAt, replyAt, startService, until } from "./testing/service-program.ts";
import { endPrograms, startProgram } from "./testing/start-program.ts";

afterEach(endPrograms);

test("announces itself with one JSON line, serves, and ends with code 0 on SIGTERM", async () => {
  const program = startService();
  const line = await program.listening;
  expect(line).toEqual({
    event: "listening",
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    workers: 1,
    pid: program.pid,
  });
  expect(await pidAt(line.url)).toBe(program.pid);
  program.kill("SIGTERM");
  expect(await program.exit).toEqual({ code: 0, signal: null });
  const lines = program.stdout().trimEnd().split("\n");
  expect(lines.filter((line) => !line.includes("GET /pid -> 200"))).toHaveLength(1);
  expect(program.stderr()).toContain("stopped");
});

test("does not wait for a shutdown handler beyond the deadline", async () => {
  const program = startService({ failsToStop: true, run: { cluster: { shutdownTimeoutSecs: 0.3 } } });
  await program.listening;
  program.kill("SIGTERM");
  expect((await program.exit).code).toBe(1);
});

test("closes idle keep-alive connections in a drain", async () => {
  const program = startService();
  const { port } = new URL((await program.listening).url);
  const socket = connect(Number(port), "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write("GET /pid HTTP/1.1\r\nhost: a\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  const begun = performance.now();
  program.kill("SIGTERM");
  await closed;
  expect((await program.exit).code).toBe(0);
  expect(performance.now() - begun).toBeLessThan(25_000); // well below the drain timeout of 30 s
});

test("an uncaught exception drains the service and ends it with code 1", async () => {
  const program = startService();
  const { url } = await program.listening;
  const slow = pidAt(url, "/slow");
  await program.waitFor("in flight");
  await pidAt(url, "/crash");
  expect(await slow).toBe(program.pid);
  expect((await program.exit).code).toBe(1);
  expect(program.stderr()).toContain("crash on purpose");
});

test("an uncaught error during the drain ends the service with code 1", async () => {
  const program = startService();
  const reply = pidAt((await program.listening).url, "/crash-in-drain");
  await program.waitFor("in flight");
  program.kill("SIGTERM");
  expect(await reply).toBe(program.pid);
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.stderr()).toContain("unhandled rejection: the process drains and ends with code 1");
});

test("close() stops the service and does not end the process", async () => {
  const program = startService();
  await pidAt((await program.listening).url, "/close");
  expect(await program.exit).toEqual({ code: 0, signal: null });
});

test("reports a port in use and suggests another one", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => holder.once("listening", resolve));
  const { port } = holder.address() as AddressInfo;
  for (const workers of [1, 2]) {
    const program = startService({ run: { workers } }, ["--port", String(port)]);
    expect((await program.exit).code).toBe(1);
    expect(program.stderr()).toContain(
      `CORE_PORT_IN_USE: port ${port} is in use on 127.0.0.1; try --port ${port + 1}`,
    );
    expect(program.stdout()).toBe("");
  }
  holder.close();
});

test("reports all mistakes in the command line in one message, without starting", async () => {
  const program = startService({}, ["--prot", "--workers=many", "--env", "test"]);
  expect((await program.exit).code).toBe(1);
  expect(program.stderr().trimEnd().split("\n")).toEqual([
    "The service did not start, 3 problems:",
    '  CORE_UNKNOWN_FLAG: unknown flag "--prot"; did you mean --port?',
    '  CORE_BAD_FLAG: --workers needs a whole number, not "many"',
    '  CORE_BAD_SETTING: --env must be development or production, not "test"',
    "Cause and remedy: npx @framework/cli explain CODE",
  ]);
});

test("prints help and version and ends with code 0", async () => {
  const help = startService({}, ["--help"]);
  const version = startService({}, ["--version"]);
  expect([(await help.exit).code, (await version.exit).code]).toEqual([0, 0]);
  expect(help.stdout()).toContain("--no-logs");
  expect(version.stdout()).toMatch(/^framework \d+\.\d+\.\d+/);
});

test("continues to serve after its output was closed", async () => {
  const program = startService();
  const { url } = await program.listening;
  program.closeOutput();
  for (let request = 0; request < 3; request++) await replyAt(url, "/say");
  expect(await pidAt(url)).toBe(program.pid);
  program.kill("SIGTERM");
  expect((await program.exit).code).toBe(0);
});

test("starts and stops cleanly with its output on a full disk", async () => {
  const program = startService({}, [], { fullDisk: true });
  await program.waitFor("running");
  program.kill("SIGTERM");
  expect([(await program.exit).code, program.stderr()]).toEqual([0, expect.not.stringContaining("ENOSPC")]);
});

test("in a worker of the program's own cluster, several workers are an error, and the default is one worker", async () => {
  const file = fileURLToPath(new URL("testing/fixtures/own-cluster.ts", import.meta.url));
  const withWorkers = startProgram(file, ["--workers", "2"]);
  await withWorkers.exit;
  expect(withWorkers.stderr()).toContain("CORE_NESTED_WORKERS");
  const byDefault = startProgram(file, ["--env", "production"]);
  expect(await byDefault.listening).toMatchObject({ workers: 1 });
});

test("shares its port with other workers of the program's own cluster", async () => {
  const file = fileURLToPath(new URL("testing/fixtures/own-cluster.ts", import.meta.url));
  const program = startProgram(file, ["--env", "production", "--no-logs"]);
  await until(async () => listeningLines(program).length === 2);
  const [first, second] = listeningLines(program);
  expect(second?.url).toBe(first?.url);
  expect(second?.pid).not.toBe(first?.pid);
});

const listeningLines = ({ stdout }: { stdout(): string }): { url: string; pid: number }[] =>
  stdout()
    .split("\n")
    .filter((line) => line.includes('"listening"'))
    .map((line) => JSON.parse(line) as { url: string; pid: number });
