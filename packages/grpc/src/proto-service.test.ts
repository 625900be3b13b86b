import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { handleServerStreamingCall, handleUnaryCall } from "@grpc/grpc-js";
import { ConfigurationError } from "@framework/core";
import { expect, test } from "@jest/globals";
import { decodeFile, encodeFile } from "./descriptors/descriptor-messages.ts";
import { all, serve } from "./grpc-app.test-kit.ts";
import { protoService } from "./index.ts";

interface Loan {
  readonly id: number;
  readonly kind: "KIND_UNSPECIFIED" | "NOVEL";
  readonly cover: Buffer;
  readonly readerName?: string;
  readonly lost?: boolean;
  readonly end?: "returnedAt" | "lost";
}

/** Handlers type as written by `proto-loader-gen-types`. */
interface LoansHandlers {
  GetLoan: handleUnaryCall<{ readonly id: number }, Partial<Loan>>;
  WatchLoans: handleServerStreamingCall<{ readonly id: number }, Partial<Loan>>;
}

const file = new URL("./testing/library.proto", import.meta.url);
const loans = protoService<LoansHandlers>("library.v1.Loans", file);

test("a service of a .proto file is served with enums, bytes, optional fields and oneofs", async () => {
  await using served = await serve((app) => {
    app.enableGrpc({ address: "127.0.0.1:0" });
    app.addGrpcService(loans, {
      GetLoan: ({ id }) => ({ id, kind: "NOVEL", cover: Buffer.from([1, 255]), lost: true }),
      *WatchLoans({ id }) {
        const seen: Partial<Loan>[] = [{ id, readerName: "Ada" }, { id: id + 1 }];
        yield* seen;
      },
    });
  });
  const client = served.client(loans);
  const loan = await client.GetLoan({ id: 3 });
  expect(loan).toMatchObject({ id: 3, kind: "NOVEL", lost: true, end: "lost" });
  expect(Buffer.from(loan.cover ?? [])).toEqual(Buffer.from([1, 255]));
  const seen = await all(client.WatchLoans({ id: 1 }));
  expect(seen.map(({ id, readerName }) => [id, readerName])).toEqual([
    [1, "Ada"],
    [2, undefined],
  ]);
});

test("the descriptors have the imports of the file, the names of its fields, and which of them are optional", () => {
  const { files } = loans.resolve({ recorded: true });
  const [own] = files.filter((each) => each.package === "library.v1");
  expect(own?.dependency).toEqual(["google/protobuf/timestamp.proto"]);
  const loan = own?.messageType.find(({ name }) => name === "Loan");
  expect(loan?.oneofDecl.map(({ name }) => name)).toEqual(["end", "_reader_name"]);
  expect(loan?.field.find(({ number }) => number === 4)).toMatchObject({
    name: "reader_name",
    jsonName: "readerName",
    oneofIndex: 1,
    proto3Optional: true,
  });
  expect(own?.enumType[0]?.value.map(({ name }) => name)).toEqual(["KIND_UNSPECIFIED", "NOVEL"]);
});

test.each([
  [
    "a missing file",
    "library.v1.Loans",
    new URL("./testing/nothing.proto", import.meta.url),
    "cannot be read",
  ],
  ["a missing service", "library.v1.Nothing", file, "has no service library.v1.Nothing"],
])("%s is a ConfigurationError", (_, name, url, message) => {
  expect(() => protoService(name, url).resolve({ recorded: false })).toThrow(ConfigurationError);
  expect(() => protoService(name, url).resolve({ recorded: false })).toThrow(message);
});

test("the descriptors have the JSON names of fields and the aliases of enums", () => {
  const path = join(mkdtempSync(join(tmpdir(), "grpc-")), "names.proto");
  writeFileSync(
    path,
    `syntax = "proto3";
    package names.v1;
    service Names { rpc Get (Named) returns (Named); }
    message Named {
      string book_title = 1 [json_name = "title"];
      string foo__bar = 2;
      string _a1_2b_ = 3;
      map<string, int32> by__id = 4 [json_name = "byKey"];
      Kind kind = 5;
    }
    enum Kind { option allow_alias = true; NONE = 0; NOVEL = 1; STORY = 1; }
    enum Plain { ZERO = 0; }`,
  );
  const { files } = protoService("names.v1.Names", pathToFileURL(path)).resolve({ recorded: true });
  const [file] = files
    .filter((each) => each.package === "names.v1")
    .map((each) => decodeFile(encodeFile(each)));
  const named = file?.messageType.find(({ name }) => name === "Named");
  expect(named?.field.map(({ name, jsonName }) => [name, jsonName])).toEqual([
    ["book_title", "title"],
    ["foo__bar", "fooBar"],
    ["_a1_2b_", "A12b"],
    ["by__id", "byKey"],
    ["kind", "kind"],
  ]);
  expect(named?.nestedType.map(({ name }) => name)).toEqual(["ByIdEntry"]);
  expect(file?.enumType.map(({ name, options }) => [name, options?.allowAlias])).toEqual([
    ["Kind", true],
    ["Plain", undefined],
  ]);
  expect(file?.enumType[0]?.value).toContainEqual({ name: "STORY", number: 1 });
});
