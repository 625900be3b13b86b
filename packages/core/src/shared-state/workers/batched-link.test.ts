import { expect, test } from "@jest/globals";
import { virtualClock } from "../../runtime/virtual-clock.ts";
import { sharedStateContract } from "../contract/shared-state-contract.ts";
import { inProcessState } from "../in-process-state.ts";
import { batchedLink } from "./batched-link.ts";
import { memoryLink } from "./memory-link.ts";
import type { PrimaryLink } from "./primary-link.ts";
import { primaryState } from "./primary-state.ts";
import { serveSharedState } from "./serve-shared-state.ts";

const quiet = { error: () => {} };

/** Ends a turn with a microtask, because a virtual clock runs microtasks. */
const afterTurn = queueMicrotask;

const cluster = () => {
  const clock = virtualClock();
  const state = inProcessState({ clock, log: quiet, timeoutMs: Infinity });
  const links: PrimaryLink[] = [];
  const sent = { byWorkers: 0, byPrimary: 0 };
  const join = () => {
    const { worker, primary, close } = memoryLink();
    worker.onMessage(() => sent.byPrimary++);
    primary.onMessage(() => sent.byWorkers++);
    links.push(batchedLink(primary, afterTurn));
    return { close, state: primaryState(batchedLink(worker, afterTurn), { clock, log: quiet }) };
  };
  const workers = [join(), join()] as const;
  serveSharedState(state, {
    onWorker(listener) {
      for (const link of links) listener(link);
      return () => {};
    },
  });
  return { workers, sent, advance: clock.advance };
};

sharedStateContract(test, () => {
  const { workers, advance } = cluster();
  return { views: [workers[0].state, workers[1].state], advance };
});

test("the calls of one turn are sent as one message, in their order, and so are their results", async () => {
  const { workers, sent } = cluster();
  const { values } = workers[0].state;
  const added = await Promise.all(
    Array.from({ length: 50 }, async () => await values.add("n", 1, { ttlMs: 1000 })),
  );
  expect(added.map(({ value }) => value)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(sent).toEqual({ byWorkers: 1, byPrimary: 1 });
});

test("unsent calls fail when the channel closes", async () => {
  const { workers } = cluster();
  const call = Promise.resolve(workers[0].state.values.add("n", 1, { ttlMs: 1000 }));
  workers[0].close();
  await expect(call).rejects.toMatchObject({ code: "CORE_SHARED_STATE_UNAVAILABLE" });
});

test("messages of the program reach the listeners unchanged, whatever their type", () => {
  const received: unknown[] = [];
  let arrive: (message: unknown) => void = () => {};
  const link: PrimaryLink = {
    send: () => {},
    onMessage: (listener) => {
      arrive = listener;
      return () => {};
    },
    onClose: () => {},
  };
  batchedLink(link, afterTurn).onMessage((message) => void received.push(message));
  const own = [{ type: "batch", items: [1] }, { type: "batch", messages: ["a"] }, "batch", null];
  for (const message of own) arrive(message);
  expect(received).toEqual(own);
});
