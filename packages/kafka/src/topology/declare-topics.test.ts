import { createRequire } from "node:module";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import type { Admin } from "kafkajs";
import { declareTopics } from "./declare-topics.ts";

const { KafkaJSAggregateError, KafkaJSCreateTopicError, KafkaJSProtocolError } = createRequire(
  import.meta.url,
)("kafkajs/src/errors.js") as Record<string, new (...values: unknown[]) => Error>;

const errorOf = (type: string): Error =>
  new KafkaJSProtocolError!({ type, message: `(${type})`, code: 1, retriable: true });

/** Metadata reply about a topic. */
type MetadataReply = "unknown" | "no leader" | "no partitions" | "one leader" | "ready";

/** Creates a fake server whose metadata lags behind confirmed creations, as in KRaft. */
const laggingServer = ({ replies, refusals = {}, existing = [], limit = null, serverLimit = "1" }: Lag) => {
  const topics = new Map<string, { requests: number }>(
    existing.map((topic) => [topic, { requests: Infinity }]),
  );
  const created: string[] = [];
  const limits: Record<string, string | undefined> = {};
  const admin = {
    describeConfigs: async () => ({
      resources: [
        {
          configEntries: [
            {
              configName: "max.message.bytes",
              configValue: limit,
              configSynonyms: [{ configName: "message.max.bytes", configValue: serverLimit }],
            },
          ],
        },
      ],
    }),
    createTopics: async ({ topics: requested, waitForLeaders }: Parameters<Admin["createTopics"]>[0]) => {
      const errors: Error[] = [];
      for (const { topic, configEntries } of requested) {
        const refusal = topics.has(topic) ? "TOPIC_ALREADY_EXISTS" : refusals[topic]?.shift();
        if (refusal !== undefined) {
          errors.push(new KafkaJSCreateTopicError!(errorOf(refusal), topic));
          continue;
        }
        limits[topic] = configEntries?.[0]?.value;
        topics.set(topic, { requests: 0 });
        created.push(topic);
      }
      if (errors.length > 0) throw new KafkaJSAggregateError!("Topic creation errors", errors);
      if (waitForLeaders !== false) throw errorOf("UNKNOWN_TOPIC_OR_PARTITION");
      return true;
    },
    fetchTopicMetadata: async ({ topics: [topic = ""] = [] }: { topics?: string[] }) => {
      const known = topics.get(topic);
      const reply =
        known === undefined
          ? "unknown"
          : (replies[Math.min(known.requests++, replies.length - 1)] ?? "ready");
      if (reply === "unknown") throw errorOf("UNKNOWN_TOPIC_OR_PARTITION");
      if (reply === "no leader") throw errorOf("LEADER_NOT_AVAILABLE");
      const leaders = { "no partitions": [], "one leader": [1, -1], ready: [1, 1] }[reply];
      return {
        topics: [
          { name: topic, partitions: leaders.map((leader, partitionId) => ({ partitionId, leader })) },
        ],
      };
    },
  };
  const use = <T>(run: (open: Admin) => Promise<T>): Promise<T> => run(admin as unknown as Admin);
  return { created, limits, use };
};

interface Lag {
  /** Maximum batch size of every topic. */
  readonly limit?: string | null;
  /** Default maximum batch size of the server. */
  readonly serverLimit?: string;
  readonly replies: readonly MetadataReply[];
  readonly refusals?: Record<string, string[]>;
  readonly existing?: readonly string[];
}

const subscription = {
  topics: ["a"],
  group: "g",
  order: "key",
  from: "earliest",
  retryTopics: [],
  maxTries: 1,
} as const;

const declare = async (
  lag: Lag,
  { mode = "create", signal = new AbortController().signal, topics = ["a", "b"], dead = [] }: Declare = {},
) => {
  const clock = virtualClock();
  const server = laggingServer(lag);
  const declared = declareTopics(
    { admin: server, clock, signal, config: { partitions: 2, replicas: -1 } },
    { topics, subscriptions: dead.map((deadLetterTopic) => ({ ...subscription, deadLetterTopic })) },
    mode,
  );
  await clock.runAll();
  return {
    problems: await declared,
    created: server.created,
    limits: server.limits,
    tookMs: clock.now(),
    pending: clock.pending,
  };
};

