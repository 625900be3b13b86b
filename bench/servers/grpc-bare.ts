/** Hand-written service on bare grpc-js with proto-loader. */
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { bookOf } from "./grpc-book.ts";
import { serveProcessMetrics } from "./process-metrics.ts";

const definition = loadSync(fileURLToPath(new URL("../grpc/library.proto", import.meta.url)), {
  defaults: true, // like the framework
});
const service = definition["bench.v1.Library"] as grpc.ServiceDefinition;
const server = new grpc.Server();
server.addService(service, {
  GetBook: (
    { request: { id } }: { readonly request: { readonly id: number } },
    callback: grpc.sendUnaryData<object>,
  ) => {
    if (id < 1) return callback({ code: grpc.status.NOT_FOUND, details: "no book has this id" });
    callback(null, bookOf(id));
  },
});
await serveProcessMetrics();
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  console.log(`{"grpc":${port}}\nhttp://127.0.0.1:${port}`);
});
