import { isDockerRunning, isInCompose, startWithDocker } from "./docker.ts";
import type { RunningServer } from "./running-server.ts";
import type { Service } from "./services.ts";
import { installPrograms } from "./system-packages.ts";

/** State of one server that tests need. */
export interface Outcome {
  readonly service: Service;
  /** Its address; `null` when unavailable. */
  readonly url: string | null;
  /** Source of the server, or the reason why it is unavailable. */
  readonly detail: string;
  /** Stops it, if it was started here. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts every server of the list that is not running, concurrently; resolves when all are ready.
 *
 * A set environment variable takes precedence, then a Docker daemon, then the programs of the system, which are installed if that is allowed.
 * Never rejects: the outcome of an unavailable server has the reason.
 */
export const bringUp = async (
  wanted: readonly Service[],
  {
    env = process.env,
    programs = {},
  }: { env?: NodeJS.ProcessEnv; programs?: Readonly<Record<string, string>> } = {},
): Promise<readonly Outcome[]> => {
  const missing = wanted.filter(({ variable }) => env[variable] === undefined);
  const composed = new Set(
    missing.filter(({ name }) => isInCompose(name)).length > 0 && isDockerRunning()
      ? missing.map(({ name }) => name).filter(isInCompose)
      : [],
  );
  const local = missing.filter(({ name }) => !composed.has(name));
  const { reason } = installPrograms(
    Object.assign({}, programs, ...local.map((service) => service.programs)),
  );
  return await Promise.all(
    wanted.map(async (service) => {
      const given = env[service.variable];
      if (given !== undefined) return await fromEnvironment(service, given);
      return composed.has(service.name)
        ? await tryStart(service, "docker", () => startWithDocker(service.name), null)
        : await tryStart(service, "started here", service.start, reason);
    }),
  );
};

const noop = async (): Promise<void> => {};

const fromEnvironment = async (service: Service, url: string): Promise<Outcome> => {
  try {
    await service.check(url);
    return { service, url, detail: `from ${service.variable}`, stop: noop };
  } catch (error) {
    return { service, url: null, detail: `${service.variable} is set, but ${messageOf(error)}`, stop: noop };
  }
};

const tryStart = async (
  service: Service,
  detail: string,
  start: () => Promise<RunningServer>,
  hint: string | null,
): Promise<Outcome> => {
  try {
    const server = await start();
    return { service, url: server.url, detail, stop: () => server.stop() };
  } catch (error) {
    return { service, url: null, detail: [messageOf(error), hint].filter(Boolean).join("; "), stop: noop };
  }
};

const messageOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error));
