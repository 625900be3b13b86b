import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** What callgrind counted, of user space and of all threads. */
export interface Taken {
  readonly instructions: number;
  /** Misses of the simulated first-level caches: of instructions, and of data read or written. */
  readonly misses: number;
}

/** A server that runs under callgrind and counts its own work. */
export interface CountedServer extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Runs `work` with counting enabled; otherwise the server is several times faster, and nothing is counted. */
  counting(work: () => Promise<void>): Promise<void>;
  /** Counts since the last call, or since counting was enabled. */
  taken(): Promise<Taken>;
}

/** What counts, with its version; `null` with the reason where it cannot be had. */
export const instrument = (): { readonly name: string | null; readonly reason: string } => {
  for (const program of ["valgrind", "vgdb"]) {
    const { error } = spawnSync(program, ["--version"]);
    if (error !== undefined) return { name: null, reason: `${program} is not installed` };
  }
  const version = spawnSync("valgrind", ["--version"], { encoding: "utf8" }).stdout.trim();
  return { name: `${version} callgrind`, reason: "" };
};

/** Milliseconds a server may take to listen: counting must work while tests have the processor. */
const PATIENCE_MS = 300_000;

/**
 * Simulated caches of a fixed size, so that misses do not depend on the machine. A way of the first level is as long as a page: an address within its page
 * decides about the set, and it does not matter where the system puts the pages.
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

/** The line with the address, as most programs print it. */
const LISTENS_OVER_HTTP = /"event":"listening".*127\.0\.0\.1:(\d+)/;

/** Starts a program of `servers/` under callgrind, with counting off; it ends with this process. @param portLine finds the port in the line that tells it */
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
      "--single-threaded", // concurrent compilation and garbage collection would be counted at random
      "--no-flush-bytecode", // code that one workload does not use must still be there for the next
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
    const port = await listening(child, file, portLine);
    return { pid, port, ...counter(pid, folder), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
};

const listening = (child: ChildProcess, name: string, portLine: RegExp): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const lines: string[] = [];
  const fail = (what: string): void => reject(new Error(`${name} ${what}\n${lines.slice(-20).join("\n")}`));
  const timer = setTimeout(() => fail(`does not listen after ${PATIENCE_MS} ms`), PATIENCE_MS);
  for (const input of [child.stdout, child.stderr]) {
    if (input === null) continue;
    createInterface({ input }).on("line", (line) => {
      if (lines.push(line) > 20) lines.shift();
      const port = portLine.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  }
  child.once("exit", () => fail("ended before it listened"));
  child.once("error", (error) => fail(String(error)));
  return promise.finally(() => clearTimeout(timer));
};

const run = promisify(execFile);

const counter = (pid: number, folder: string): Pick<CountedServer, "counting" | "taken"> => {
  const tell = (command: string) => run("vgdb", [`--pid=${pid}`, command], { timeout: 300_000 });
  return {
    counting: async (work) => {
      await tell("instrumentation on");
      try {
        await work();
      } finally {
        await tell("instrumentation off");
      }
    },
    taken: async () => {
      await tell("dump");
      const taken = { instructions: 0, misses: 0 };
      for (const name of await readdir(folder)) {
        const dump = join(folder, name);
        const { instructions, misses } = readDump(await readFile(dump, "utf8"));
        taken.instructions += instructions;
        taken.misses += misses;
        await rm(dump);
      }
      if (taken.instructions === 0) throw new Error("callgrind printed no total");
      return taken;
    },
  };
};

const misses = ["I1mr", "D1mr", "D1mw"];

/** The totals of a dump; nothing for an empty file, which callgrind makes at the start. */
const readDump = (text: string): Taken => {
  const events = /^events: (.+)$/m.exec(text)?.[1]?.split(" ") ?? [];
  const totals = /^totals: (.+)$/m.exec(text)?.[1]?.split(" ") ?? [];
  const sum = (names: readonly string[]): number =>
    names.reduce((total, event) => total + Number(totals[events.indexOf(event)] ?? 0), 0);
  return { instructions: sum(["Ir"]), misses: sum(misses) };
};
