/**
 * Compares sends and deliveries of `@framework/sqs` with hand-written code on the AWS SDK, on the same queue of an emulator, alternately within one run.
 *
 *   pnpm --filter @framework/bench bench:sqs [--rounds 15] [--messages 2000]
 */
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import type { Spent } from "../measure/spent.ts";
import { type Estimate, estimate, formatEstimate } from "../measure/statistics.ts";
import { startSqs } from "./packages.ts";
import { openBareClient, type BrokerClient, openAdapter } from "./clients.ts";

const MIN_RATIO = 0.8;
const WARM_UP = 3;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, messages: { type: "string", default: "2000" } },
});
const rounds = Number(values.rounds);
const messages = Number(values.messages);

interface RoundTime {
  readonly send: Spent;
  readonly consume: Spent;
}

const round = async (client: BrokerClient): Promise<RoundTime> => ({
  send: await client.send(messages),
  consume: await client.consume(messages),
});

await using server = await startSqs();
const ours = await openAdapter(server.url, "bench");
const bare = await openBareClient(server.url, "bench");
const samples: { readonly ours: RoundTime; readonly bare: RoundTime }[] = [];
for (let number = -WARM_UP; number < rounds; number++) {
  const isOursFirst = number % 2 === 0;
  const first = await round(isOursFirst ? ours : bare);
  const second = await round(isOursFirst ? bare : ours);
  if (number >= 0) samples.push(isOursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
}
await ours.close();
await bare.close();

const perSecond = (ms: number): number => (messages * 1000) / ms;
printTitle(
  `SQS compared with hand-written code on the SDK, median of ${rounds} rounds of ${messages} messages with a 95 % interval`,
);
for (const direction of ["send", "consume"] as const) {
  const ratio: Estimate = estimate(
    samples.map((one) => one.bare[direction].wallMs / one.ours[direction].wallMs),
  );
  const processor = estimate(
    samples.map((one) => one.bare[direction].processorMs / one.ours[direction].processorMs),
  );
  printTable(
    [direction, "throughput, ours / SDK", "CPU time, SDK / ours", "ours, messages/s", "SDK, messages/s"],
    [
      [
        `standard queue, prefetch 100`,
        formatEstimate(ratio, 2),
        formatEstimate(processor, 2),
        formatEstimate(estimate(samples.map((one) => perSecond(one.ours[direction].wallMs))), 0),
        formatEstimate(estimate(samples.map((one) => perSecond(one.bare[direction].wallMs))), 0),
      ],
    ],
  );
  gate(ratio.median >= MIN_RATIO, `${direction}: at least ${MIN_RATIO} of the throughput of the SDK\n`);
}
