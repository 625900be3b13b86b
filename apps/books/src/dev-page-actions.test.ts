// oxlint-disable jest/expect-expect -- the kit asserts
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { actionsOf, useAll, uses } from "./dev-page-actions.test-kit.ts";
import { busy, pageOf } from "./dev-page.test-kit.ts";

test("every action of every panel works on the dev page", () => useAll(), 120_000);

test(
  "every action of every panel is refused without the token, with another one, and from another origin, site and host",
  () =>
    busy(async (service, heard) => {
      const { post, headers } = pageOf(service.page);
      const { authorization, ...withoutToken } = headers;
      const attempts: readonly (readonly [status: number, headers: Readonly<Record<string, string>>])[] = [
        [401, withoutToken],
        [401, { ...headers, authorization: `${authorization}x` }],
        [403, { ...headers, origin: "http://evil.example" }],
        [403, { ...headers, origin: "null" }],
        [403, { ...headers, "sec-fetch-site": "cross-site" }],
        [415, { ...headers, "content-type": "text/plain" }],
      ];
      const before = () => heard.panels().map(({ name, content }) => [name, content.rows.length]);
      const rows = before();
      const statuses = [];
      for (const { panel, action, row = null, texts = {} } of uses(service, heard)) {
        const id = typeof row === "function" ? await row() : row;
        for (const [status, sent] of attempts) {
          const reply = await post({ do: "act", panel, action, row: id, texts }, sent);
          statuses.push([panel, action, status, reply.status]);
        }
      }
      expect(statuses.filter(([, , wanted, got]) => wanted !== got)).toEqual([]);
      expect(statuses).toHaveLength(actionsOf(heard).length * attempts.length);
      const heardSoFar = heard.text().length;
      await waitFor(
        () => heard.text().length > heardSoFar && heard.text().slice(heardSoFar).includes('"name":"work"'),
        {
          what: "another report",
          timeoutMs: 60_000,
        },
      );
      expect(before()).toEqual(rows);
      expect((await fetch(`${service.service.url}/books`)).status).toBe(200); // no circuit was opened
    }),
  120_000,
);
