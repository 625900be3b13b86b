import { expect, test } from "@jest/globals";
import { serverAudits } from "graphql-http";
import { library } from "../library.test-kit.ts";

const audits = serverAudits({
  url: "http://localhost/graphql",
  fetchFn: (input: string, init?: RequestInit) => app.fetch(new Request(input, init)),
});
const { app } = library();

test("the audit of graphql-http has 61 cases", () => {
  expect(audits).toHaveLength(61);
});

test.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))("%s: %s", async (_id, _name, audit) => {
  const result = await audit();
  expect(result).toMatchObject({ status: "ok" }); // "warn" would be a violated SHOULD
});
