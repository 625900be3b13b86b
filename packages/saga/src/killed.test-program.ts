// One process of the kill tests: prints `ready`, waits for `go`, and runs sagas until it is killed.
import { openDatabase } from "@framework/database";
import { createKernel } from "@framework/durable/feature";
import { untilGo } from "@framework/warm-processes";
import { orderSaga } from "./killed.test-sagas.ts";
import { SagaSet } from "./saga-set.ts";
import { shiftedClock } from "./testing/shifted-clock.test-kit.ts";

const { DATABASE = "", CLOCK_AHEAD_MS = "0" } = process.env;
const clock = shiftedClock(Number(CLOCK_AHEAD_MS));
const db = openDatabase({ url: DATABASE, connectionTimeoutSecs: 60, poolSize: 4 });
const log = { info() {}, warn() {}, error() {} };
const kernel = createKernel(db, { config: { pollMinMs: 5, pollMaxMs: 50, leaseMs: 600_000 }, log, clock });
const set = new SagaSet({
  kernel,
  clock,
  log: () => log,
  problem({ message }) {
    throw new Error(message);
  },
});
set.define(orderSaga(db));
await db.fetchValue("SELECT 1");
await untilGo();
await kernel.start();
