import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { checkDocs } from "./check-docs.ts";

test("every example in the documents compiles, runs and names commands that exist", () => {
  expect(checkDocs(root).problems).toEqual([]);
});
