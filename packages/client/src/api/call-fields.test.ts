import { expect, test } from "@jest/globals";
import type { ClientOptions } from "./create-client.ts";
import { importClient } from "./generated-module.test-kit.ts";

const operation = (operationId: string, scheme: string) => ({
  get: { operationId, security: [{ [scheme]: [] }], responses: { 204: { description: "" } } },
});
const document = {
  openapi: "3.1.0",
  info: { title: "Fields", version: "1" },
  paths: {
    "/token": operation("token", "token"),
    "/field": operation("field", "field"),
    "/query": operation("query", "query"),
    "/lists": {
      get: {
        operationId: "lists",
        parameters: [
          { name: "comma", in: "query", explode: false, schema: { type: "array", items: {} } },
          { name: "pipe", in: "query", style: "pipeDelimited", schema: { type: "array", items: {} } },
          { name: "each", in: "query", schema: { type: "array", items: {} } },
          { name: "record", in: "query", explode: false, schema: { type: "object" } },
        ],
        responses: { 204: { description: "" } },
      },
    },
  },
  components: {
    securitySchemes: {
      token: { type: "http", scheme: "bearer" },
      field: { type: "apiKey", in: "header", name: "X-API-Key" },
      query: { type: "apiKey", in: "query", name: "api_key" },
    },
  },
};
const credentials = { token: "t", field: "f", query: "q" };

/** Returns the request that a call sends. */
const sentBy = async (name: string, input: object, options: ClientOptions = {}): Promise<Request> => {
  const sent: Request[] = [];
  const fetch = (request: Request): Response => {
    sent.push(request);
    return new Response(null, { status: 204 });
  };
  const createClient = await importClient(document);
  await using client = createClient("http://api.test", { credentials, fetch, ...options });
  await client[name]?.(input);
  return sent[0] ?? Promise.reject(new Error("nothing was sent"));
};

test("an empty list or record as a query parameter is not sent, in any style (RFC 6570 2.3)", async () => {
  const empty = { comma: [], pipe: [], each: [], record: {} };
  expect((await sentBy("lists", { query: empty })).url).toBe("http://api.test/lists");
  const full = { comma: [1, 2], pipe: [1, 2], each: [1, 2], record: { a: 1 } };
  expect((await sentBy("lists", { query: full })).url).toBe(
    "http://api.test/lists?comma=1,2&pipe=1%7C2&each=1&each=2&record=a,1",
  );
});

test("an `Accept` of the options that is undefined counts as not given", async () => {
  const sent = await sentBy("lists", {}, { headers: { accept: undefined as never } });
  expect(sent.headers.get("accept")).toBe("application/json, */*;q=0.8");
});

test.each(["authorization", "Authorization"])(
  "a call's own %s replaces the credential, undefined does not",
  async (name) => {
    const sent = async (value: unknown): Promise<string | null> =>
      (await sentBy("token", { headers: { [name]: value } })).headers.get("authorization");
    expect([await sent("Bearer own"), await sent(undefined)]).toEqual(["Bearer own", "Bearer t"]);
  },
);

test.each(["X-API-Key", "x-api-key"])(
  "a call's own %s replaces the API key, undefined does not",
  async (name) => {
    const sent = async (value: unknown): Promise<string | null> =>
      (await sentBy("field", { headers: { [name]: value } })).headers.get("x-api-key");
    expect([await sent("own"), await sent(undefined)]).toEqual(["own", "f"]);
  },
);

test("a call's own query parameter replaces the API key, undefined does not", async () => {
  const sent = async (value: unknown): Promise<string> =>
    (await sentBy("query", { query: { api_key: value } })).url;
  expect([await sent("own"), await sent(undefined)]).toEqual([
    "http://api.test/query?api_key=own",
    "http://api.test/query?api_key=q",
  ]);
});

test("Accept is the call's own, otherwise the client's, otherwise that of the operation", async () => {
  const sent = async (own: unknown, headers?: Record<string, string>): Promise<string | null> =>
    (await sentBy("token", { headers: { accept: own } }, headers && { headers })).headers.get("accept");
  const common = { Accept: "application/vnd.notes.v2+json" };
  expect(await sent("text/plain", common)).toBe("text/plain");
  expect(await sent(undefined, common)).toBe("application/vnd.notes.v2+json");
  expect(await sent(undefined)).toBe("application/json, */*;q=0.8");
});

test("a credential function that returns no string fails the call", async () => {
  const options = { credentials: { token: (() => undefined) as never } };
  const message = 'GET /token cannot send the credential of "token", which is not a string';
  await expect(sentBy("token", {}, options)).rejects.toMatchObject({ code: "CLIENT_BAD_PARAMETER", message });
});

test("a stream body is cancelled when the call fails before it is sent", async () => {
  const cancelled: unknown[] = [];
  const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
  const error = await sentBy("token", { body, quary: {} }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "CLIENT_BAD_PARAMETER" });
  expect(cancelled).toEqual([error]);
});
