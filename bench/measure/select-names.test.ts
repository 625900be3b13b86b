import { expect, test } from "@jest/globals";
import { selectNames, selectParts } from "./select-names.ts";

test("names are returned in the order of the command line", () => {
  expect(selectNames("server", ["raw", "fast"], ["fast", "node", "raw"])).toEqual(["raw", "fast"]);
});

test("an unknown name is an error that lists the known ones", () => {
  expect(() => selectNames("request", ["json", "jsn"], ["json", "echo"])).toThrow(
    "unknown request jsn; requests: json, echo",
  );
  expect(() => selectParts({ postgres: 1, sqlite: 2 }, ["toString"])).toThrow(
    "unknown part toString; parts: postgres, sqlite",
  );
});

test("parts run in the order of the command line, and all of them without names", () => {
  const parts = { postgres: 1, sqlite: 2, echo: 3 };
  expect(selectParts(parts, ["echo", "postgres"])).toEqual([
    ["echo", 3],
    ["postgres", 1],
  ]);
  expect(selectParts(parts, [])).toEqual(Object.entries(parts));
});
