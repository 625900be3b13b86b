// oxlint-disable jest/expect-expect -- the kit asserts
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { actionCalls, actionsOf, callEveryAction } from "./dev-page-actions.test-kit.ts";
import { pageOf, withFilledPanels } from "./dev-page.test-kit.ts";

test("every action of every panel works on the dev page", () => callEveryAction(), 120_000);

test(
  "every action of every panel is refused without a valid token, from another origin or site, or with the media type text/plain",
  () =>
    withFilledPanels(async (service, live) => {
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
      const countRows = () => live.panels().map(({ name, content }) => [name, content.rows.length]);
      const before = countRows();
      const statuses = [];
      for (const { panel, action, row = null, texts = {} } of actionCalls(service, live)) {
        const id = typeof row === "function" ? await row() : row;
        for (const [status, sentHeaders] of attempts) {
          const reply = await post({ do: "act", panel, action, row: id, texts }, sentHeaders);
          statuses.push([panel, action, status, reply.status]);
        }
      }
      expect(statuses.filter(([, , expected, actual]) => expected !== actual)).toEqual([]);
      expect(statuses).toHaveLength(actionsOf(live).length * attempts.length);
      const { length } = live.text();
      await waitFor(() => live.text().slice(length).includes('"name":"work"'), {
        subject: "another state of the panel",
        timeoutMs: 60_000,
      });
      expect(countRows()).toEqual(before);
      expect((await fetch(`${service.service.url}/books`)).status).toBe(200); // no circuit was opened
    }),
  120_000,
);
