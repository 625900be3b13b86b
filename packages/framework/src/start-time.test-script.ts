/**
 * Compares the start time and memory of core alone and of the App with every feature, as built for users.
 *
 *     pnpm --filter @framework/framework start-time [rounds]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { App as AnyApp } from "@framework/core";

const { filename } = import.meta;

/** Creates the app of each program; imports are dynamic, so a program loads only its own packages. */
const programs: Readonly<Record<string, () => Promise<AnyApp>>> = {
  async "core alone"() {
    const { App } = await import("@framework/core");
    return new App();
  },
  async "every feature, none enabled"() {
    const { App } = await import("@framework/framework");
    return new App();
  },
  async "every feature, ten enabled"() {
    const { App } = await import("@framework/framework");
    const app = new App().enableRequestId().enableCors().enableSecurityHeaders().enableCompression();
    app.enableEtag().enableBodyLimit().enableRateLimit().enableCaching().enableOpenapi();
    return app.enableHealthChecks();
  },
  async "every feature, all packages loaded at start"() {
    const { App } = await import("@framework/framework");
    const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    for (const name of Object.keys(dependencies)) createRequire(filename)(name);
    return new App();
  },
};

/** Serves the app of a program, and prints the memory of the process when it listens. */
const serve = async (create: () => Promise<AnyApp>): Promise<void> => {
  const app = await create();
  app.get("/", () => "hello");
  await app.run({ port: 0, logs: false, argv: [] });
  console.log(JSON.stringify({ rss: process.memoryUsage.rss() }));
};

interface Start {
  readonly ms: number;
  readonly megabytes: number;
}

const start = async (name: string): Promise<Start> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [filename, name], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const { rss } = JSON.parse(line) as { readonly rss?: number };
    if (rss === undefined) continue; // the line that `app.run` logs
    const ms = performance.now() - startedAt;
    child.kill("SIGKILL");
    await exited;
    return { ms, megabytes: rss / 1e6 };
  }
  throw new Error(`${name} ended without output`);
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

const compare = async (rounds: number): Promise<void> => {
  const measured = new Map(Object.keys(programs).map((name) => [name, [] as Start[]]));
  for (const name of measured.keys()) await start(name); // fills the system's file cache
  for (let round = 0; round < rounds; round++)
    for (const [name, starts] of measured) starts.push(await start(name)); // in turn, so that background load affects all equally
  for (const [name, starts] of measured) {
    const ms = median(starts.map((one) => one.ms)).toFixed(0);
    console.log(`${name}: ${ms} ms, ${median(starts.map((one) => one.megabytes)).toFixed(0)} MB`);
  }
};

const [argument = "20"] = process.argv.slice(2);
const create = programs[argument];
await (create === undefined ? compare(Number(argument)) : serve(create));
