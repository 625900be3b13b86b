// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { once } from "node:events";
import { App } from "@framework/core";
import { eachClient, socketClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { ApiKeyAuth, ApiKeyName, type ApiKeys } from "../index.ts";

const digest = createHash("sha256").update("hashed-key-1").digest("hex");
const keys = {
  "key-of-billing": "billing",
  "new-key-of-billing": "billing",
  "key~!of:shop": "shop",
  [`sha256:${digest}`]: "store",
};

const createApp = (header?: string) => {
  const app = new App().use(new ApiKeyAuth(keys, header));
  app.get("/", ({ context }) => ({ name: context.get(ApiKeyName), byName: context.get("api_key_name") }));
  return app;
};

const missing = '{"error":"Unauthorized","detail":"Authentication required","status":401}';
const invalid = '{"error":"Unauthorized","detail":"Invalid API key","status":401}';

const attacks: readonly (readonly [name: string, headers: Record<string, string>, body?: string])[] = [
  ["nothing", {}, missing],
  ["an empty field", { "x-api-key": "" }, missing],
  ["another field", { "api-key": "key-of-billing" }, missing],
  ["Authorization", { authorization: "ApiKey key-of-billing" }, missing],
  ["Bearer", { authorization: "Bearer key-of-billing" }, missing],
  ["a cookie", { cookie: "X-API-Key=key-of-billing" }, missing],
  ["an underscore", { x_api_key: "key-of-billing" }, missing],
  ["the name of a service", { "x-api-key": "billing" }],
  ["an unknown key", { "x-api-key": "unknown" }],
  ["a key in a different case", { "x-api-key": "KEY-of-billing" }],
  ["the start of a key", { "x-api-key": "key-of-billin" }],
  ["a key with a suffix", { "x-api-key": "key-of-billing1" }],
  ["a space inside the key", { "x-api-key": "key-of -billing" }],
  ["quotes", { "x-api-key": '"key-of-billing"' }],
  ["a scheme", { "x-api-key": "ApiKey key-of-billing" }],
  ["a list", { "x-api-key": "key-of-billing, key-of-billing" }],
  ["a list without spaces", { "x-api-key": "key-of-billing,key-of-billing" }],
  ["a list with one key", { "x-api-key": "key-of-billing," }],
  ["a key among others", { "x-api-key": "x key-of-billing" }],
  ["__proto__", { "x-api-key": "__proto__" }],
  ["constructor", { "x-api-key": "constructor" }],
  ["toString", { "x-api-key": "toString" }],
  ["hasOwnProperty", { "x-api-key": "hasOwnProperty" }],
  ["undefined", { "x-api-key": "undefined" }],
  ["null", { "x-api-key": "null" }],
  ["0", { "x-api-key": "0" }],
  ["-1", { "x-api-key": "-1" }],
  ["*", { "x-api-key": "*" }],
  ["a percent sign", { "x-api-key": "%" }],
  ["an escaped key", { "x-api-key": "key%2Dof%2Dbilling" }],
  ["a pattern", { "x-api-key": "key-.*" }],
  ["a digest", { "x-api-key": digest }],
  ["a digest with its prefix", { "x-api-key": `sha256:${digest}` }],
  ["a digest in capitals", { "x-api-key": `SHA256:${digest.toUpperCase()}` }],
  ["a key in Base64", { "x-api-key": Buffer.from("key-of-billing").toString("base64") }],
  ["a key in hexadecimal", { "x-api-key": Buffer.from("key-of-billing").toString("hex") }],
  ["a very long key", { "x-api-key": "k".repeat(5000) }],
  ["a Latin-1 letter", { "x-api-key": "key-of-billing\u00e9" }],
  ["SQL", { "x-api-key": "' OR '1'='1" }],
  ["JSON", { "x-api-key": '{"$ne":null}' }],
  ["a JSON list", { "x-api-key": '["key-of-billing"]' }],
];

test("the list has more than 40 attacks", () => expect(attacks.length).toBeGreaterThan(40));

eachClient(test, createApp, {
  "a key sets the name of its service; two keys may share a name, and a digest may replace its key": async (
    client,
  ) => {
    for (const [key, name] of [
      ["key-of-billing", "billing"],
      ["new-key-of-billing", "billing"],
      ["key~!of:shop", "shop"],
      ["hashed-key-1", "store"],
    ] as const)
      for (const header of ["x-api-key", "X-API-KEY"]) {
        const reply = await client.get("/", { headers: { [header]: key } });
        expect([reply.status, reply.json()]).toEqual([200, { name, byName: name }]);
      }
  },
  "requests without a valid key get 401, with the same body unless the key is missing": async (client) => {
    for (const [name, headers, body = invalid] of attacks) {
      const reply = await client.get("/", { headers });
      const seen = [name, reply.status, reply.text, reply.headers.get("www-authenticate")];
      expect(seen).toEqual([name, 401, body, 'ApiKey header="X-API-Key"']);
    }
  },
});

test.each(["fast", "node"] as const)(
  "a repeated field is refused, even with one valid key (%s)",
  async (transport) => {
    await using client = socketClient(createApp(), { transport });
    const { port } = new URL(await client.url("/"));
    const socket = connect(Number(port), "127.0.0.1");
    const field = "X-API-Key: key-of-billing\r\n";
    socket.write(`GET / HTTP/1.1\r\nHost: x.test\r\n${field}${field.toLowerCase()}Connection: close\r\n\r\n`);
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    await once(socket, "close");
    expect([text.slice(9, 12), text.includes("Invalid API key")]).toEqual(["401", true]);
  },
);

test("the second argument sets the field and its name in the challenge", async () => {
  await using client = testClient(createApp("Service-Token"));
  expect((await client.get("/", { headers: { "service-token": "hashed-key-1" } })).status).toBe(200);
  const reply = await client.get("/", { headers: { "x-api-key": "hashed-key-1" } });
  expect(reply.headers.get("www-authenticate")).toBe('ApiKey header="Service-Token"');
});

test("keys may be a Map, in which names such as __proto__ are ordinary keys", async () => {
  const app = new App().use(
    new ApiKeyAuth(
      new Map([
        ["__proto__", "odd"],
        ["constructor", "odder"],
      ]),
    ),
  );
  app.get("/", ({ context }) => context.get(ApiKeyName) ?? "");
  await using client = testClient(app);
  const names = await Promise.all(
    ["__proto__", "constructor", "toString"].map(async (key) =>
      client.get("/", { headers: { "x-api-key": key } }),
    ),
  );
  expect(names.map(({ status }) => status)).toEqual([200, 200, 401]);
});

test.each<[string, ApiKeys, string?]>([
  ["no keys", {}],
  ["an empty key", { "": "a" }],
  ["a key with a comma", { "a,b": "a" }],
  ["a key with a space", { "a b": "a" }],
  ["a key with non-ASCII characters", { "schlüssel-ключ": "a" }],
  ["a list of keys without names", ["secret-key-1"] as unknown as ApiKeys],
  ["a pair in place of a list of pairs", ["key-1", "a"] as unknown as ApiKeys],
  ["a pair with a third item", [["key-1", "a", 1]] as unknown as ApiKeys],
  ["an object without a prototype as key", [[Object.create(null), "a"]] as unknown as ApiKeys],
  ["a string", "secret-key-1" as unknown as ApiKeys],
  ["null", null as unknown as ApiKeys],
  ["nothing", undefined as unknown as ApiKeys],
  ["the key of an unset variable", { [String(undefined)]: "a" }],
  ["a key that was null", { [String(null)]: "a" }],
  ["a truncated digest", { "sha256:abc": "a" }],
  ["an empty name", { key: "" }],
  ["a name that is not a string", { key: 1 as unknown as string }],
  ["a key and its own digest", { "hashed-key-1": "a", [`sha256:${digest}`]: "b" }],
  [
    "a duplicate key",
    [
      ["k", "a"],
      ["k", "b"],
    ],
  ],
  ["more than 1,000 keys", Array.from({ length: 1001 }, (_, at) => [`key-${at}`, "a"] as const)],
  ["an invalid field name", { key: "a" }, "X API Key"],
  ["a field name that would break the challenge", { key: "a" }, 'X", evil="'],
])("start fails with %s, without revealing a key", async (...[, given, header]) => {
  const error: unknown = await new App()
    .use(new ApiKeyAuth(given, header))
    .start()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "AUTH_BAD_API_KEY" });
  expect(String(error)).not.toMatch(/hashed-key-1|secret-key-1|key-7|a,b/);
});
