import { request } from "node:http";
import { bundledProgram } from "@framework/bundled-sources";
import { type Program, startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";

interface Seen {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends one request on its own connection, like probes and load balancers. */
const ask = (program: Program, path: string): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const asking = request(new URL(path, program.url), { agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.on("error", reject).on("end", () => {
        resolve({ status: reply.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> });
      });
    });
    asking.on("error", reject).end();
  });

/** A load balancer that sends eight requests at a time while the service is ready, and records their outcomes. */
const balancer = (program: Program) => {
  const statuses: (number | string)[] = [];
  let open = true;
  const send = async (): Promise<void> => {
    while (open) {
      await ask(program, "/slow").then(
        ({ status }) => statuses.push(status),
        (error: Error) => statuses.push(error.message),
      );
    }
  };
  const all = Promise.all(Array.from({ length: 8 }, send));
  const stop = async (): Promise<readonly (number | string)[]> => {
    open = false;
    await all;
    return statuses;
  };
  return { stop, statuses };
};

// Each transport and each way to run: what a transport does while it drains does not depend on the number of workers.
test.each([
  ["node", 1],
  ["fast", 4],
] as const)(
  "under load readiness becomes 503 while connections are still accepted, and no request fails (%s transport, %i workers)",
  async (transport, workers) => {
    await using program = await startProgram(
      bundledProgram(new URL("./drained.test-program.ts", import.meta.url)),
      {
        args: ["--workers", String(workers)],
        env: { TRANSPORT: transport, FRAMEWORK_ENV: "production" },
        conditions: ["@framework/source"],
        timeoutMs: 60_000,
        stopTimeoutMs: 30_000,
      },
    );
    expect((await ask(program, "/health/ready")).status).toBe(200);
    const load = balancer(program);
    await waitFor(() => load.statuses.length >= 16, { what: "load", timeoutMs: 60_000 });

    const signalled = performance.now();
    const stopped = program.stop("SIGTERM");
    // Connections during the readiness delay are accepted, and soon every worker reports 503.
    const isDraining = async (): Promise<boolean> => {
      const { status, body } = await ask(program, "/health/ready");
      return status === 503 && body["status"] === "draining";
    };
    await waitFor(async () => (await Promise.all(Array.from({ length: 16 }, isDraining))).every(Boolean), {
      what: "readiness 503 of every worker",
    });
    expect((await ask(program, "/health/live")).status).toBe(200);
    expect((await ask(program, "/slow")).status).toBe(200);

    const statuses = await load.stop();
    expect(new Set(statuses)).toEqual(new Set([200]));
    await waitFor(
      () =>
        ask(program, "/health/live").then(
          () => false,
          () => true,
        ),
      {
        what: "the port to close",
        timeoutMs: 60_000,
      },
    );
    expect(performance.now() - signalled).toBeGreaterThanOrEqual(5000); // the readiness delay
    expect(await stopped).toEqual({ code: 0, signal: null });
  },
);
