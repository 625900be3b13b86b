import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { RequestStep, RequestTrace } from "@framework/core/feature";
import type { AppClientOptions } from "./test-client.ts";
import type { AppUnderTest } from "./app-under-test.ts";
import type { TestInit } from "./request-init.ts";
import { testClient } from "./test-client.ts";
import type { TestReply } from "./test-reply.ts";

/** A request of `explainRequests`: method, path, and what else it has. */
export type ExplainedCall = readonly [method: string, path: string, init?: TestInit];

/** What an app did with one request. */
export interface ExplainedRequest {
  /** What the client got. */
  readonly reply: TestReply;
  /** The reached steps, in the order of their starts. */
  readonly steps: readonly RequestStep[];
  /** Returns the reasons that a feature gave, `null` for objects of the program such as an authentication, in the order of its steps. */
  reasons(feature: string | null): readonly string[];
}

/** The channel on which core publishes the steps of requests. */
const CHANNEL = "framework.request.steps";

/**
 * Sends requests one after the other to an app under debug, as `framework explain` does, and returns the steps and reasons of each.
 *
 * @param makeApp creates the app: features look for a listener when they are enabled
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
