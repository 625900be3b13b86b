import { dockerAnswers, inCompose, startWithDocker } from "./docker.ts";
import type { RunningServer } from "./running-server.ts";
import type { Service } from "./services.ts";
import { installPrograms } from "./system-packages.ts";

/** State of one server that tests need. */
export interface Outcome {
  readonly service: Service;
  /** Its address; `null` when unavailable. */
  readonly url: string | null;
  /** Its source, or the reason why it is unavailable. */
  readonly how: string;
  /** Stops it, if it was started here. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts every server of the list that is not running, concurrently; all are ready when this resolves.
 *
 * A set environment variable takes precedence, then a Docker daemon, then the system's programs, installed if that is allowed.
 * Never rejects: an unavailable server has the reason.
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
    missing.filter(({ name }) => inCompose(name)).length > 0 && dockerAnswers()
      ? missing.map((s) => s.name).filter(inCompose)
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
        ? await started(service, "docker", () => startWithDocker(service.name), null)
        : await started(service, "started here", service.start, reason);
    }),
  );
};

const nothing = async (): Promise<void> => {};

const fromEnvironment = async (service: Service, url: string): Promise<Outcome> => {
  try {
    await service.ask(url);
    return { service, url, how: `from ${service.variable}`, stop: nothing };
  } catch (error) {
    return { service, url: null, how: `${service.variable} is set, but ${messageOf(error)}`, stop: nothing };
  }
};

const started = async (
  service: Service,
  how: string,
  start: () => Promise<RunningServer>,
  hint: string | null,
): Promise<Outcome> => {
  try {
    const server = await start();
    return { service, url: server.url, how, stop: () => server.stop() };
  } catch (error) {
    return { service, url: null, how: [messageOf(error), hint].filter(Boolean).join("; "), stop: nothing };
  }
};

const messageOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error));
