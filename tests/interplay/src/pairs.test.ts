// oxlint-disable jest/expect-expect -- the kits assert
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { askAll } from "./ask.test-kit.ts";
import { judgeReplies } from "./judge.test-kit.ts";
import { judgeRecords } from "./records.test-kit.ts";
import { type Order, stackOf } from "./stack.test-kit.ts";
import { toggleNames } from "./toggles.test-kit.ts";
import { transcriptOf } from "./transcript.test-kit.ts";

/** Sends every row to an app, compares the replies with the requirements, and returns what clients saw. */
const played = async (order: Order): Promise<readonly string[]> => {
  const stack = stackOf(order);
  await using client = testClient(stack, { env: "production" });
  const answered = await askAll(client, stack);
  judgeReplies(answered, stack);
  await judgeRecords(answered, stack);
  return transcriptOf(answered);
};

const pairs = toggleNames.flatMap((one, at) =>
  toggleNames.slice(at + 1).map((other) => [one, other] as const),
);

test.each(pairs)("%s and %s reply identically in any order", async (one, other) => {
  const [there, back] = [
    [one, other],
    [other, one],
  ];
  const [first, second] = await Promise.all([
    played({ installed: there, enabled: back }),
    played({ installed: back, enabled: there }),
  ]);
  expect(second).toEqual(first);
});

test.each(toggleNames.map((name) => [name]))("%s alone satisfies its requirements", async (name) => {
  await played({ installed: toggleNames, enabled: [name] });
});
