import { App } from "@framework/core";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { requestId } from "./index.ts";

const reasonsOf = async (headers: Record<string, string>, keepIncoming = true) => {
  const makeApp = () => new (App.with(requestId))().enableRequestId({ keepIncoming });
  const [explained] = await explainRequests(makeApp, [["GET", "/", { headers }]]);
  return explained?.reasons("request-id");
};

test("the reason states whether the id is new or kept, and why", async () => {
  expect(await reasonsOf({})).toEqual(["a new id: the request has no X-Request-ID"]);
  expect(await reasonsOf({ "x-request-id": "order-7" })).toEqual(["the id of X-Request-ID is kept"]);
  expect(await reasonsOf({ "x-request-id": "a b" })).toEqual(["a new id: X-Request-ID is not safe to log"]);
  expect(await reasonsOf({ "x-request-id": "order-7" }, false)).toEqual(["a new id: keepIncoming is false"]);
});
