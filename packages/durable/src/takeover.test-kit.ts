import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { bundledProgram } from "@framework/bundled-sources";
import { seededRandom, waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import type { TestDatabase } from "./testing/open-databases.test-kit.ts";

/** Longer than any test. */
const LONG_LEASE_MS = 600_000;

/** A lease that is long enough for a busy machine to renew, and short enough to wait for. */
const SHORT_LEASE_MS = 1500;

/** For how many seconds processes are frozen, killed and replaced. At least one round runs. */
const CHAOS_SECS = Number(process.env["FRAMEWORK_CHAOS_SECS"] ?? 0);

/** A process that runs lanes. */
class LaneProcess implements AsyncDisposable {
  private readonly child: ChildProcess;
  private lanes: readonly number[] = [];

  constructor(url: string, leaseMs: number) {
    const program = bundledProgram(new URL("./takeover.test-program.ts", import.meta.url));
    this.child = spawn(process.execPath, ["--conditions=@framework/source", program], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "", DATABASE: url, LEASE_MS: String(leaseMs) },
    });
    let text = "";
    this.child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      this.lanes = JSON.parse(lines.at(-1) ?? JSON.stringify(this.lanes)) as number[];
    });
  }

  /** The lanes that it has written to. */
  get held(): readonly number[] {
    return this.lanes;
  }

  /** Suspends the process. */
  freeze(): void {
    this.child.kill("SIGSTOP");
  }

  /** Resumes a suspended process. */
  thaw(): void {
    this.child.kill("SIGCONT");
  }

  /** Ends the process without giving it a chance to clean up. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** Lets it drain. */
  async stop(): Promise<void> {
    await this.end("SIGTERM");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "exit");
    this.child.kill(signal);
    await exited;
  }
}

const waitForLanes = (process: LaneProcess, count: number, subject: string): Promise<unknown> =>
  waitFor(() => process.held.length === count, { subject, timeoutMs: 60_000 });

/**
 * Freezes the first process until the others have its lanes, kills the second one meanwhile, and resumes the first.
 *
 * A process that is frozen in a transaction keeps its locks, so this waits for three leases at most.
 */
const freezeAndKill = async (processes: LaneProcess[], url: string): Promise<void> => {
  const [frozen, killed, other] = processes;
  if (frozen === undefined || killed === undefined || other === undefined) throw new Error("three processes");
  frozen.freeze();
  await killed.kill();
  const started = new LaneProcess(url, SHORT_LEASE_MS);
  processes[1] = started;
  const areTaken = (): boolean => other.held.length + started.held.length === 4;
  await waitFor(areTaken, { timeoutMs: SHORT_LEASE_MS * 3 }).catch(() => {});
  frozen.thaw();
};

/** Declares the tests of killed processes, which run on every database. */
export const takeovers = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  const fact = (name: string, run: (database: TestDatabase) => Promise<void>): void =>
    test(
      name,
      async () => {
        await using database = await make();
        await database.open().execute(LEDGER[database.open().dialect]);
        await run(database);
        await expectOneOwnerAtATime(database);
      },
      180_000 + CHAOS_SECS * 1000,
    );

  fact(
    "lanes of a process that was killed run at once in another process of the same place",
    async ({ url }) => {
      await using killed = new LaneProcess(url, LONG_LEASE_MS);
      await waitForLanes(killed, 4, "all lanes in the first process");
      await using other = new LaneProcess(url, LONG_LEASE_MS);
      await waitForLanes(other, 2, "half of the lanes in the second process");
      await killed.kill();
      await waitForLanes(other, 4, "all lanes in the process that is left");
    },
  );

  fact("a restarted service has its lanes at once, after all its processes were killed", async ({ url }) => {
    await using one = new LaneProcess(url, LONG_LEASE_MS);
    await using other = new LaneProcess(url, LONG_LEASE_MS);
    await waitFor(() => one.held.length === 2 && other.held.length === 2, { subject: "two lanes each" });
    await Promise.all([one.kill(), other.kill()]);
    await using restarted = new LaneProcess(url, LONG_LEASE_MS);
    await waitForLanes(restarted, 4, "all lanes in the restarted process");
  });

  fact("a process that stops hands its lanes over at once", async ({ url }) => {
    await using stopped = new LaneProcess(url, LONG_LEASE_MS);
    await using other = new LaneProcess(url, LONG_LEASE_MS);
    await waitFor(() => stopped.held.length === 2 && other.held.length === 2, { subject: "two lanes each" });
    await stopped.stop();
    await waitForLanes(other, 4, "all lanes in the other process");
  });

  fact(
    "no lane ever has two owners while processes are frozen beyond their lease, killed and replaced",
    async ({ url }) => {
      const random = seededRandom(17);
      const processes = Array.from({ length: 3 }, () => new LaneProcess(url, SHORT_LEASE_MS));
      const owners = () => processes.filter(({ held }) => held.length > 0);
      const allHeld = (subject: string): Promise<unknown> =>
        waitFor(() => owners().flatMap(({ held }) => held).length === 4 && owners().length > 1, {
          subject,
        });
      try {
        await allHeld("all lanes, in two processes at least");
        const end = performance.now() + CHAOS_SECS * 1000;
        do {
          processes.sort((a, b) => b.held.length - a.held.length); // owners are frozen and killed
          if (random() < 0.5) processes.splice(0, 2, ...processes.slice(0, 2).reverse());
          await freezeAndKill(processes, url);
          await allHeld("all lanes again");
        } while (performance.now() < end);
      } finally {
        await Promise.all(processes.map((process) => process.kill()));
      }
    },
  );
};

const LEDGER = {
  sqlite:
    "CREATE TABLE ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, lane INTEGER, fence INTEGER, pid INTEGER)",
  postgres:
    "CREATE TABLE ledger (id BIGINT GENERATED ALWAYS AS IDENTITY, lane INTEGER, fence BIGINT, pid INTEGER)",
} as const;

/** In the order of the writes, the fences of a lane never decrease, and each belongs to one process. */
const expectOneOwnerAtATime = async (database: TestDatabase): Promise<void> => {
  const db = database.open();
  const rows = await db.query<{ id: number; lane: number; fence: number; pid: number }>(
    "SELECT id, lane, fence, pid FROM ledger ORDER BY lane, id",
  );
  expect(rows.length).toBeGreaterThan(0);
  const broken = rows.filter(({ lane, fence, pid }, at) => {
    const before = rows[at - 1];
    if (before === undefined || before.lane !== lane) return false;
    return fence < before.fence || (fence === before.fence && pid !== before.pid);
  });
  expect(broken).toEqual([]);
};
