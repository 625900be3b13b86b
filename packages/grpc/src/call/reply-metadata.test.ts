import { expect, test } from "@jest/globals";
import { ReplyMetadata } from "./reply-metadata.ts";

test("set replaces all values of a name, and an invalid value replaces none", () => {
  const metadata = new ReplyMetadata().append("shelf", "a").append("shelf", "b").append("room", "1");
  const invalid = [() => metadata.set("Shelf", "line\nbreak"), () => metadata.set("shelf", "x".repeat(8200))];
  for (const set of invalid) expect(set).toThrow(expect.objectContaining({ code: "GRPC_BAD_METADATA" }));
  expect([...metadata]).toEqual([
    ["shelf", "a"],
    ["shelf", "b"],
    ["room", "1"],
  ]);
  expect([...metadata.set("shelf", "c")]).toEqual([
    ["room", "1"],
    ["shelf", "c"],
  ]);
});
