import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** Counts of callgrind, for all threads in user space. */
export interface Counts {
  readonly instructions: number;
  /** Misses of the simulated first-level caches: of instructions, and of data read or written. */
  readonly misses: number;
}

/** A server that runs under callgrind. */
export interface CountedServer extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Runs `work` with counting enabled. With counting disabled, the server is several times faster. */
  whileCounting(work: () => Promise<void>): Promise<void>;
  /** Returns the counts since the last call, or since counting was enabled. */
  takeCounts(): Promise<Counts>;
}

/** Returns the name and version of the counting program, or `null` with the reason if it is not installed. */
export const findInstrument = (): { readonly name: string | null; readonly reason: string } => {
  for (const program of ["valgrind", "vgdb"]) {
    const { error } = spawnSync(program, ["--version"]);
    if (error !== undefined) return { name: null, reason: `${program} is not installed` };
  }
  const version = spawnSync("valgrind", ["--version"], { encoding: "utf8" }).stdout.trim();
  return { name: `${version} callgrind`, reason: "" };
};

/** Maximum time until a server listens; long, because tests may use the processor at the same time. */
const START_TIMEOUT_MS = 300_000;

/**
 * Simulated caches of a fixed size, so that misses do not depend on the machine. A way of the first-level caches has the size of a page, so the set depends only
 * on the offset within a page, not on the physical address.
 */
const caches: readonly string[] = [
  "--cache-sim=yes",
  "--I1=32768,8,64",
  "--D1=32768,8,64",
  "--LL=8388608,16,64",
];

const running = new Set<ChildProcess>();
const endAll = (): void => {
  for (const child of running) child.kill("SIGKILL");
};

/** The line with the address that most programs print. */
const LISTENS_OVER_HTTP = /"event":"listening".*127\.0\.0\.1:(\d+)/;

/** Starts a program of `servers/` under callgrind, with counting disabled; it is killed when this process exits. @param portLine matches the printed line with the port */
export const startCounted = async (
  file: string,
  args: readonly string[],
  execArgv: readonly string[] = [],
  portLine: RegExp = LISTENS_OVER_HTTP,
): Promise<CountedServer> => {
  const folder = await mkdtemp(join(tmpdir(), "instructions-"));
  const child = spawn(
    "valgrind",
    [
      "--tool=callgrind",
      "--instr-atstart=no",
      ...caches,
      `--callgrind-out-file=${join(folder, "counts")}`,
      process.execPath,
      ...process.execArgv.filter((argument) => argument.startsWith("--conditions=")),
      "--single-threaded", // otherwise the share of concurrent compilation and garbage collection varies
      "--no-flush-bytecode", // keeps code for the next workload even if the current one does not use it
      ...execArgv,
      join(import.meta.dirname, "../servers", file),
      ...args,
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        NODE_OPTIONS: undefined,
        NODE_COMPILE_CACHE: undefined,
        NODE_ENV: "production",
        PORT: "0",
      },
    },
  );
  if (running.size === 0) process.once("exit", endAll);
  running.add(child);
  const end = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    child.once("close", () => resolve());
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    else resolve();
    await promise;
    running.delete(child);
    await rm(folder, { recursive: true });
  };
  try {
    const pid = child.pid ?? 0;
    const port = await waitForPort(child, file, portLine);
    return { pid, port, ...createCounter(pid, folder), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
};

const waitForPort = (child: ChildProcess, name: string, portLine: RegExp): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const lines: string[] = [];
  const fail = (reason: string): void =>
    reject(new Error(`${name} ${reason}\n${lines.slice(-20).join("\n")}`));
  const timer = setTimeout(() => fail(`did not listen within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
  for (const input of [child.stdout, child.stderr]) {
    if (input === null) continue;
    createInterface({ input }).on("line", (line) => {
      if (lines.push(line) > 20) lines.shift();
      const port = portLine.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  }
  child.once("exit", () => fail("exited before it listened"));
  child.once("error", (error) => fail(String(error)));
  return promise.finally(() => clearTimeout(timer));
};

const run = promisify(execFile);

const createCounter = (pid: number, folder: string): Pick<CountedServer, "whileCounting" | "takeCounts"> => {
  const sendCommand = (command: string) => run("vgdb", [`--pid=${pid}`, command], { timeout: 300_000 });
  return {
    whileCounting: async (work) => {
      await sendCommand("instrumentation on");
      try {
        await work();
      } finally {
        await sendCommand("instrumentation off");
      }
    },
    takeCounts: async () => {
      await sendCommand("dump");
      const counts = { instructions: 0, misses: 0 };
      for (const name of await readdir(folder)) {
        const dump = join(folder, name);
        const { instructions, misses } = readDump(await readFile(dump, "utf8"));
        counts.instructions += instructions;
        counts.misses += misses;
        await rm(dump);
      }
      if (counts.instructions === 0) throw new Error("callgrind printed no total");
      return counts;
    },
  };
};

const missEvents = ["I1mr", "D1mr", "D1mw"];

/** Reads the totals of a dump; zeros for the empty file that callgrind creates at the start. */
const readDump = (text: string): Counts => {
  const events = /^events: (.+)$/m.exec(text)?.[1]?.split(" ") ?? [];
  const totals = /^totals: (.+)$/m.exec(text)?.[1]?.split(" ") ?? [];
  const sum = (names: readonly string[]): number =>
    names.reduce((total, event) => total + Number(totals[events.indexOf(event)] ?? 0), 0);
  return { instructions: sum(["Ir"]), misses: sum(missEvents) };
};
