import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { handleUnaryCall } from "@grpc/grpc-js";
import { expect, test } from "@jest/globals";
import { serve } from "./grpc-app.test-kit.ts";
import { protoService } from "./index.ts";

type Message = Readonly<Record<string, unknown>>;

const file = join(mkdtempSync(join(tmpdir(), "grpc-")), "values.proto");
writeFileSync(
  file,
  `syntax = "proto3";
  package values.v1;
  import "google/protobuf/timestamp.proto";
  import "google/protobuf/struct.proto";
  import "google/protobuf/any.proto";
  service Values { rpc Echo (All) returns (All); }
  enum Kind { ZERO = 0; ONE = 1; }
  message Inner { int32 n = 1; Inner inner = 2; }
  message All {
    int32 i = 1; uint32 u = 2; int64 l = 3; uint64 ul = 4; double d = 5; float f = 6; bool b = 7; string s = 8;
    bytes by = 9; Kind kind = 10; Inner inner = 11; repeated int32 numbers = 12; map<string, Inner> named = 13;
    map<int32, string> by_number = 14; google.protobuf.Timestamp made_at = 15; google.protobuf.Struct any = 16;
    oneof choice { string left = 17; int32 right = 18; }
    optional string note = 19; repeated google.protobuf.Timestamp times = 20; repeated Kind kinds = 21;
    google.protobuf.Any packed = 22; Names names = 23;
    map<bool, string> by_flag = 24; map<sint64, Holder> by_long = 25; map<fixed64, bytes> by_fixed = 26; repeated Holder holders = 27;
  }
  message Holder { map<int64, string> held = 1; Holder holder = 2; }
  message Names { string constructor = 1; string toString = 2; int32 valueOf = 3; Names names = 4; }`,
);

interface ValuesHandlers {
  Echo: handleUnaryCall<Message, Message>;
}

const values = protoService<ValuesHandlers>("values.v1.Values", file, { longs: "string" });
const deep = (levels: number): Message => (levels === 0 ? { n: 1 } : { inner: deep(levels - 1) });

/** A reply with a field from a getter, and one that is converted before it is sent. */
class Reply {
  readonly by: string = "AQI=";

  get s(): string {
    return "text";
  }
}

const valid: readonly (readonly [sent: Message, received?: Message])[] = [
  [new Reply() as object as Message, { by: Buffer.from([1, 2]), s: "text" }],
  [
    { packed: { "@type": "values.v1.Holder", held: { 1: "\ud800" } } },
    { packed: { type_url: "/values.v1.Holder" } },
  ],
  [{ i: -(2 ** 31), u: 2 ** 32 - 1, d: -1.5, f: 0.5, b: true, s: "text", kind: "ONE" }],
  [
    { l: 12, ul: "18446744073709551615" },
    { l: "12", ul: "18446744073709551615" },
  ],
  [{ l: -(2 ** 53) + 1 }, { l: "-9007199254740991" }],
  [{ l: -5n }, { l: "-5" }],
  [{ l: { low: 7, high: 0, unsigned: false } }, { l: "7" }],
  [{ d: Number.NaN, f: -Infinity }],
  [{ d: "Infinity" }, { d: Infinity }],
  [{ by: new Uint8Array([1, 2]) }, { by: Buffer.from([1, 2]) }],
  [{ by: "AQI=" }, { by: Buffer.from([1, 2]) }],
  [{ by: [1, 2] }, { by: Buffer.from([1, 2]) }],
  [{ by: "-_8" }, { by: Buffer.from([0xfb, 0xff]) }], // the alphabet for URLs, without padding
  [{ byFlag: { false: "no", true: "yes" } }],
  [
    {
      byLong: {
        "-5": { held: { "9007199254740993": "x", "0": "zero" } },
        "12345678": { holder: { held: { 7: "seven" } } },
      },
      byFixed: { "18446744073709551615": "AQI=" },
      holders: [{ held: { "-1": "y" } }],
    },
    {
      byLong: {
        "-5": { held: { "9007199254740993": "x", "0": "zero" } },
        "12345678": { holder: { held: { 7: "seven" } } },
      },
      byFixed: { "18446744073709551615": Buffer.from([1, 2]) },
      holders: [{ held: { "-1": "y" } }],
    },
  ],
  [
    { s: "a\ud800", named: { "k\udc00": { n: 1 } } },
    { s: "a\ufffd", named: { "k\ufffd": { n: 1 } } },
  ],
  [
    { kind: 1, kinds: ["ZERO", 7] },
    { kind: "ONE", kinds: ["ZERO", 7] },
  ],
  [{ numbers: [1, 2], named: { a: { n: 1 } }, byNumber: { "-3": "x" } }],
  [{ inner: { n: 1, inner: null }, note: undefined, madeAt: null }, { inner: { n: 1, inner: null } }],
  [{ madeAt: { seconds: 1, nanos: 2 } }, { madeAt: { seconds: "1", nanos: 2 } }],
  [
    { madeAt: new Date("2020-01-01T00:00:00.250Z"), times: [new Date(-1)], s: "kept" },
    {
      madeAt: { seconds: "1577836800", nanos: 250_000_000 },
      times: [{ seconds: "-1", nanos: 999_000_000 }],
      s: "kept",
    },
  ],
  [{ any: { fields: { a: { numberValue: 1 } } } }],
  [
    { left: "x", right: null },
    { left: "x", choice: "left" },
  ],
  [{ names: {} }, { names: { constructor: "", toString: "", valueOf: 0, names: null } }],
  [{ names: { constructor: "c", names: { toString: "t", valueOf: 1 } } }],
  [{ packed: { "@type": "values.v1.Inner", n: 1 } }, { packed: { type_url: "/values.v1.Inner" } }],
];

