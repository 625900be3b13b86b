// Builds, tests and starts the services in Java and Python, and checks them against the contract: `pnpm --filter @framework/ports other-languages`.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { differences } from "../contract/differences.ts";
import { API_KEY, exchanges } from "../contract/exchanges.ts";
import { freePort } from "@framework/services/free-port";
import { waitFor } from "@framework/testing";
import { type ExternalService, externalServices } from "./services.ts";

const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };

/** Runs a command and returns its output, or `null` if it failed or is not installed. */
const run = ([command = "", ...args]: readonly string[], cwd: string): string | null => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env: environment, encoding: "utf8" });
  if (status !== 0) console.error(stdout ?? "", stderr ?? `${command} is not installed`);
  return status === 0 ? stdout : null;
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
};

/** Runs a service; returns whether it meets the contract. */
const verify = async ({ name, folder, versions, prepare, start }: ExternalService): Promise<boolean> => {
  const [version] = versions.map((command) => run(command, folder)).toReversed();
  if (version === undefined || version === null) {
    console.log(`${name}: not run, because ${versions.map(([tool]) => tool).join(" or ")} is missing`);
    return false;
  }
  if (prepare.some((command) => run(command, folder) === null)) {
    console.log(`${name}: its build or its own test failed`);
    return false;
  }
  const port = await freePort();
  const [command = "", ...args] = start.map((word) => (word === "8000" ? String(port) : word));
  const env = { ...environment, PORT: String(port), API_KEY };
  const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"] });
  try {
    const url = `http://127.0.0.1:${port}`;
    await waitFor(async () => (await fetch(`${url}/health`)).ok, { subject: `${name} to reply` });
    const found = await differences(url);
    console.log(
      `${name} (${version.split("\n")[0]}): ${exchanges.length} requests, ${found.length} differences`,
    );
    for (const difference of found) console.log(`  ${difference}`);
    return found.length === 0;
  } finally {
    await stop(child);
  }
};

for (const service of externalServices) if (!(await verify(service))) process.exitCode = 1;
