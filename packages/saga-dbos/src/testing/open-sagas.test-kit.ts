import { type Database, openDatabase } from "@framework/database";
import { createKernel, type OwnKernel } from "@framework/durable/feature";
import { type AnySaga, failureClass, type OpenEngine } from "@framework/saga";
import { noInsight, noScopes, SagaRegistry, type StepScopes } from "@framework/saga/feature";
import { dbosRunner } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Databases of the sagas of a process, and options of the runner. */
export interface SagasOnDbos {
  /** Address of the app's database. */
  readonly url: string;
  /** Address of the server with DBOS's tables. */
  readonly server: string;
  /** Schema of DBOS's tables. */
  readonly schema: string;
  readonly definitions: readonly AnySaga[];
  readonly workers?: boolean;
  readonly maxOpen?: number;
  readonly leaseMs?: number;
  /** `traceparent` of the running code. */
  readonly trace?: string;
  readonly scopes?: StepScopes;
}

/** Sagas in this process. */
export interface OpenSagas {
  readonly db: Database;
  readonly kernel: OwnKernel;
  readonly engine: OpenEngine;
  close(): Promise<void>;
}

/** Runs sagas on DBOS in this process. */
export const openSagas = async ({
  url,
  server,
  schema,
  definitions,
  workers = true,
  maxOpen = 100,
  leaseMs = 15_000,
  trace,
  scopes = noScopes,
}: SagasOnDbos): Promise<OpenSagas> => {
  const db = openDatabase({ url, connectionTimeoutSecs: 60, poolSize: 3 });
  const kernel = createKernel(db, { config: { leaseMs, pollMinMs: 5, pollMaxMs: 50 }, log: quiet });
  const registry = new SagaRegistry();
  for (const definition of definitions) {
    const problems = registry.add(definition);
    if (problems.length > 0) throw new Error(problems.join("; "));
  }
  const engine = dbosRunner({ url: server, schema, pollMs: 50, maxOpen, poolSize: 4 }).open({
    kernel,
    registry,
    limits: { maxRetries: 3, timeoutMs: 300_000, stepTimeoutMs: 30_000, undoTimeoutMs: 86_400_000 },
    concurrency: 20,
    workers,
    ready: Promise.resolve(),
    keepSecs: 3600,
    classOf: failureClass,
    sender: () => null,
    scopes,
    insight: { ...noInsight, trace: () => trace },
    log: () => quiet,
  });
  const close = async (): Promise<void> => {
    await engine.stop();
    await kernel.stop();
    await db.close();
  };
  try {
    await kernel.start();
    await engine.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { db, kernel, engine, close };
};
