import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { grpcService } from "../index.ts";
import { parseProto } from "../descriptors/parse-proto.ts";
import { protoOf } from "./resolve-schema-service.ts";

const serviceOf = (shape: z.ZodRawShape, proto?: URL) =>
  grpcService("a.v1.Service", {
    methods: { Do: { request: z.object(shape), response: z.object({}) } },
    ...(proto !== undefined && { proto }),
  });

const numbersOf = (text: string): Record<string, number> =>
  Object.fromEntries(
    parseProto(text)
      .lookupType("a.v1.DoRequest")
      .fieldsArray.map(({ name, id }) => [name, id]),
  );

test("a new field gets the next number, and existing fields keep theirs regardless of the order", () => {
  const first = protoOf(serviceOf({ b: z.string(), a: z.int() }), null);
  expect(numbersOf(first)).toEqual({ b: 1, a: 2 });
  const second = protoOf(serviceOf({ c: z.boolean(), a: z.int(), b: z.string() }), first);
  expect(numbersOf(second)).toEqual({ b: 1, a: 2, c: 3 });
});

test("the numbers of removed fields, and the old numbers of fields whose type changed, are never used again", () => {
  const first = protoOf(serviceOf({ a: z.string(), b: z.string() }), null);
  const second = protoOf(serviceOf({ a: z.string() }), first);
  expect(second).toContain("reserved 2;");
  expect(second).toContain('reserved "b";');
  const third = protoOf(serviceOf({ a: z.int(), b: z.string() }), second);
  expect(numbersOf(third)).toEqual({ a: 3, b: 4 });
  expect(third).toContain("reserved 1, 2;");
});

test("the numbers of a removed message stay reserved", () => {
  const first = protoOf(serviceOf({ a: z.object({ x: z.string() }) }), null);
  const second = protoOf(serviceOf({ b: z.string() }), first);
  expect(second).toMatch(/message DoRequestA \{\n {2}reserved 1;/);
  const third = protoOf(serviceOf({ b: z.string(), a: z.object({ x: z.string() }) }), second);
  expect(third).toMatch(/message DoRequestA \{\n {2}reserved 1;\n {2}string x = 2;/);
});

test("a number never gets a second meaning in any history of schemas", () => {
  const types = { s: z.string(), i: z.int(), b: z.boolean(), l: z.array(z.string()) };
  const schema = fc.dictionary(
    fc.constantFrom("a", "b", "c", "d", "e"),
    fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[])),
  );
  fc.assert(
    fc.property(fc.array(schema, { minLength: 1, maxLength: 8 }), (history) => {
      const meanings = new Map<number, string>();
      let text: string | null = null;
      for (const fields of history) {
        const shape = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, types[type]]));
        text = protoOf(serviceOf(shape), text);
        expect(protoOf(serviceOf(shape), text)).toBe(text);
        for (const [name, number] of Object.entries(numbersOf(text))) {
          const meaning = `${name}: ${fields[name]}`;
          expect(meanings.get(number) ?? meaning).toBe(meaning);
          meanings.set(number, meaning);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test("a service resolves with its recorded numbers, and refuses a missing or outdated record", () => {
  const path = join(mkdtempSync(join(tmpdir(), "grpc-")), "service.proto");
  const proto = pathToFileURL(path);
  expect(() => serviceOf({ a: z.string() }, proto).resolve({ recorded: true })).toThrow("GRPC_PROTO_STALE");
  writeFileSync(path, protoOf(serviceOf({ a: z.string() }), null));
  const codec = serviceOf({ a: z.string() }, proto).resolve({ recorded: true }).methods[0]?.request;
  expect(codec?.decode(codec.encode({ a: "x" }))).toEqual({ a: "x" });
  expect(() => serviceOf({ a: z.string(), b: z.string() }, proto).resolve({ recorded: true })).toThrow(
    "run framework-grpc",
  );
  writeFileSync(path, `// a comment\n${readFileSync(path, "utf8").replaceAll("  ", "\t")}`);
  expect(() => serviceOf({ a: z.string() }, proto).resolve({ recorded: true })).not.toThrow();
  expect(() => serviceOf({ a: z.string() }).resolve({ recorded: true })).toThrow("GRPC_NUMBERS_UNRECORDED");
});

test("the .proto file has the service, its streams and every kind of field", () => {
  const Node = z
    .object({
      get children() {
        return z.array(Node).optional();
      },
    })
    .meta({ id: "Node" });
  const service = grpcService("a.v1.Service", {
    methods: {
      Do: {
        request: z.object({
          publishedYear: z.int(),
          rate: z.number().optional(),
          kind: z.enum(["a", "b"]),
          tree: Node,
        }),
        response: z.object({ byName: z.record(z.string(), z.int()), any: z.unknown() }),
        requestStream: true,
        responseStream: true,
      },
    },
  });
  expect(protoOf(service, null).split("\n").slice(2).join("\n")).toBe(`syntax = "proto3";

package a.v1;

import "google/protobuf/struct.proto";

service Service {
  rpc Do (stream DoRequest) returns (stream DoResponse);
}

message DoRequest {
  int64 published_year = 1;
  optional double rate = 2;
  string kind = 3;
  Node tree = 4;
}

message Node {
  repeated Node children = 1;
}

message DoResponse {
  map<string, int64> by_name = 1;
  google.protobuf.Value any = 2;
}
`);
});

test("recursive schemas need no title", () => {
  const Tree = z.object({
    name: z.string(),
    get children() {
      return z.array(Tree);
    },
  });
  const Ping = z.object({
    get pong() {
      return Pong.optional();
    },
  });
  const Pong = z.object({
    get ping() {
      return Ping.nullable();
    },
  });
  const service = grpcService("a.v1.Service", {
    methods: { Do: { request: Tree, response: z.object({ first: Tree, pings: z.array(Ping) }) } },
  });
  expect(protoOf(service, null).split("\n").slice(10).join("\n")).toBe(`message DoRequest {
  string name = 1;
  repeated DoRequest children = 2;
}

message DoResponse {
  DoResponseFirst first = 1;
  repeated DoResponsePingsItem pings = 2;
}

message DoResponseFirst {
  string name = 1;
  repeated DoResponseFirst children = 2;
}

message DoResponsePingsItem {
  DoResponsePingsItemPong pong = 1;
}

message DoResponsePingsItemPong {
  DoResponsePingsItem ping = 1;
}
`);
  const codec = service.resolve({ recorded: false }).methods[0]?.request;
  const tree = { name: "a", children: [{ name: "b", children: [] }] };
  expect(codec?.decode(codec.encode(tree))).toEqual(tree);
});

test.each([
  ["a list of lists", z.object({ a: z.array(z.array(z.string())) }), "a list within a list"],
  ["a schema of text", z.string(), "must be an object"],
  [
    "a name that is invalid in a .proto",
    z.object({ "a-b": z.string() }),
    "has a name that is invalid in a .proto",
  ],
])("%s is refused with the reason", (_, request, message) => {
  const service = grpcService("a.v1.Service", { methods: { Do: { request, response: z.object({}) } } });
  expect(() => protoOf(service, null)).toThrow(message);
});