interface Declare {
  readonly mode?: "verify" | "create";
  readonly signal?: AbortSignal;
  readonly topics?: readonly string[];
  /** Dead-letter topics of the topic "a". */
  readonly dead?: readonly string[];
}

test("declareTopics waits for a created topic until all its partitions have leaders", async () => {
  const replies = ["unknown", "unknown", "no partitions", "no leader", "one leader", "ready"] as const;
  const { problems, created, tookMs, pending } = await declare({ replies });
  expect([problems, created, pending]).toEqual([[], ["a", "b"], 0]);
  expect(tookMs).toBe(20 + 40 + 80 + 160 + 320);
});

test("the wait ends after 30 seconds, with the problems", async () => {
  const { problems, tookMs } = await declare({ replies: ["no leader"] });
  expect(problems).toEqual([
    'the topic "a" could not be created: its partitions have no leaders yet',
    'the topic "b" could not be created: its partitions have no leaders yet',
  ]);
  expect(tookMs).toBeGreaterThanOrEqual(30_000);
  expect(tookMs).toBeLessThan(32_000);
});

test("the wait ends when the app stops", async () => {
  const { tookMs } = await declare({ replies: ["no leader"] }, { signal: AbortSignal.abort() });
  expect(tookMs).toBe(0);
});

test("a failed creation is repeated", async () => {
  const refusals = { a: ["REQUEST_TIMED_OUT", "NOT_CONTROLLER"] };
  const { problems, created } = await declare({ replies: ["ready"], refusals });
  expect([problems, created]).toEqual([[], ["b", "a"]]);
});

test("a topic that the server refuses is reported at once, and the others are created", async () => {
  const refusals = { a: ["POLICY_VIOLATION"] };
  const { problems, created, tookMs } = await declare({ replies: ["ready"], refusals });
  expect([problems, created, tookMs]).toEqual([
    ['the topic "a" could not be created: (POLICY_VIOLATION)'],
    ["b"],
    0,
  ]);
});

test.each(["create", "verify"] as const)(
  "names that kafkajs cannot use are reported in mode %s",
  async (mode) => {
    const { problems, created } = await declare({ replies: ["ready"] }, { mode, topics: ["__proto__"] });
    expect([problems, created]).toEqual([
      [expect.stringContaining('the topic "__proto__" has the name of a property of every object')],
      [],
    ]);
  },
);

test("existing topics are not created again, and may lack a leader", async () => {
  const { problems, created } = await declare({ replies: ["no leader"], existing: ["a", "b"] });
  expect([problems, created]).toEqual([[], []]);
});

test("mode verify reports missing topics and creates none", async () => {
  const { problems, created } = await declare({ replies: ["ready"], existing: ["a"] }, { mode: "verify" });
  expect([problems, created]).toEqual([
    ['the topic "b" does not exist; create it with "npx @framework/cli topology", or set topology: "create"'],
    [],
  ]);
});

test.each([
  ["with a larger limit than its source topic", {}, "1065536"],
  ["with the default limit if a policy refuses a larger one", { dlq: ["POLICY_VIOLATION"] }, undefined],
])("a dead-letter topic is created %s", async (_case, refusals, dlq) => {
  const lag: Lag = { replies: ["ready"], limit: "1000000", refusals };
  const { problems, limits } = await declare(lag, { topics: ["a"], dead: ["dlq"] });
  expect([problems, limits]).toEqual([[], { a: undefined, dlq }]);
});

test("a dead-letter topic has at least the server's default limit, because other groups may share it", async () => {
  const lag: Lag = { replies: ["ready"], limit: "100000", serverLimit: "1048588" };
  const { limits } = await declare(lag, { topics: ["a"], dead: ["dlq"] });
  expect(limits).toEqual({ a: undefined, dlq: "1048588" });
});

test("a dead-letter topic is created if limits cannot be read", async () => {
  const { problems, limits } = await declare({ replies: ["ready"] }, { topics: ["a"], dead: ["dlq"] });
  expect([problems, limits]).toEqual([[], { a: undefined, dlq: undefined }]);
});
