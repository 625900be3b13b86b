// Calls services from a page in Chromium with the grpc-web client, across origins: `pnpm browser`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { App, Response } from "@framework/core";
import { cors } from "@framework/cors";
import { noChromium, startChromium } from "@framework/browser";
import { grpc, GrpcError } from "../index.ts";
import { catalog } from "../grpc-app.test-kit.ts";

const options = { host: "127.0.0.1", port: 0, argv: [], environment: {}, logs: false, workers: 1 };
const library = readFileSync(createRequire(import.meta.url).resolve("grpc-web"), "utf8");

/** Runs in the page: makes a unary call, a failing call and a streaming call, with messages as bytes. */
const callAll = async (url: string, format: string): Promise<unknown> => {
  interface Client {
    unaryCall(path: string, request: object, metadata: object, method: object): Promise<Uint8Array>;
    serverStreaming(
      path: string,
      request: object,
      metadata: object,
      method: object,
    ): {
      on(event: string, listener: (value: never) => void): void;
    };
  }
  interface Library {
    GrpcWebClientBase: new (options: object) => Client;
    MethodDescriptor: new (...parts: unknown[]) => object;
    MethodType: { UNARY: string; SERVER_STREAMING: string };
  }
  const { GrpcWebClientBase, MethodDescriptor, MethodType } = (
    globalThis as unknown as { readonly grpcWeb: Library }
  ).grpcWeb;
  class Request {
    readonly bytes: number[];
    constructor(bytes: number[]) {
      this.bytes = bytes;
    }
  }
  const encode = ({ bytes }: Request): Uint8Array => new Uint8Array(bytes);
  const describe = (name: string, type: string): object =>
    new MethodDescriptor(
      `/books.v1.Catalog/${name}`,
      type,
      Request,
      Object,
      encode,
      (bytes: Uint8Array) => bytes,
    );
  const client = new GrpcWebClientBase({ format });
  const get = (id: number[]): Promise<Uint8Array> =>
    client.unaryCall(
      `${url}/books.v1.Catalog/GetBook`,
      new Request([8, ...id]),
      { authorization: "Bearer x", deadline: String(Date.now() + 60_000) },
      describe("GetBook", MethodType.UNARY),
    );
  const one = Array.from(await get([7]));
  const missing = await get([0x94, 3]).catch((error: { code: number; message: string }) => [
    error.code,
    error.message,
  ]);
  const many = await new Promise((resolve) => {
    const found: number[] = [];
    const stream = client.serverStreaming(
      `${url}/books.v1.Catalog/ListBooks`,
      new Request([8, 3]),
      {},
      describe("ListBooks", MethodType.SERVER_STREAMING),
    );
    stream.on("data", (bytes: Uint8Array) => found.push(bytes[1] ?? -1));
    stream.on("error", (error: { code: number }) => resolve(["error", error.code]));
    stream.on("end", () => resolve(found));
  });
  return { one, missing, many };
};

void test(
  "a page from another origin calls unary methods and streams, and reads the status",
  { skip: noChromium() },
  async () => {
    const page = new App();
    page.get("/", () => Response.html("<!doctype html><title>page</title>"));
    await using services = new AsyncDisposableStack();
    const start = async (service: App): Promise<string> => {
      const running = await service.run(options);
      services.defer(() => running.close());
      return running.url.replace(/\/$/, "");
    };
    const origin = await start(page);
    class Service extends App.with(cors, grpc) {}
    const app = new Service().enableCors([origin]).enableGrpc({ address: "127.0.0.1:0", enableWeb: true });
    app.addGrpcService(catalog, {
      GetBook: ({ id }, { metadata }) => {
        if (id === 404) throw new GrpcError("NOT_FOUND", "no such bøok");
        return { id, title: metadata.get("authorization") ?? "", tags: [] };
      },
      *ListBooks({ count }) {
        for (let id = 1; id <= count; id++) yield { id, title: "", tags: [] };
      },
    });
    const url = await start(app);
    await using chromium = await startChromium();
    const visit = await chromium.visit(origin);
    await visit.evaluate(
      `(() => { const module = { exports: {} }; const { exports } = module; ${library}\n; globalThis.grpcWeb = module.exports; })()`,
    );
    const title = Array.from(Buffer.from("Bearer x"));
    for (const format of ["text", "binary"]) {
      const seen = (await visit.run(callAll, url, format)) as Readonly<Record<string, unknown>>;
      assert.deepEqual(seen["one"], [8, 7, 18, title.length, ...title]);
      assert.deepEqual(seen["missing"], [5, "no such bøok"]);
      if (format === "text") assert.deepEqual(seen["many"], [1, 2, 3]); // grpc-web supports streams only in this format
    }
  },
);
