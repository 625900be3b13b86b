// oxlint-disable jest/expect-expect -- the kits assert
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sendRows } from "./send-rows.test-kit.ts";
import { checkReplies } from "./check-replies.test-kit.ts";
import { checkRecords } from "./check-records.test-kit.ts";
import { type Order, stackOf } from "./stack.test-kit.ts";
import { toggleNames } from "./toggles.test-kit.ts";
import { transcriptOf } from "./transcript.test-kit.ts";

/** Sends every row to an app, checks the replies, and returns their transcript. */
const runRows = async (order: Order): Promise<readonly string[]> => {
  const stack = stackOf(order);
  await using client = testClient(stack, { env: "production" });
  const results = await sendRows(client, stack);
  checkReplies(results, stack);
  await checkRecords(results, stack);
  return transcriptOf(results);
};

const pairs = toggleNames.flatMap((one, at) =>
  toggleNames.slice(at + 1).map((other) => [one, other] as const),
);

test.each(pairs)("with %s and %s, clients get the same replies in either order", async (one, other) => {
  const [forward, backward] = [
    [one, other],
    [other, one],
  ];
  const [first, second] = await Promise.all([
    runRows({ installed: forward, enabled: backward }),
    runRows({ installed: backward, enabled: forward }),
  ]);
  expect(second).toEqual(first);
});

test.each(toggleNames.map((name) => [name]))("%s alone satisfies its requirements", async (name) => {
  await runRows({ installed: toggleNames, enabled: [name] });
});
