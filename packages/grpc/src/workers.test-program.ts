import { App } from "@framework/core";
import { grpc } from "./index.ts";

const app = new (App.with(grpc))();
app.enableGrpc({ address: "127.0.0.1:0" });
app.addGrpcService("test.Workers", ["Which"]);
app.grpcMethod("test.Workers", "Which", async () => {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { pid: process.pid };
});
app.get("/port", () => app.grpcAddress);
await app.run();
