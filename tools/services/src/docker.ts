import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import type { RunningServer } from "./running-server.ts";

/** Servers of `compose.yaml`, each with a function that returns its address for a port. */
const addresses: Readonly<Record<string, (port: number) => string>> = {
  postgres: (port) => `postgres://framework@127.0.0.1:${port}/framework`,
  "postgres-newest": (port) => `postgres://framework@127.0.0.1:${port}/framework`,
  redis: (port) => `redis://127.0.0.1:${port}`,
  rabbitmq: (port) => `amqp://guest:guest@127.0.0.1:${port}`,
  kafka: (port) => `127.0.0.1:${port}`,
};

/** Whether a Docker daemon runs: an installed client is not enough. */
export const isDockerRunning = (): boolean => docker(["info"]).ok;

/** Whether Docker Compose can start the server of that name. */
export const isInCompose = (name: string): boolean => Object.hasOwn(addresses, name);

/** Starts one server of `compose.yaml` in its own project, and waits until it is healthy. */
export const startWithDocker = async (name: string): Promise<RunningServer> => {
  const addressOf = addresses[name];
  if (addressOf === undefined) throw new Error(`compose.yaml has no ${name}`);
  const port = await freePort();
  const project = `framework-${name}-${port}`;
  const file = join(import.meta.dirname, "..", "compose.yaml");
  const compose = (...args: string[]): Outcome =>
    docker(["compose", "-p", project, "-f", file, ...args], { [portVariable(name)]: String(port) });
  const stop = async (): Promise<void> => {
    compose("down", "--volumes", "--timeout", "2");
  };
  const up = compose("up", "--detach", "--wait", "--quiet-pull", name);
  if (!up.ok) {
    await stop();
    throw new Error(`docker compose could not start ${name}: ${up.error}`);
  }
  return { url: addressOf(port), stop, [Symbol.asyncDispose]: stop };
};

const portVariable = (name: string): string => `${name.toUpperCase().replaceAll("-", "_")}_PORT`;

interface Outcome {
  readonly ok: boolean;
  readonly error: string;
}

const docker = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Outcome => {
  const { status, stderr } = spawnSync("docker", args, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  return { ok: status === 0, error: (stderr ?? "").trim() };
};
