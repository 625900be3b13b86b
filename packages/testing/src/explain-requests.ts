import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { RequestStep, RequestTrace } from "@framework/core/feature";
import type { AppClientOptions } from "./test-client.ts";
import type { AppUnderTest } from "./app-under-test.ts";
import type { TestInit } from "./request-init.ts";
import { testClient } from "./test-client.ts";
import type { TestReply } from "./test-reply.ts";

/** A request of `explainRequests`: method, path and other parts. */
export type ExplainedCall = readonly [method: string, path: string, init?: TestInit];

/** Reply, steps and reasons of one request. */
export interface ExplainedRequest {
  /** Reply to the client. */
  readonly reply: TestReply;
  /** The reached steps, in the order of their starts. */
  readonly steps: readonly RequestStep[];
  /** Returns the reasons of a feature in the order of its steps; `null` for middleware of the program, such as an authentication. */
  reasons(feature: string | null): readonly string[];
}

/** The channel on which core publishes the steps of requests. */
const CHANNEL = "framework.request.steps";

/**
 * Sends requests one after the other to an app in debug mode, like `framework explain`, and returns the steps and reasons of each.
 *
 * @param makeApp creates the app after the subscription, because chains are compiled with tracing only if a tool listens at the start
 */
export const explainRequests = async (
  makeApp: () => AppUnderTest,
  calls: readonly ExplainedCall[],
  options: AppClientOptions = {},
): Promise<readonly ExplainedRequest[]> => {
  const traces: RequestTrace[] = [];
  const listen = (message: unknown): void => void traces.push(message as RequestTrace);
  subscribe(CHANNEL, listen);
  try {
    await using client = testClient(makeApp(), { logs: false, ...options });
    const explained: ExplainedRequest[] = [];
    for (const [method, path, init] of calls) {
      traces.length = 0; // a request that core refuses before its first step has no trace
      const reply = await client.request(method, path, init);
      explained.push(explainedBy(reply, traces.at(-1)?.steps ?? []));
    }
    return explained;
  } finally {
    unsubscribe(CHANNEL, listen);
  }
};

const explainedBy = (reply: TestReply, steps: readonly RequestStep[]): ExplainedRequest => ({
  reply,
  steps,
  reasons: (feature) =>
    steps
      .filter((step) => step.feature === feature && (feature !== null || step.kind === "middleware"))
      .flatMap(({ reasons }) => reasons),
});
