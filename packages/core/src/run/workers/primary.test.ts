import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pidAt, pidsAt, pidsOfAll, replyAt, startService, until } from "../testing/service-program.ts";
import { endPrograms, type Program } from "../testing/start-program.ts";

afterAll(endPrograms);

let cutPrograms: readonly { program: Program; reply: Promise<unknown>; secs: Promise<number> }[] = [];

// Started early, so that their deadline of 10 s passes while other tests run. A tenth of it is reserved for stop tasks, which is enough on a busy machine.
beforeAll(async () => {
  const begun = [1, 2].map(async (workers) => {
    const program = startService({ run: { workers, cluster: { shutdownTimeoutSecs: 10 } } });
    const { url } = await program.listening;
    const reply = pidAt(url, "/hang").catch(() => "cut");
    await program.waitFor("in flight");
    const signalled = performance.now();
    program.kill("SIGTERM");
    const secs = program.exit.then(() => (performance.now() - signalled) / 1000);
    return { program, reply, secs };
  });
  cutPrograms = await Promise.all(begun);
});

test.each([1, 2])("serves pending requests before it ends, with %d worker(s)", async (workers) => {
  const program = startService({ run: { workers } });
  const { url } = await program.listening;
  const reply = pidAt(url, "/slow");
  await program.waitFor("in flight");
  program.kill("SIGINT");
  expect(await reply).toBeGreaterThan(0);
  expect((await program.exit).code).toBe(0);
});

test.each([1, 2])(
  "a second signal ends the service at once with code 128 + the signal number, with %d worker(s)",
  async (workers) => {
    const program = startService({ run: { workers } });
    const { url } = await program.listening;
    const reply = pidAt(url, "/hang").catch(() => "cut");
    await program.waitFor("in flight");
    const begun = performance.now();
    const again = setInterval(() => program.kill("SIGTERM"), 20);
    const exit = await program.exit;
    clearInterval(again);
    expect(exit.code).toBe(143);
    expect(performance.now() - begun).toBeLessThan(25_000); // well below the drain timeout of 30 s
    expect(await reply).toBe("cut");
  },
);

test.each([1, 3])(
  "prints one message and ends with code 1 when a startup handler fails, with %d worker(s)",
  async (workers) => {
    const program = startService({ failsToStart: true, run: { workers } });
    expect((await program.exit).code).toBe(1);
    expect(program.stderr().match(/The service did not start/g)).toHaveLength(1);
    expect(program.stderr()).toContain("no database");
    expect(program.stdout()).toBe("");
  },
);

test("replaces each of 2 workers after a signal, an uncaught error or a kill, without a failed request", async () => {
  const program = startService({ run: { workers: 2 } });
  const { url } = await program.listening;
  /** Resolves with the process ids of two workers, neither of them the exited one. */
  const serving = async (exited = 0): Promise<Set<number>> => {
    let pids = new Set<number>();
    await until(async () => {
      pids = await pidsAt(url, 6);
      return pids.size === 2 && !pids.has(exited);
    });
    return pids;
  };
  const first = await serving();
  const [victim = 0] = first;
  process.kill(victim, "SIGTERM");
  const second = await serving(victim);
  expect([...second].filter((pid) => !first.has(pid))).toHaveLength(1);
  expect(program.stderr()).not.toContain("a worker died");

  const slow = Promise.all(Array.from({ length: 4 }, () => pidAt(url, "/slow")));
  await program.waitFor("in flight");
  await pidAt(url, "/crash");
  expect(new Set(await slow).difference(second).size).toBe(0);
  await until(async () => (await serving()).difference(second).size === 1);

  const third = await serving();
  for (const pid of third) process.kill(pid, "SIGKILL");
  const after = await pidsAt(url, 6);
  expect([...after].filter((pid) => third.has(pid))).toEqual([]);
  expect(program.stderr()).toContain("a worker died and is replaced");
});

test("ends with code 1 when workers keep exiting before they are ready", async () => {
  const program = startService({ crashLoop: true, run: { workers: 2, cluster: { maxRestarts: 2 } } });
  expect((await program.exit).code).toBe(1);
  expect(program.stderr()).toContain("CORE_CRASH_LOOP");
  expect(program.stdout()).toBe("");
});

