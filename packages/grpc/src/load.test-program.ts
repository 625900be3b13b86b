// Serves slow calls; prints at exit how many handlers began and how many ended.
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { App, Response } from "@framework/core";
import { grpc } from "./index.ts";
import { loadService } from "./load-service.test-kit.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let begun = 0;
let ended = 0;
const app = new (App.with(grpc))();
app.enableGrpc({ address: "127.0.0.1:0", concurrencyLimit: 1000 });
app.addGrpcService(loadService, {
  async One({ n }) {
    begun++;
    await pause(20);
    ended++;
    return { n };
  },
  async *Count({ n }) {
    begun++;
    for (let at = 1; at <= n; at++) {
      await pause(5);
      yield { n: at };
    }
    ended++;
  },
  async Sum(values) {
    begun++;
    let sum = 0;
    for await (const { n } of values) sum += n;
    ended++;
    return { n: sum };
  },
  async *Echo(values) {
    begun++;
    for await (const each of values) yield each;
    ended++;
  },
});
app.get("/port", () => app.grpcAddress);
app.get("/memory", () => {
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return Response.json({ rss, heapUsed, external, begun, ended });
});
app.onEvent("shutdown", () => console.log(`handlers ${begun} ${ended}`));
await app.run();
