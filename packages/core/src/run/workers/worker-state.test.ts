import { expect, test } from "@jest/globals";
import { memoryLink } from "../../shared-state/workers/memory-link.ts";
import { primaryState } from "../../shared-state/workers/primary-state.ts";
import { stateForWorkers } from "./worker-state.ts";

const log = { info() {}, warn() {}, error() {} };

test("workers that together have more than 100,000 subscriptions get all messages", async () => {
  const { connect, close } = stateForWorkers(log, () => {});
  const seen: string[] = [];
  const workers = ["a", "b"].map((name) => {
    const { primary, worker } = memoryLink();
    connect({ pid: 1, link: primary, send() {}, take() {}, kill() {} });
    const { values } = primaryState(worker, { log });
    for (let index = 0; index <= 50_000; index++)
      values.subscribe(`${name} ${index}`, () => void seen.push(name));
    return values;
  });
  for (const values of workers) await values.get("ready");
  for (const name of ["a", "b"]) await workers[0]?.publish(`${name} 50000`, 1);
  expect(seen).toEqual(["a", "b"]);
  close();
});
