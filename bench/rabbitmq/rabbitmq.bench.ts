/**
 * Compares sends and deliveries of `@framework/rabbitmq` with hand-written code on `amqplib`, on the same quorum queue, alternately within one run.
 *
 *   pnpm --filter @framework/bench bench:rabbitmq [--rounds 15] [--messages 10000]
 */
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { type Estimate, estimate, formatEstimate } from "../measure/statistics.ts";
import { startRabbitMq } from "./packages.ts";
import { openBareClient, type BrokerClient, openAdapter } from "./clients.ts";

const MIN_RATIO = 0.8;
const WARM_UP = 3;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, messages: { type: "string", default: "10000" } },
});
const rounds = Number(values.rounds);
const messages = Number(values.messages);

interface RoundTime {
  readonly send: number;
  readonly consume: number;
}

const round = async (client: BrokerClient): Promise<RoundTime> => ({
  send: await client.send(messages),
  consume: await client.consume(messages),
});

await using server = await startRabbitMq();
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
  `RabbitMQ compared with hand-written code on amqplib, median of ${rounds} rounds of ${messages} messages with a 95 % interval`,
);
for (const direction of ["send", "consume"] as const) {
  const ratio: Estimate = estimate(samples.map((one) => one.bare[direction] / one.ours[direction]));
  printTable(
    [direction, "throughput, ours / amqplib", "ours, messages/s", "amqplib, messages/s"],
    [
      [
        `quorum queue, prefetch 100`,
        formatEstimate(ratio, 2),
        formatEstimate(estimate(samples.map((one) => perSecond(one.ours[direction]))), 0),
        formatEstimate(estimate(samples.map((one) => perSecond(one.bare[direction]))), 0),
      ],
    ],
  );
  gate(ratio.median >= MIN_RATIO, `${direction}: at least ${MIN_RATIO} of the throughput of amqplib\n`);
}
