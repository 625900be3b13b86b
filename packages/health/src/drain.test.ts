import { request } from "node:http";
import { bundledProgram } from "@framework/bundled-sources";
import { type Program, startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";

interface ProbeReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends one request on its own connection, like probes and load balancers. */
const get = (program: Program, path: string): Promise<ProbeReply> =>
  new Promise((resolve, reject) => {
    const clientRequest = request(new URL(path, program.url), { agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.on("error", reject).on("end", () => {
        resolve({ status: reply.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> });
      });
    });
    clientRequest.on("error", reject).end();
  });

/** Starts a load balancer that keeps eight requests in flight until it is stopped, and records their outcomes. */
const balancer = (program: Program) => {
  const statuses: (number | string)[] = [];
  let isOpen = true;
  const send = async (): Promise<void> => {
    while (isOpen) {
      await get(program, "/slow").then(
        ({ status }) => statuses.push(status),
        (error: Error) => statuses.push(error.message),
      );
    }
  };
  const all = Promise.all(Array.from({ length: 8 }, send));
  const stop = async (): Promise<readonly (number | string)[]> => {
    isOpen = false;
    await all;
    return statuses;
  };
  return { stop, statuses };
};

// Each transport once, with and without workers: the drain of a transport does not depend on the number of workers.
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
    expect((await get(program, "/health/ready")).status).toBe(200);
    const load = balancer(program);
    await waitFor(() => load.statuses.length >= 16, { subject: "load", timeoutMs: 60_000 });

    const signalledAt = performance.now();
    const stopped = program.stop("SIGTERM");
    // During the readiness delay connections are accepted, and every worker begins to report 503.
    const isDraining = async (): Promise<boolean> => {
      const { status, body } = await get(program, "/health/ready");
      return status === 503 && body["status"] === "draining";
    };
    await waitFor(async () => (await Promise.all(Array.from({ length: 16 }, isDraining))).every(Boolean), {
      subject: "readiness 503 of every worker",
    });
    expect((await get(program, "/health/live")).status).toBe(200);
    expect((await get(program, "/slow")).status).toBe(200);

    const statuses = await load.stop();
    expect(new Set(statuses)).toEqual(new Set([200]));
    await waitFor(
      () =>
        get(program, "/health/live").then(
          () => false,
          () => true,
        ),
      {
        subject: "the port to close",
        timeoutMs: 60_000,
      },
    );
    expect(performance.now() - signalledAt).toBeGreaterThanOrEqual(5000); // the readiness delay
    expect(await stopped).toEqual({ code: 0, signal: null });
  },
);
