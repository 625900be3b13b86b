/** The service of `grpc-bare.ts` on `@framework/grpc`. */
import { App } from "@framework/core";
import { bookOf } from "./grpc-book.ts";
import { grpc, GrpcError, protoService } from "./grpc-package.ts";
import { serveProcessMetrics } from "./process-metrics.ts";

const library = protoService("bench.v1.Library", new URL("../grpc/library.proto", import.meta.url));
const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:0" });
app.addGrpcService(library, {
  GetBook: (request: unknown) => {
    const { id } = request as { readonly id: number };
    if (id < 1) throw new GrpcError("NOT_FOUND", "no book has this id");
    return bookOf(id);
  },
});
await serveProcessMetrics();
await app.run({ port: 0, env: "production", workers: 1, argv: [], logs: false });
console.log(`{"grpc":${app.grpcAddress?.port}}\nhttp://127.0.0.1:${app.grpcAddress?.port}`);
