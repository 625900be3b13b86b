import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { requireMatch } from "./require-match.ts";

const modified = "Fri, 02 Jan 2026 03:04:05 GMT";

const put = async (
  headers: Record<string, string>,
  current: string | null,
  { required = false, lastModifiedMs = null as number | null } = {},
) => {
  let changed = false;
  const app = new App();
  app.put("/book", (request) => {
    requireMatch(request, current === null ? null : { etag: current, lastModifiedMs }, { required });
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
])("PUT with %j on %s results in %j", async (headers, current, expected) => {
  expect(await put(headers as Record<string, string>, current)).toEqual(expected);
});

test("undefined as the current state means no resource, as null does", async () => {
  const app = new App();
  app.put("/book", (request) => requireMatch(request, undefined as never));
  await using client = testClient(app);
  const statuses = [];
  for (const headers of [{ "if-match": '"1"' }, { "if-match": "*" }, { "if-none-match": "*" }])
    statuses.push((await client.put("/book", { headers })).status);
  expect(statuses).toEqual([412, 412, 204]);
});

test("if a condition is required, a request without one gets 428", async () => {
  expect(await put({}, '"1"', { required: true })).toEqual([428, false]);
  expect(await put({ "if-match": '"1"' }, '"1"', { required: true })).toEqual([204, true]);
});

test.each([
  [{ "if-unmodified-since": modified }, null, [428, false]],
  [{ "if-unmodified-since": modified }, Number.NaN, [428, false]],
  [{ "if-unmodified-since": "yesterday" }, 0, [428, false]],
  [{ "if-unmodified-since": modified }, 0, [204, true]],
  [{ "if-unmodified-since": modified }, Date.parse(modified) + 1000, [412, false]],
  [{ "if-none-match": '"0"' }, 0, [428, false]],
  [{ "if-none-match": '"0"', "if-unmodified-since": modified }, 0, [204, true]],
  [{ "if-none-match": " * " }, 0, [412, false]],
  [{ "if-match": "malformed" }, 0, [412, false]],
])(
  "if a condition is required, %j on a state of %p ms gets %j",
  async (headers, lastModifiedMs, expected) => {
    const options = { required: true, lastModifiedMs };
    expect(await put(headers as Record<string, string>, '"1"', options)).toEqual(expected);
  },
);

test("if a condition is required, creating a resource needs `If-None-Match: *`", async () => {
  const options = { required: true };
  expect(await put({ "if-none-match": "*" }, null, options)).toEqual([204, true]);
  expect(await put({ "if-none-match": '"0"' }, null, options)).toEqual([428, false]);
  expect(await put({ "if-unmodified-since": modified }, null, options)).toEqual([428, false]);
});
