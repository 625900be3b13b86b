import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { aBook, catalog, serve, type ServedApp } from "./grpc-app.test-kit.ts";
import { framed, rawCall, type RawRequest } from "./raw-call.test-kit.ts";

let served: ServedApp;
let deadlines: (number | null)[] = [];

beforeAll(async () => {
  served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0", maxMetadataBytes: 4096, maxCallSecs: 0 });
    app.addGrpcService(catalog, {
      GetBook: async ({ id }, call) => {
        deadlines.push(call.remainingMs());
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { ...aBook(id), title: call.metadata.get("x-title") ?? "" };
      },
    });
  });
});

afterAll(() => served[Symbol.asyncDispose]());

const call = async (request: RawRequest): Promise<string> =>
  (await rawCall(served.target, { body: framed(Buffer.from([8, 1])), ...request })).status;

test.each(["2160000S", "99999999H", "1000000M"])(
  "a distant deadline, %s, does not end the call",
  async (timeout) => {
    deadlines = [];
    expect(await call({ headers: { "grpc-timeout": timeout } })).toBe("0");
    expect(deadlines[0]).toBeGreaterThan(20 * 24 * 3_600_000);
  },
);

test.each(["123456789S", "1 S", "S", "1", "-1S", "1s", "x1S", "1Sx", "1.5S", ""])(
  "a malformed grpc-timeout %j is INTERNAL",
  async (timeout) => {
    deadlines = [];
    expect(await call({ headers: { "grpc-timeout": timeout } })).toBe("13");
    expect(deadlines).toEqual([]);
  },
);

test.each([
  ["text that is not ASCII", { "x-title": "caf\u00e9" }],
  ["bytes that are not Base64", { "x-key-bin": "!!!!" }],
  ["one invalid value of several", { "x-key-bin": "AAAA, ?" }],
])("metadata with %s is INTERNAL", async (_, headers) => {
  expect(await call({ headers })).toBe("13");
});

test("request headers above the limit, path included, are RESOURCE_EXHAUSTED", async () => {
  expect(await call({ headers: { "x-title": "x".repeat(5000) } })).toBe("8");
  expect(await call({ path: `/${"x".repeat(5000)}/y` })).toBe("8");
});

test("a method that does not exist is UNIMPLEMENTED, and its name is percent-encoded", async () => {
  const { status, fields } = await rawCall(served.target, { path: "/books.v1.Catalog/caf\u00e9%" });
  expect(status).toBe("12");
  expect(decodeURIComponent(fields["grpc-message"] ?? "")).toContain("books.v1.Catalog/");
});

test("a request that is not a POST is 405", async () => {
  const { status, fields } = await rawCall(served.target, { method: "GET" });
  expect([status, fields[":status"], fields["allow"]]).toEqual(["reset", "405", "POST"]);
});
