import type { RequestSource } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { refusalOf } from "./refusal.ts";

/** A request of the page itself. */
const pageRequest = (authority: string) => {
  const field = (name: string) => (name === "origin" ? `http://${authority}` : null);
  return { remoteAddress: "127.0.0.1", authority, field } as unknown as RequestSource;
};

test.each(["localhost", "127.0.0.1", "[::1]"])("on port 80 the authority %s needs no port", (name) => {
  expect(refusalOf(pageRequest(name), 80)).toBeNull();
  expect(refusalOf(pageRequest(`${name}:80`), 80)).toBeNull();
  expect(refusalOf(pageRequest(name), 8080)).toMatchObject({ status: 403 });
  expect(refusalOf(pageRequest(`${name}.example`), 80)).toMatchObject({ status: 403 });
});
