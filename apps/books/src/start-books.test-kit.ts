import { join } from "node:path";
import { bundledProgram } from "@framework/bundled-sources";
import { type Program, startProgram } from "@framework/testing";

/** Starts the program in its own process, without the servers from the environment, which concurrent tests use. */
export const startBooks = (
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
): Promise<Program> =>
  startProgram(bundledProgram(join(import.meta.dirname, "main.ts")), {
    conditions: ["@framework/source"],
    env: {
      REDIS_URL: undefined,
      KAFKA_BROKERS: undefined,
      AMQP_URL: undefined,
      SQS_ENDPOINT: undefined,
      ...env,
    },
    args,
    timeoutMs: 120_000,
  });
