// The context of a step whose transaction runs again after a conflict.
import { DatabaseError } from "@framework/database";
import { expect, test } from "@jest/globals";
import { bench } from "./bench.test-kit.ts";
import { saga, SagaReject } from "./index.ts";

test("each run of a tx step and of its undo gets the outputs as they were stored", async () => {
  const seen: string[] = [];
  const take = (step: string, items: string[]): void => {
    seen.push(`${step} ${items.join("")}`);
    items.length = 0;
    if (seen.length % 2 === 1) throw new DatabaseError("deadlock", "a deadlock", { sqlCode: "40P01" });
  };
  const definition = saga("import", 1)
    .call("list", () => ["a", "b"])
    .tx("store", ({ outputs }) => take("store", outputs.list), {
      undo: ({ outputs }) => take("undo", outputs.list),
    })
    .call("report", () => {
      throw new SagaReject("no reader");
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect(seen).toEqual(["store ab", "store ab", "undo ab", "undo ab"]);
  expect(await own.info(id)).toMatchObject({ status: "compensated", steps: [{}, { attempts: 1 }, {}] });
});
