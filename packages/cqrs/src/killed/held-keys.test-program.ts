// A process that is killed while the handler of a route with idempotency keys runs.
import { untilGo } from "@framework/warm-processes";
import { holdingApp, order } from "./holding-app.test-kit.ts";

const { DATABASE = "", AT = "0" } = process.env;
const app = holdingApp(DATABASE, true);
await app.start({ log: { info() {}, warn() {}, error() {} } });
await order(app, `warm-${AT}`); // registers the process as an owner of leases
await untilGo();
await order(app, `hang-${AT}`);
