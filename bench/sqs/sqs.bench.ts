/**
 * Compares sends and deliveries of `@framework/sqs` with the SDK of AWS by hand, on the same queue of an emulator, in turns within one run.
 *
 *   pnpm --filter @framework/bench bench:sqs [--rounds 15] [--messages 2000]
 */
import { parseArgs } from "node:util";
import { gate, printTable, printTitle } from "../measure/report.ts";
import type { Spent } from "../measure/spent.ts";
import { type Estimate, estimate, shown } from "../measure/statistics.ts";
import { startSqs } from "./packages.ts";
import { bareWay, type BrokerWay, ourWay } from "./ways.ts";

const LEAST = 0.8;
const WARM_UP = 3;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, messages: { type: "string", default: "2000" } },
});
const rounds = Number(values.rounds);
const messages = Number(values.messages);

interface Taken {
  readonly send: Spent;
  readonly consume: Spent;
}

const round = async (way: BrokerWay): Promise<Taken> => ({
  send: await way.send(messages),
  consume: await way.consume(messages),
});

await using server = await startSqs();
const ours = await ourWay(server.url, "bench");
const bare = await bareWay(server.url, "bench");
const taken: { readonly ours: Taken; readonly bare: Taken }[] = [];
for (let number = -WARM_UP; number < rounds; number++) {
  const isOursFirst = number % 2 === 0;
  const first = await round(isOursFirst ? ours : bare);
  const second = await round(isOursFirst ? bare : ours);
  if (number >= 0) taken.push(isOursFirst ? { ours: first, bare: second } : { ours: second, bare: first });
}
await ours.close();
await bare.close();

const perSecond = (ms: number): number => (messages * 1000) / ms;
printTitle(
  `SQS beside the SDK by hand, median of ${rounds} rounds of ${messages} messages with a 95 % interval`,
);
for (const what of ["send", "consume"] as const) {
  const ratio: Estimate = estimate(taken.map((one) => one.bare[what].wallMs / one.ours[what].wallMs));
  const processor = estimate(taken.map((one) => one.bare[what].processorMs / one.ours[what].processorMs));
  printTable(
    [what, "ratio", "of processor time", "ours, messages/s", "SDK, messages/s"],
    [
      [
        `standard queue, prefetch 100`,
        shown(ratio, 2),
        shown(processor, 2),
        shown(estimate(taken.map((one) => perSecond(one.ours[what].wallMs))), 0),
        shown(estimate(taken.map((one) => perSecond(one.bare[what].wallMs))), 0),
      ],
    ],
  );
  gate(ratio.median >= LEAST, `${what}: at least ${LEAST} of the SDK by hand\n`);
}