const invalid: readonly (readonly [sent: Message, message: string])[] = [
  [{ i: "12abc" }, "message.i must be a whole number from -2^31 to 2^31 - 1"],
  [{ i: 2 ** 40 }, "message.i must be a whole number from -2^31 to 2^31 - 1"],
  [{ i: 1.7 }, "message.i must be a whole number"],
  [{ u: -1 }, "message.u must be a whole number from 0 to 2^32 - 1"],
  [
    { l: "x" },
    "message.l must be a whole number up to 2^53 - 1, or a string or bigint from -2^63 to 2^63 - 1",
  ],
  [{ l: 2 ** 53 }, "message.l must be"],
  [{ l: "9223372036854775808" }, "message.l must be"],
  [{ ul: -1 }, "message.ul must be a whole number from 0"],
  [{ d: "x" }, "message.d must be a number"],
  [{ f: 1e300 }, "message.f must be a number in the range of a float"],
  [{ b: "true" }, "message.b must be true or false"],
  [{ s: {} }, "message.s must be a string"],
  [{ s: 1 }, "message.s must be a string"],
  [{ by: "not base64!" }, "message.by must be bytes"],
  [{ by: [256] }, "message.by must be bytes"],
  [{ by: "A" }, "message.by must be bytes"],
  [{ by: "QUJD=" }, "message.by must be bytes"],
  [{ byFlag: { yes: "y" } }, "message.byFlag.yes must be true or false"],
  [{ kind: "NOPE" }, "message.kind must be one of ZERO, ONE"],
  [{ kind: "toString" }, "message.kind must be one of ZERO, ONE"],
  [{ inner: 3 }, "message.inner must be an object"],
  [{ inner: { inner: { n: "1" } } }, "message.inner.inner.n must be a whole number"],
  [{ numbers: 3 }, "message.numbers must be a list"],
  [{ numbers: [1, null] }, "message.numbers[1] must be a whole number"],
  [{ named: new Map([["a", { n: 1 }]]) }, "message.named must be an object"],
  [{ named: { a: { n: true } } }, "message.named.a.n must be a whole number"],
  [{ byNumber: { x: "1" } }, "message.byNumber.x must be a whole number"],
  [{ madeAt: "2020-01-01" }, "message.madeAt must be an object"],
  [{ madeAt: new Date("never") }, "message.madeAt must be a valid date"],
  [{ times: [{ seconds: 1.5 }] }, "message.times[0].seconds must be a whole number"],
  [{ packed: { "@type": "values.v1.Inner", n: "x" } }, "message.packed.n must be a whole number"],
  [
    { packed: { "@type": "type.test/values.v1.Innre" } },
    'must be an object whose @type is a message of the .proto, not "type.test/values.v1.Innre"',
  ],
  [
    { packed: { "@type": "google.protobuf.Any" } },
    "message.packed must be an object whose @type is a message",
  ],
  [{ packed: { "@type": "" } }, "message.packed must be an object whose @type is a message"],
  [{ left: "x", right: 1 }, "message must be an object with only one of left and right, which are a oneof"],
  [{ inner: deep(101) }, "must be at most 100 messages deep"],
];

test("values of every type of a .proto file arrive in the form that proto-loader documents, and dates as timestamps", async () => {
  let response: Message = {};
  let seen: Message = {};
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(values, {
      Echo: (request) => {
        seen = request;
        return response;
      },
    });
  });
  const client = served.client(values);
  for (const [sent, received = sent] of valid) {
    response = sent;
    expect(await client.Echo(sent)).toMatchObject(received);
    expect(seen).toMatchObject(received);
    response = seen;
    expect(await client.Echo(seen)).toMatchObject(received); // a received value can be sent
  }
});

const errorOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test("clients and services refuse a value of the wrong type with the name of its field", async () => {
  let response: unknown = {};
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(values, { Echo: () => response as Message });
  });
  const client = served.client(values);
  const [echo] = values.resolve({ recorded: false }).methods;
  for (const [sent, message] of invalid) {
    response = {};
    await expect(client.Echo(sent)).rejects.toThrow(message);
    const problem = expect.objectContaining({ code: "GRPC_BAD_MESSAGE" });
    expect(errorOf(() => echo?.response.encode(sent))).toEqual(problem);
    response = sent;
    await expect(client.Echo({})).rejects.toMatchObject({ code: "GRPC_INTERNAL" });
  }
  response = new Date();
  await expect(client.Echo({})).rejects.toMatchObject({ code: "GRPC_INTERNAL" });
});
