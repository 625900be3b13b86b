import type { HttpRequest } from "@framework/core";
import { expect, test } from "@jest/globals";
import { serverAttributes } from "./request-attributes.ts";

test.each([
  ["shop.test:8443", { "server.address": "shop.test", "server.port": 8443 }],
  ["shop.test", { "server.address": "shop.test" }],
  ["shop.test:", { "server.address": "shop.test" }],
  ["[::1]:5", { "server.address": "::1", "server.port": 5 }],
  ["[::1]:", { "server.address": "::1" }],
  ["[::1]", { "server.address": "::1" }],
  ["shop.test:http", { "server.address": "shop.test:http" }],
  ["", {}],
])("the host %j has an address, and a port only if it names one", (host, expected) => {
  const request = { method: "GET", route: null, scheme: "http", host } as HttpRequest;
  expect(serverAttributes(request)).toEqual({
    "http.request.method": "GET",
    "url.scheme": "http",
    ...expected,
  });
});
