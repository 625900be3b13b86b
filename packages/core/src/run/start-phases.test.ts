import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { linesOf, type LifeScenario, waitForLines, startLife, tallyOf } from "./testing/life-program.ts";
import { endPrograms, type Program } from "./testing/start-program.ts";

afterEach(endPrograms);

const SEVERAL = 4; // workers

const ROLLED_BACK = /SIGTERM during the start: the start was rolled back/g;

/** Ends a program with SIGTERM. Returns its exit code and the seconds until it exited. */
const terminate = async (program: Program): Promise<{ code: number | null; secs: number }> => {
  const begun = performance.now();
  program.kill("SIGTERM");
  const { code } = await program.exit;
  return { code, secs: (performance.now() - begun) / 1000 };
};

test("features start in the order of App.with and before the program, listen last, and stop in reverse", async () => {
  const program = startLife();
  await program.listening;
  await terminate(program);
  expect(linesOf(program)).toEqual([
    "start db",
    "start consumer",
    "startup",
    "listening consumer",
    "drain consumer",
    "drained consumer",
    "shutdown",
    "stop consumer",
    "stop db",
  ]);
});

test.each([1, SEVERAL])(
  "announces nothing before the listening tasks have succeeded, with %d worker(s)",
  async (workers) => {
    const program = startLife({ listening: "waits", run: { workers } });
    await waitForLines(program, "listening consumer", workers);
    expect((await terminate(program)).code).toBe(0);
    expect(program.stdout()).not.toContain('"listening"');
    expect(program.stdout().match(ROLLED_BACK)).toHaveLength(1);
    expect(tallyOf(program)).toMatchObject({
      "drain consumer": workers,
      shutdown: workers,
      "stop db": workers,
    });
  },
);

test.each([1, SEVERAL])(
  "a failing listening task is a start error and rolls the start back, with %d worker(s)",
  async (workers) => {
    const program = startLife({ listening: "fails", run: { workers } });
    expect((await program.exit).code).toBe(1);
    expect(
      program.stderr().match(/CORE_START_TASK: listening task "consumer" failed: no broker/g),
    ).toHaveLength(1);
    expect(program.stdout()).not.toContain('"listening"');
    expect(linesOf(program)).toContain("stop db");
    expect(tallyOf(program)["stop db"]).toBe(tallyOf(program)["startup"]);
  },
);

test.each<[number, LifeScenario["start"]]>([
  [1, "waits"],
  [1, "ignores"],
  [SEVERAL, "ignores"],
])("SIGTERM rolls a start in progress back, with %d worker(s) and a task that %s", async (workers, start) => {
  const program = startLife({ start, run: { workers } });
  await waitForLines(program, "start db", workers);
  const { code, secs } = await terminate(program);
  expect(code).toBe(0);
  expect(secs).toBeLessThan(25); // well below the 60 s of the task and the drain timeout of 30 s
  expect(program.stdout().match(ROLLED_BACK)).toHaveLength(1);
  expect(program.stderr()).not.toContain("did not start");
  expect(tallyOf(program)).toEqual({ "start db": workers, "stop db": workers }); // the consumer had not begun
});

test.each([1, SEVERAL])("a second signal ends a start at once, with %d worker(s)", async (workers) => {
  const program = startLife({ start: "ignores", stop: "hangs", run: { workers } });
  await waitForLines(program, "start db", workers);
  const again = setInterval(() => program.kill("SIGTERM"), 50);
  expect((await program.exit).code).toBe(143);
  clearInterval(again);
});

test.each([1, SEVERAL])(
  "an uncaught error during the start ends the program with code 1 and the error's message, with %d worker(s)",
  async (workers) => {
    const program = startLife({ start: "crashes", run: { workers } });
    expect((await program.exit).code).toBe(1);
    expect(program.stderr().match(/The service did not start/g)).toHaveLength(1);
    expect(program.stderr()).toContain("CORE_START_FAILED: crash during the start");
    expect(tallyOf(program)["stop db"]).toBe(tallyOf(program)["start db"]);
  },
);

test.each([
  [1, "the process drains and ends with code 1", 1],
  [SEVERAL, "this worker drains and exits, and is replaced", 0],
])(
  "logs an unhandled rejection with its reason and consequence, and continues after a client's error, with %d worker(s)",
  async (workers, consequence, code) => {
    const program = startLife({ run: { workers } });
    const { url } = await program.listening;
    const headers = { connection: "close" };
    const dropped = await fetch(`${url}/dropped`, { method: "POST", headers, body: "{bad" });
    await program.waitFor("unhandled rejection of a client's error");
    expect([dropped.status, (await fetch(`${url}/`, { headers })).status]).toEqual([401, 404]);
    await fetch(`${url}/crash`, { headers });
    await program.waitFor(`unhandled rejection: ${consequence}`);
    await program.waitFor("crash on purpose");
    if (workers > 1) program.kill("SIGTERM"); // a single process ends by itself
    expect((await program.exit).code).toBe(code);
  },
);

test("SIGTERM during the replacement of a worker rolls the start of the new one back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "replacement-"));
  try {
    const slowIf = join(folder, "slow");
    const program = startLife({ slowIf, run: { workers: 2 } });
    const { url } = await program.listening;
    writeFileSync(slowIf, "");
    const { pid } = (await (await fetch(`${url}/slow`)).json()) as { pid: number };
    process.kill(pid, "SIGTERM"); // requests a replacement
    await waitForLines(program, "start db", 3);
    expect((await terminate(program)).code).toBe(0);
    expect(tallyOf(program)).toMatchObject({ "start db": 3, startup: 2, shutdown: 2, "stop db": 3 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const canUnshare = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;
const inNamespace = canUnshare ? test : test.skip; // skipped on systems where users cannot create a PID namespace

inNamespace.each([1, SEVERAL])(
  "as PID 1, SIGTERM ends a start in progress, with %d worker(s)",
  async (workers) => {
    const program = startLife({ start: "waits", run: { workers } }, { pidNamespace: true });
    await waitForLines(program, "start db", workers);
    const { code } = await terminate(program);
    // oxlint-disable-next-line jest/no-standalone-expect -- `inNamespace` is `test`
    expect([code, program.stdout().match(ROLLED_BACK)?.length, tallyOf(program)]).toEqual([
      0,
      1,
      { "start db": workers, "stop db": workers },
    ]);
  },
);
