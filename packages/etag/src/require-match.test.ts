import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { requireMatch } from "./require-match.ts";

const put = async (headers: Record<string, string>, current: string | null, required = false) => {
  let changed = false;
  const app = new App();
  app.put("/book", (request) => {
    requireMatch(request, current === null ? null : { etag: current }, { required });
    changed = true;
  });
  await using client = testClient(app);
  const { status } = await client.put("/book", { headers });
  return [status, changed];
};

test.each([
  [{}, '"1"', [204, true]],
  [{ "if-match": '"1"' }, '"1"', [204, true]],
  [{ "if-match": '"0", "1"' }, '"1"', [204, true]],
  [{ "if-match": "*" }, '"1"', [204, true]],
  [{ "if-match": '"0"' }, '"1"', [412, false]],
  [{ "if-match": 'W/"1"' }, 'W/"1"', [412, false]],
  [{ "if-match": "*" }, null, [412, false]],
  [{ "if-none-match": "*" }, null, [204, true]],
  [{ "if-none-match": "*" }, '"1"', [412, false]],
])("PUT with %j on %s", async (headers, current, expected) => {
  expect(await put(headers as Record<string, string>, current)).toEqual(expected);
});

test("a request without a required condition gets 428", async () => {
  expect(await put({}, '"1"', true)).toEqual([428, false]);
  expect(await put({ "if-match": '"1"' }, '"1"', true)).toEqual([204, true]);
});
