// Calls services from Python with grpcio, by reflection: `pnpm python`, with grpcio-reflection in `python3` or in FRAMEWORK_PYTHON.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { aBook, catalog, serve } from "../grpc-app.test-kit.ts";
import { GrpcError } from "../index.ts";

const python = process.env["FRAMEWORK_PYTHON"] ?? "python3";
const script = fileURLToPath(new URL("./grpcio-client.py", import.meta.url));

void test("grpcio calls all four kinds by reflection", async () => {
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", reflection: true });
    app.addGrpcService(catalog, {
      GetBook: ({ id }, call) => {
        if (id === 404)
          throw new GrpcError("NOT_FOUND", "no such bøok", {
            metadata: { "x-shelf-bin": new Uint8Array([7]) },
          });
        if (id === 408)
          return new Promise((_, reject) =>
            call.signal.addEventListener("abort", () => reject(call.signal.reason as Error)),
          );
        call.responseHeaders.set("x-served-by", "framework");
        for (const bytes of call.metadata.getBinary("x-raw-bin")) call.trailers.append("x-raw-bin", bytes);
        return {
          ...aBook(id),
          title: call.metadata.get("x-title") ?? "",
          extra: { a: "1" },
          note: [1, { deep: null }],
        };
      },
      *ListBooks({ count }) {
        for (let id = 1; id <= count; id++) yield aBook(id);
      },
      async AddBooks(books) {
        let added = 0;
        for await (const { tags } of books) added += 1 + tags.length;
        return { added };
      },
      async *Chat(lines) {
        for await (const { text } of lines) yield { text: `re: ${text}` };
      },
    });
  });
  const env = { ...process.env, NO_PROXY: "*", no_proxy: "*" };
  const { stdout } = await promisify(execFile)(python, [script, served.target], {
    env,
    timeout: 100_000,
    cwd: "/",
  });
  const { late, missing, ...rest } = JSON.parse(stdout) as Readonly<Record<string, unknown>> & {
    readonly late: readonly [string, string, object];
    readonly missing: readonly [string, string, Readonly<Record<string, string>>];
  };
  assert.equal(late[0], "DEADLINE_EXCEEDED");
  assert.deepEqual(missing.slice(0, 2), ["NOT_FOUND", "no such bøok"]);
  assert.equal(missing[2]["x-shelf-bin"], "07");
  assert.deepEqual(rest, {
    services: [
      "books.v1.Catalog",
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
    ],
    unary: { id: "7", title: "Dune", extra: { a: "1" }, note: [1, { deep: null }] },
    headers: "framework",
    trailers: "00ff",
    stream: Array.from({ length: 50 }, (_, at) => at + 1),
    cancelled: "CANCELLED",
    added: { added: "3" },
    chat: ["re: one", "re: two"],
  });
});
