import { expect, test } from "@jest/globals";
import { groupByName } from "./respond.ts";

test("fields are grouped by name in lower case, including a field named constructor", () => {
  expect(
    Object.entries(groupByName(["Link", "</a>", "constructor", "x", "link", "</b>", "link", "</c>"])),
  ).toEqual([
    ["link", ["</a>", "</b>", "</c>"]],
    ["constructor", "x"],
  ]);
});
