import { expect, test } from "@jest/globals";
import { grouped } from "./respond.ts";

test("fields are grouped by name in lower case, also one named constructor", () => {
  expect(
    Object.entries(grouped(["Link", "</a>", "constructor", "x", "link", "</b>", "link", "</c>"])),
  ).toEqual([
    ["link", ["</a>", "</b>", "</c>"]],
    ["constructor", "x"],
  ]);
});
