import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel } from "../../feature.ts";
import { sqliteFile } from "../../testing/open-databases.test-kit.ts";

test("outcomes that cannot be written because the database is unavailable are not retried after the stop", async () => {
  await using file = await sqliteFile();
  const db = file.open();
  const clock = virtualClock();
  const kernel = createKernel(db, { clock, log: { info() {}, warn() {}, error() {} } });
  const end = Promise.withResolvers<void>();
  let begun = 0;
  const queue = kernel.queue<string>({
    name: "mail",
    handle() {
      begun++;
      return end.promise;
    },
  });
  await kernel.start();
  await queue.enqueue([{ payload: "a" }, { payload: "b" }]);
  await waitFor(() => begun === 2, { subject: "both handlers" });
  await db.close();
  let hasStopped = false;
  const stopped = kernel.drain(AbortSignal.abort()).then(() => kernel.stop());
  void stopped.then(() => (hasStopped = true));
  const isStopped = async (): Promise<boolean> => {
    await clock.advance(1000);
    return hasStopped;
  };
  await waitFor(isStopped, { subject: "the stop" });
  end.resolve(); // the handlers return after the stop
  for (let secs = 0; secs < 60; secs++) {
    await clock.advance(1000);
    await new Promise(setImmediate);
  }
  expect(clock.pending).toBe(0);
});
