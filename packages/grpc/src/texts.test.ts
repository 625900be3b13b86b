import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import type { handleUnaryCall } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { z } from "zod";
import { grpcClient } from "./client.ts";
import { failure, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { grpcService, protoService } from "./index.ts";
import { framed, rawCall } from "./raw-call.test-kit.ts";

const text = z.object({ text: z.string() });
const inner = z.object({ inner: text.optional(), names: z.record(z.string(), z.string()).optional() });

const echo = grpcService("texts.v1.Echo", {
  methods: { Say: { request: text, response: text }, Nest: { request: inner, response: text } },
});

interface LoansHandlers {
  GetLoan: handleUnaryCall<{ readonly id: number }, { readonly readerName?: string }>;
}

const loans = protoService<LoansHandlers>(
  "library.v1.Loans",
  new URL("./testing/library.proto", import.meta.url),
);

let served: ServedApp;
let seen: unknown[] = [];

beforeAll(async () => {
  const keep = (message: unknown): { text: string } => {
    seen.push(message);
    return { text: "" };
  };
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(echo, { Say: keep, Nest: keep });
    app.addGrpcService("texts.v1.Plain", ["Say"]);
    app.grpcMethod("texts.v1.Plain", "Say", (message) => {
      seen.push(message);
      return {};
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

const status = async (method: string, bytes: readonly number[]): Promise<string> => {
  const reply = await rawCall(served.target, { path: `/${method}`, body: framed(Buffer.from(bytes)) });
  return reply.status;
};

test("a truncated string ends the call with INTERNAL, and reaches no handler", async () => {
  seen = [];
  expect(await status("texts.v1.Echo/Say", [10, 9, 97])).toBe("13");
  expect(await status("texts.v1.Echo/Nest", [10, 3, 10, 9, 97, 18, 0])).toBe("13"); // the nested message ends within the string
  expect(await status("texts.v1.Echo/Nest", [18, 3, 10, 9, 97])).toBe("13");
  expect(await status("texts.v1.Plain/Say", [10, 3, 10, 9, 97])).toBe("13");
  expect(seen).toEqual([]);
});

test("a string that is not UTF-8 ends the call with INTERNAL", async () => {
  seen = [];
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]])
    expect(await status("texts.v1.Echo/Say", [10, bytes.length, ...bytes])).toBe("13");
  expect(seen).toEqual([]);
});

test("a string with control characters, U+FFFD and emoji arrives unchanged", async () => {
  seen = [];
  const value = "\u{FEFF}a\0\u{E4}\u{FFFD}\u{1F600}";
  const bytes = Buffer.from(value);
  expect(await status("texts.v1.Echo/Say", [10, bytes.length, ...bytes])).toBe("0");
  expect(await status("texts.v1.Echo/Say", [10, 0])).toBe("0");
  expect(seen).toEqual([{ text: value }, { text: "" }]);
});

test("a response with a malformed string is INTERNAL for the client", async () => {
  const server = createServer();
  let response: readonly number[] = [];
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(framed(Buffer.from(response)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  using echoClient = grpcClient(echo, target);
  using loansClient = grpcClient(loans, target);
  for (const end of [
    [9, 97],
    [1, 0xff],
  ]) {
    response = [10, ...end];
    expect(await failure(echoClient.Say({ text: "" }))).toMatchObject({ status: "INTERNAL" });
    response = [34, ...end];
    expect(await failure(loansClient.GetLoan({ id: 1 }))).toMatchObject({ status: "INTERNAL" });
  }
  server.close();
});
