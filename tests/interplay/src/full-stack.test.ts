// oxlint-disable jest/expect-expect, jest/no-standalone-expect -- the kits assert, inside the tests that eachClient registers
import { eachClient, seededRandom, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type RowResult, sendRows } from "./send-rows.test-kit.ts";
import { checkReplies } from "./check-replies.test-kit.ts";
import { checkRecords } from "./check-records.test-kit.ts";
import { type Order, type Stack, stackOf } from "./stack.test-kit.ts";
import { type ToggleName, toggleNames } from "./toggles.test-kit.ts";
import { transcriptOf } from "./transcript.test-kit.ts";

const shuffled = (random: () => number): readonly ToggleName[] =>
  toggleNames
    .map((name) => [random(), name] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, name]) => name);

const orderOf = (seed: number): Order => {
  const random = seededRandom(seed);
  return { installed: shuffled(random), enabled: shuffled(random) };
};

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the metrics of the features. */
const metricsOf = ({ observed }: Stack) => {
  const metrics = observed.metrics();
  const samples = (name: string) => metrics[name] as readonly Sample[]; // these metrics have labels
  return {
    hits: metrics["cache_hits_total"],
    misses: metrics["cache_misses_total"],
    bypasses: metrics["cache_bypass_total"],
    compressed: samples("compression_replies_total").map(({ value }) => value),
    limited: samples("rate_limit_requests_total").map(({ value }) => value),
    open: samples("circuit_state").flatMap(({ value, labels }) => (value === 0 ? [] : [labels["circuit"]])),
    rejected: metrics["circuit_rejected_total"],
    lost: metrics["log_lines_dropped_total"],
  };
};

/** Computes the same metrics from the replies; a circuit ignores replies with 429 and its own 503s. */
const expectedMetrics = (results: readonly RowResult[]): ReturnType<typeof metricsOf> => {
  const count = (fits: (result: RowResult) => boolean): number => results.filter(fits).length;
  const countField = (name: string, value: string) => count(({ reply }) => reply.headers.get(name) === value);
  const limited = count(({ reply }) => reply.headers.has("ratelimit"));
  const rejected = count(({ reply }) => reply.status === 429);
  return {
    hits: countField("x-cache", "HIT"),
    misses: countField("x-cache", "MISS"),
    bypasses: countField("x-cache", "BYPASS"),
    compressed: [count(({ row, reply }) => row.method !== "HEAD" && reply.headers.has("content-encoding"))],
    limited: [limited - rejected, rejected],
    open: ["GET /open", "GET /kept"],
    rejected: count(({ row }) => row.name === "503 of the circuit" || row.name === "503 HEAD"),
    lost: 0,
  };
};

const options = { env: "production", logs: true } as const;

for (const seed of [1, 2, 3]) {
  const named = (name: string, run: () => Promise<void>) => test(`${name}, order ${seed}`, run);
  eachClient(
    named,
    () => stackOf(orderOf(seed)),
    {
      "every reply satisfies the requirements of all features, and each request is logged once and ends once":
        async (client, stack) => {
          const results = await sendRows(client, stack);
          checkReplies(results, stack);
          await checkRecords(results, stack);
          expect(metricsOf(stack)).toEqual(expectedMetrics(results));
        },
    },
    options,
  );
}

test("clients see the same replies in every order of the stack", async () => {
  const transcripts = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7, 8].map(async (seed) => {
      const stack = stackOf(orderOf(seed));
      await using client = testClient(stack, options);
      return transcriptOf(await sendRows(client, stack));
    }),
  );
  for (const transcript of transcripts) expect(transcript).toEqual(transcripts[0]);
});