test("workers drain and end when the primary is killed", async () => {
  const program = startService({ run: { workers: 2 } });
  const { url } = await program.listening;
  const pids = await pidsOfAll(url, 2);
  const reply = pidAt(url, "/slow");
  await program.waitFor("in flight");
  program.kill("SIGKILL");
  expect(pids.has(await reply)).toBe(true);
  await program.exit; // the output closes when the last worker has ended
  expect(program.stderr().match(/stopped/g)).toHaveLength(2);
});

test("each of two services in one program has its own workers", async () => {
  const program = startService({ run: { workers: 2 }, second: { workers: 2 } });
  const { url } = await program.listening;
  await program.waitFor("second at");
  const [, second = ""] = /second at (.*)\./.exec(program.stderr()) ?? [];
  const first = (await pidsOfAll(url, 2)).union(await pidsAt(url, 10));
  const others = (await pidsOfAll(second, 2, "/second")).union(await pidsAt(second, 10, "/second"));
  expect([first.size, others.size, first.intersection(others).size]).toEqual([2, 2, 0]);
  program.kill("SIGTERM");
  expect((await program.exit).code).toBe(0);
});

test.each([1, 2])(
  "of two services in one program, the service that ends first does not cut requests of the other, with %d worker(s) each",
  async (workers) => {
    const program = startService({ run: { workers }, second: { workers } });
    const { url } = await program.listening;
    await program.waitFor("second at");
    const reply = fetch(`${url}/slow`);
    await program.waitFor("in flight");
    program.kill("SIGTERM");
    expect((await reply).status).toBe(200);
    expect((await program.exit).code).toBe(0);
  },
);

test("a second service that cannot start ends the program with code 1, after the requests of the first", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const program = startService({
    run: { workers: 1 },
    second: { workers: 1, port },
    secondAfterRequest: true,
  });
  const { url } = await program.listening;
  expect((await fetch(`${url}/slow`)).status).toBe(200);
  expect((await program.exit).code).toBe(1);
  expect(program.stderr()).toContain("CORE_PORT_IN_USE");
  holder.close();
});

test.each([1, 2])(
  "accepts connections for the readiness delay after readiness turned 503, with %d worker(s)",
  async (workers) => {
    const program = startService({ run: { workers, cluster: { readinessDelaySecs: 6 } } });
    const { url } = await program.listening;
    expect(await replyAt(url, "/ready")).toEqual({ draining: false });
    program.kill("SIGTERM");
    await until(async () => program.stderr().match(/readiness is 503/g)?.length === workers);
    expect(await replyAt(url, "/ready")).toEqual({ draining: true });
    expect((await program.exit).code).toBe(0);
    await expect(replyAt(url, "/ready")).rejects.toThrow("fetch failed");
  },
);

test("cuts open connections at the deadline and ends with code 1, in one process and in 2 workers", async () => {
  for (const { program, reply, secs } of cutPrograms) {
    expect((await program.exit).code).toBe(1);
    expect(await secs).toBeLessThan(25); // well below the default of 30 s
    expect(await reply).toBe("cut");
    expect(program.stderr()).toContain("connections were cut");
    expect(program.stderr()).toContain("stopped");
  }
});

test("an uncaught error of a worker during the drain ends the service with code 1", async () => {
  const program = startService({ run: { workers: 2 } });
  const reply = pidAt((await program.listening).url, "/crash-in-drain");
  await program.waitFor("in flight");
  program.kill("SIGTERM");
  expect(await reply).toBeGreaterThan(0);
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.stderr()).toContain("unhandled rejection: this worker drains and exits");
  expect(program.stderr()).not.toContain("is replaced");
  expect(program.stderr()).toContain('"uncaughtErrors":1');
});

test("a worker that dies during the drain is logged, and the service ends with code 1", async () => {
  const program = startService({ failsToStop: true, run: { workers: 2 } });
  const pids = await pidsOfAll((await program.listening).url, 2);
  program.kill("SIGTERM");
  await until(async () => program.stderr().match(/stopped/g)?.length === 2);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.stderr().match(/a worker died while it drained/g)).toHaveLength(2);
  expect(program.stderr()).toContain('"workersDied":2');
});
